//! `symbolon admin bot-secret`, with and without the service, and `symbolon bot` without its settings.

use std::process::{Command, Stdio};

use testkit::{Node, both_databases};

use super::shell::{BINARY, installed, run_bare};

both_databases! {
    async fn operators_see_the_secret_of_the_shared_bot_and_replace_it(engine) {
        let (db, shell) = installed(engine).await;
        let show = || shell.json(&["admin", "bot-secret", "show"])["secret"].as_str().unwrap().to_owned();
        let first = show();
        assert_eq!((first.len(), &first[..5]), (69, "sbot_"));
        let node = Node::start(BINARY, shell.data(), shell.database()).await;
        assert_eq!(show(), first, "a start keeps it");
        let told = shell.json(&["admin", "bot-secret", "rotate", "--bot", "platform"]);
        assert_eq!(told["bot"], "platform");
        assert_ne!(told["secret"], first.as_str());
        assert_eq!(show(), told["secret"].as_str().unwrap());
        for wrong in ["nobody", "900000000000000001"] {
            let refused = shell.run(&["admin", "bot-secret", "show", "--bot", wrong]);
            assert_eq!(refused.code, Some(1), "{wrong}");
        }
        assert!(node.stop().await);
        assert_eq!(shell.run(&["doctor"]).code, Some(0));
        db.finish().await;
    }
}

#[tokio::test]
async fn a_bot_without_its_settings_says_which_are_missing() {
    for (known, missing) in [
        (vec![], "bot.secret is not set"),
        (
            vec![("SYMBOLON_BOT_SECRET", "sbot_x")],
            "discord.bot_token is not set",
        ),
    ] {
        run_bare(&["bot"], &known).fails_with_one_line(missing);
    }
    let nothing = Command::new(BINARY)
        .args(["bot", "--stdin"])
        .stdin(Stdio::null())
        .output();
    let nothing = nothing.expect("it ends");
    assert_eq!(nothing.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&nothing.stderr).contains("no settings of a bot"));
}
