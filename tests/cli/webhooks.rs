//! `symbolon admin webhook`, with and without the service.

use serde_json::json;
use testkit::{Node, both_databases};

use super::shell::{BINARY, installed};

both_databases! {
    async fn operators_add_list_rotate_and_remove_webhooks(engine) {
        let (db, shell) = installed(engine).await;
        let org = shell.json(&["admin", "create-org", "--name", "One", "--owner", "700000000000000001"]);
        let org = org["org"].as_str().unwrap().to_owned();
        let add = |url: &str| shell.run(&["admin", "webhook", "add", "--org", &org, "--url", url]);
        for (url, why) in [
            ("http://example.com/hook", "it must begin with https://"),
            ("https://127.0.0.1/hook", "its address must be one of the public internet"),
            ("https://example.com:25/", "its port must be 443 or at least 1024"),
        ] {
            add(url).fails_with_one_line(why);
        }
        let nobody = "org_01ARZ3NDEKTSV4RRFFQ69G5FAV";
        shell.run(&["admin", "webhook", "add", "--org", nobody, "--url", "https://example.com/"])
            .fails_with_one_line("there is no such organisation");
        let added = shell.json(&["admin", "webhook", "add", "--org", &org, "--url", "https://example.com/hook"]);
        let (id, secret) = (added["webhook"].as_str().unwrap().to_owned(), added["secret"].as_str().unwrap());
        assert!(id.starts_with("whk_") && secret.starts_with("whsec_"), "{added}");
        assert_eq!(added["sending"], "off, because the flag webhooks is off");
        let node = Node::start(BINARY, shell.data(), shell.database()).await;
        let listed = shell.json(&["admin", "webhook", "list"]);
        let only = json!({
            "id": &*id, "org_id": org, "url": "https://example.com/hook", "failures": 0, "rest_until_ms": 0, "left_out": 0,
            "gone": false, "created_at_ms": listed["items"][0]["created_at_ms"],
        });
        assert_eq!(listed, json!({ "items": [only], "more": 0, "next": null }), "the secret is shown once");
        let told = shell.run(&["admin", "webhook", "list"]).out;
        assert_eq!(told.trim_end(), format!("{id}  {org} https://example.com/hook"));
        let rotated = shell.json(&["admin", "webhook", "rotate", "--webhook", &id]);
        assert_ne!(rotated["secret"], secret);
        shell.run(&["admin", "webhook", "rotate", "--webhook", &id]).fails_with_one_line("Use --now to end it.");
        assert_ne!(shell.json(&["admin", "webhook", "rotate", "--now", "--webhook", &id])["secret"], rotated["secret"]);
        let none = json!({ "items": [], "more": 0, "next": null });
        assert_eq!(shell.json(&["admin", "webhook", "deliveries", "--dead", "--webhook", &id]), none);
        let retried = json!({ "webhook": &*id, "retried": 0 });
        assert_eq!(shell.json(&["admin", "webhook", "retry", "--webhook", &id]), retried);
        assert_eq!(shell.json(&["admin", "webhook", "remove", "--webhook", &id]), json!({ "removed": &*id }));
        assert_eq!(shell.json(&["admin", "webhook", "list"]), none);
        shell.run(&["admin", "webhook", "retry", "--webhook", &id]).fails_with_one_line("there is no such webhook");
        assert!(node.stop().await);
        assert_eq!(shell.run(&["doctor"]).code, Some(0));
        db.finish().await;
    }
}
