//! Operators are made and unmade at the command line.

use testkit::{Node, both_databases};

use super::shell::{BINARY, empty};

const NAMED: &str = "700000000000000021";
const GRANTED: &str = "700000000000000022";

async fn is_operator(node: &Node, session: &str) -> bool {
    let cookie = format!("symbolon={session}");
    let (status, body) = node.request("GET", "/account", &[("cookie", &cookie)], "").await;
    assert_eq!(status, 200, "{body}");
    body.contains(r#""operator":true"#)
}

both_databases! {
    async fn a_grant_is_revoked_for_good_and_the_configuration_is_not_overruled(engine) {
        let (db, shell) = empty(engine).await;
        let settings = [("SYMBOLON_OPERATORS", NAMED)];
        let node = Node::start_with(BINARY, shell.data(), shell.database(), &settings).await;
        for person in [NAMED, GRANTED] {
            shell.json(&["admin", "create-org", "--name", person, "--owner", person]);
        }
        shell.json(&["admin", "grant", "--discord", GRANTED]);
        let session = |person| shell.json(&["admin", "session", "--discord", person])["session"].as_str().unwrap().to_owned();
        let (named, granted) = (session(NAMED), session(GRANTED));
        assert!(is_operator(&node, &named).await && is_operator(&node, &granted).await);
        let revoke = |person| shell.run(&["admin", "revoke", "--discord", person]);
        revoke(NAMED).fails_with_one_line("`operators`");
        assert_eq!(revoke(GRANTED).code, Some(0));
        assert!(is_operator(&node, &named).await && !is_operator(&node, &granted).await);
        revoke(GRANTED).fails_with_one_line("no operator");
        revoke("700000000000000099").fails_with_one_line("no account");
        assert!(node.stop().await);
        let node = Node::start(BINARY, shell.data(), shell.database()).await;
        assert!(!is_operator(&node, &named).await && !is_operator(&node, &granted).await);
        assert!(node.stop().await);
        db.finish().await;
    }
}
