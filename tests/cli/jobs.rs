//! `symbolon admin jobs`, with and without the service.

use serde_json::json;
use testkit::{Node, both_databases};

use super::shell::{BINARY, installed};

both_databases! {
    async fn operators_see_what_waits_and_take_it_away(engine) {
        let (db, shell) = installed(engine).await;
        let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
        let org = shell.json(&["admin", "create-org", "--name", "One", "--owner", "700000000000000001"]);
        let org = text(&org["org"]);
        let guild = shell.json(&[
            "admin", "create-guild", "--org", &org, "--discord-guild", "700000000000000002", "--name", "One",
            "--log-channel", "700000000000000003",
        ]);
        let guild = text(&guild["guild"]);
        let link = |number: u64| {
            let (discord, steam) = (700_000_000_000_000_010 + number, 76_561_198_000_000_000 + number);
            shell.json(&["admin", "create-link", "--guild", &guild, "--discord", &discord.to_string(), "--steam", &steam.to_string()]);
        };
        link(1);
        let listed = shell.json(&["admin", "jobs", "list"]);
        let line = text(&listed["1"]);
        assert!(line.starts_with(&format!("roles.sync of {org} in roles:{guild}, waiting for ")), "{line}");
        let line = text(&listed["2"]);
        let expected = format!("log.linked of {org} in log:{guild}, waiting for ");
        assert!(line.starts_with(&expected) && line.ends_with(" s"), "{line}");
        link(3);
        link(4);
        let listed = shell.json(&["admin", "jobs", "list", "--limit", "1"]);
        assert_eq!(listed.as_object().unwrap().keys().collect::<Vec<_>>(), ["1", "more"]);
        assert_eq!(listed["more"], "3");
        let listed = shell.json(&["admin", "jobs", "list", "--limit", "4"]);
        let numbers: Vec<String> = listed.as_object().unwrap().keys().cloned().collect();
        assert_eq!((numbers.len(), &numbers[..2]), (4, &["1".to_owned(), "2".to_owned()][..]));
        assert_eq!(shell.run(&["admin", "jobs", "list", "--limit", "0"]).code, Some(2));
        for number in &numbers[2..] {
            shell.json(&["admin", "jobs", "drop", number]);
        }
        let node = Node::start(BINARY, shell.data(), shell.database()).await;
        link(2);
        let listed = shell.json(&["admin", "jobs", "list"]);
        let newest = listed.as_object().unwrap().keys().next_back().expect("a job").clone();
        assert_eq!(shell.json(&["admin", "jobs", "retry", &newest]), json!({ "job": newest, "tried": "now" }));
        assert_eq!(shell.json(&["admin", "jobs", "drop", "2"]), json!({ "job": "2", "dropped": "now" }));
        shell.run(&["admin", "jobs", "drop", "2"]).fails_with_one_line("there is no such job");
        shell.run(&["admin", "jobs", "retry", "99"]).fails_with_one_line("there is no such job");
        let listed = shell.json(&["admin", "jobs", "list"]);
        assert_eq!(listed.as_object().unwrap().keys().collect::<Vec<_>>(), ["1", newest.as_str()]);
        assert!(node.stop().await);
        assert_eq!(shell.run(&["doctor"]).code, Some(0));
        db.finish().await;
    }
}
