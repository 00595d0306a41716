//! `symbolon admin jobs`, with and without the service.

use serde_json::{Value, json};
use testkit::{Node, both_databases};

use super::shell::{BINARY, installed};

fn numbers(listed: &Value) -> Vec<i64> {
    let items = listed["items"].as_array().expect("a list").iter();
    items
        .map(|job| job["number"].as_i64().expect("a number"))
        .collect()
}

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
        let (first, second) = (&listed["items"][0], &listed["items"][1]);
        assert_eq!((&first["number"], &first["kind"], &first["lane"]), (&json!(1), &json!("roles.sync"), &json!(format!("roles:{guild}"))));
        assert_eq!((&second["org_id"], &second["attempts"], &second["running"]), (&json!(org), &json!(0), &json!(false)));
        let lines = shell.run(&["admin", "jobs", "list"]).out;
        let line = lines.lines().next().unwrap();
        assert!(line.starts_with(&format!("1  roles.sync of {org} in roles:{guild}, waiting for ")), "{line}");
        let line = lines.lines().nth(1).unwrap();
        let expected = format!("2  log.linked of {org} in log:{guild}, waiting for ");
        assert!(line.starts_with(&expected) && line.ends_with(" s"), "{line}");
        link(3);
        link(4);
        let listed = shell.json(&["admin", "jobs", "list", "--limit", "1"]);
        assert_eq!((numbers(&listed), &listed["more"]), (vec![1], &json!(3)));
        let lines = shell.run(&["admin", "jobs", "list", "--limit", "1"]).out;
        assert_eq!(lines.lines().nth(1), Some("more  3"));
        let found = numbers(&shell.json(&["admin", "jobs", "list", "--limit", "4"]));
        assert_eq!((found.len(), &found[..2]), (4, &[1, 2][..]));
        assert_eq!(shell.run(&["admin", "jobs", "list", "--limit", "0"]).code, Some(2));
        for number in &found[2..] {
            shell.json(&["admin", "jobs", "drop", &number.to_string()]);
        }
        let node = Node::start(BINARY, shell.data(), shell.database()).await;
        link(2);
        let listed = shell.json(&["admin", "jobs", "list"]);
        let newest = *numbers(&listed).last().expect("a job");
        let retried = shell.json(&["admin", "jobs", "retry", &newest.to_string()]);
        assert_eq!(retried, json!({ "job": newest, "tried": "now" }));
        assert_eq!(shell.json(&["admin", "jobs", "drop", "2"]), json!({ "job": 2, "dropped": "now" }));
        shell.run(&["admin", "jobs", "drop", "2"]).fails_with_one_line("there is no such job");
        shell.run(&["admin", "jobs", "retry", "99"]).fails_with_one_line("there is no such job");
        let listed = shell.json(&["admin", "jobs", "list"]);
        assert_eq!(numbers(&listed), [1, newest]);
        assert!(node.stop().await);
        assert_eq!(shell.run(&["doctor"]).code, Some(0));
        db.finish().await;
    }
}
