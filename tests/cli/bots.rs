//! `symbolon admin bot-secret`, with and without the service.

use testkit::{Node, both_databases};

use super::shell::{BINARY, installed};

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
