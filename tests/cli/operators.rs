//! Operators are made and unmade at the command line.

use serde_json::json;
use testkit::{Node, both_databases};

use super::shell::{BINARY, empty, installed, run_bare};

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
        revoke(GRANTED).fails_with_one_line("not an operator");
        revoke("700000000000000099").fails_with_one_line("no account");
        assert!(node.stop().await);
        let node = Node::start(BINARY, shell.data(), shell.database()).await;
        assert!(!is_operator(&node, &named).await && !is_operator(&node, &granted).await);
        assert!(node.stop().await);
        db.finish().await;
    }
    async fn an_operator_erases_a_blocked_person_and_the_block_stays(engine) {
        let (db, shell) = installed(engine).await;
        let (owner, blocked) = (["--discord", NAMED], ["--discord", GRANTED]);
        let admin = |words: &[&str], who: [&str; 2]| shell.run(&[&["admin"], words, &who[..]].concat());
        shell.json(&["admin", "create-org", "--name", "Kept", "--owner", NAMED]);
        shell.json(&["admin", "grant", "--discord", GRANTED]);
        assert_eq!(admin(&["block", "--reason", "cheats"], blocked).code, Some(0));
        admin(&["erase"], owner).fails_with_one_line("owns an Org");
        let erased = shell.json(&["admin", "erase", "--discord", GRANTED]);
        assert_eq!((&erased["communities"], &erased["dashboard_account"]), (&json!(0), &json!("deleted")));
        let listed = shell.json(&["admin", "list-blocks"]);
        let block = &listed["items"][0];
        assert_eq!((&block["kind"], &block["value"], &block["erased"]), (&json!("discord"), &json!(null), &json!(true)));
        let listed = shell.run(&["admin", "list-blocks"]).out;
        assert!(listed.contains("an erased account") && !listed.contains(GRANTED) && !listed.contains("x:"), "{listed}");
        assert_eq!(admin(&["unblock"], blocked).code, Some(0));
        admin(&["unblock"], blocked).fails_with_one_line("not blocked");
        db.finish().await;
    }

    async fn granted_operators_are_counted_by_the_checks_and_listed(engine) {
        let (db, shell) = installed(engine).await;
        let check = || {
            let places = [("SYMBOLON_DATA_DIR", shell.data().to_str().unwrap()), ("SYMBOLON_DATABASE_URL", shell.database())];
            [shell.run(&["doctor"]).out, run_bare(&["config", "check", "--online"], &places).out]
        };
        for told in check() {
            assert!(!told.contains("by a grant"), "{told}");
        }
        // A version before wrote the setting down by the same deed.
        for (count, person) in [("1 person is an operator by a grant", NAMED), ("2 people are operators by a grant", GRANTED)] {
            shell.json(&["admin", "grant", "--discord", person]);
            for told in check() {
                assert!(told.contains(count) && told.contains("`symbolon admin list-operators`"), "{told}");
            }
        }
        assert_eq!(shell.run(&["doctor"]).code, Some(0), "a grant breaks nothing");

        const NEVER_SEEN: &str = "700000000000000023";
        let settings = [("SYMBOLON_OPERATORS", [NAMED, ",", NEVER_SEEN].concat())];
        let settings = settings.each_ref().map(|(name, value)| (*name, value.as_str()));
        let node = Node::start_with(BINARY, shell.data(), shell.database(), &settings).await;
        let listed = shell.json(&["admin", "list-operators"]);
        let whys = listed["items"].as_array().unwrap().iter();
        let mut whys: Vec<_> = whys.map(|one| (one["discord_id"].as_str().unwrap(), [&one["in_setting"], &one["granted"]])).collect();
        whys.sort_by_key(|(person, _)| *person);
        let (yes, no) = (json!(true), json!(false));
        assert_eq!(whys, [(NAMED, [&yes, &yes]), (GRANTED, [&no, &yes]), (NEVER_SEEN, [&yes, &no])]);
        let lines = shell.run(&["admin", "list-operators"]).out;
        let shown = |person: &str| {
            let line = lines.lines().find_map(|line| line.strip_prefix(person));
            line.unwrap_or_else(|| panic!("{person}: {lines}")).trim_start()
        };
        assert_eq!(lines.lines().count(), 3, "{lines}");
        assert!(shown(NAMED).starts_with("Operator, usr_") && shown(NAMED).ends_with(", by the setting `operators` and by a grant"));
        assert!(shown(GRANTED).ends_with(", by a grant"));
        assert_eq!(shown(NEVER_SEEN), "never signed in, by the setting `operators`");
        assert!(node.stop().await);

        for person in [NAMED, GRANTED] {
            assert_eq!(shell.run(&["admin", "revoke", "--discord", person]).code, Some(0));
        }
        let nobody = json!({ "items": [], "more": 0, "next": null });
        assert_eq!(shell.json(&["admin", "list-operators"]), nobody);
        assert_eq!(shell.run(&["admin", "list-operators"]).out, "");
        for told in check() {
            assert!(!told.contains("by a grant"), "{told}");
        }
        db.finish().await;
    }
}
