//! From nothing to a working key.

use serde_json::{Value, json};
use testkit::{Node, both_databases};

use super::shell::{BINARY, Shell, empty, installed};

const OWNER: &str = "700000000000000001";
const PLAYER: &str = "700000000000000002";
pub const STEAM: &str = "76561197960300000";

/// The path of the handbook: Org, Guild, Server, link. Gives the key of the Server.
pub fn set_up(shell: &Shell) -> (Value, String) {
    let org = shell.json(&["admin", "create-org", "--name", "My Community", "--owner", OWNER]);
    assert_eq!(org["slug"], "my-community");
    let id = org["org"].as_str().expect("an Org");
    let guild = shell.json(&[
        "admin",
        "create-guild",
        "--org",
        id,
        "--discord-guild",
        "800000000000000001",
        "--name",
        "My Guild",
    ]);
    let guild = guild["guild"].as_str().expect("a Guild");
    let server = shell.json(&["admin", "create-server", "--guild", guild, "--name", "EU Main"]);
    let link = shell.json(&[
        "admin",
        "create-link",
        "--guild",
        guild,
        "--discord",
        PLAYER,
        "--steam",
        STEAM,
        "--country",
        "DE",
        "--discord-name",
        "ada.l",
        "--steam-name",
        "Ada",
    ]);
    assert_eq!(link["relinked"], 0);
    let key = server["key"].as_str().expect("a key").to_owned();
    (server, key)
}

async fn answers(node: &Node, key: &str) {
    let with_key = [("x-api-key", key)];
    let count = node.request("GET", "/api?action=count", &with_key, "").await;
    assert_eq!(count, (200, r#"{"Total":1}"#.to_owned()));
    let found = node
        .request(
            "GET",
            &format!("/api?action=findBySteam&id={STEAM}"),
            &with_key,
            "",
        )
        .await;
    assert_eq!(found, (200, format!("\"{PLAYER}\"")));
}

both_databases! {
    async fn a_newcomer_gets_a_working_key_from_a_running_service(engine) {
        let (db, shell) = empty(engine).await;
        let node = Node::start(BINARY, shell.data(), shell.database()).await;
        let (server, key) = set_up(&shell);
        answers(&node, &key).await;
        let id = server["server"].as_str().expect("a Server");
        let renewed = shell.json(&["admin", "regenerate-key", "--server", id]);
        let (status, _) = node.request("GET", "/api?action=count", &[("x-api-key", &key)], "").await;
        assert_eq!(status, 401, "the old key stops at once");
        answers(&node, renewed["key"].as_str().expect("a key")).await;
        assert!(node.stop().await);
        db.finish().await;
    }

    async fn a_newcomer_gets_a_working_key_while_the_service_is_stopped(engine) {
        let (db, shell) = installed(engine).await;
        let (server, key) = set_up(&shell);
        let id = server["server"].as_str().expect("a Server");
        assert_eq!(shell.json(&["admin", "print-key", "--server", id])["key"], key.as_str());
        let node = Node::start(BINARY, shell.data(), shell.database()).await;
        answers(&node, &key).await;
        assert!(node.stop().await);
        db.finish().await;
    }

    async fn every_admin_command_prints_json_and_lines(engine) {
        let (db, shell) = empty(engine).await;
        let node = Node::start(BINARY, shell.data(), shell.database()).await;
        let (server, _) = set_up(&shell);
        let id = server["server"].as_str().expect("a Server");
        let orgs = shell.json(&["admin", "list-orgs"]);
        let listed = &orgs["items"][0];
        let org = listed["id"].as_str().expect("an ID");
        assert_eq!((&orgs["more"], &orgs["next"], orgs["items"].as_array().map(Vec::len)), (&json!(0), &json!(null), Some(1)));
        assert_eq!((&listed["name"], &listed["tier"], &listed["links"]), (&json!("My Community"), &json!("free"), &json!(1)));
        assert_eq!(listed["limits"], json!({ "guilds": 1, "servers": 2, "links": 500 }));
        let told = shell.run(&["admin", "list-orgs"]);
        assert_eq!(told.out.trim(), format!("{org}  My Community (free), 1/1 Guilds, 1/2 Servers, 1/500 links"));
        assert_eq!(shell.json(&["admin", "set-tier", "--org", org, "--tier", "pro"])["tier"], "pro");
        assert_eq!(shell.json(&["admin", "deactivate-server", "--server", id])["active"], false);
        assert_eq!(shell.json(&["admin", "activate-server", "--server", id])["active"], true);
        let bot = shell.json(&["admin", "issue-bot-key", "--server", id]);
        let with_key = [("x-api-key", bot["key"].as_str().expect("a key"))];
        for (action, name) in [("getSteam", r#""Ada""#), ("getDiscord", r#""ada.l""#)] {
            let uri = format!("/api?action={action}&id={PLAYER}");
            assert_eq!(node.request("GET", &uri, &with_key, "").await, (200, name.to_owned()), "a link is stored with its names");
        }
        let told = shell.run(&["admin", "activate-server", "--server", id]);
        assert_eq!(told.out, format!("server  {id}\nactive  yes\n"), "people read what they always read");
        assert_eq!(shell.json(&["admin", "maintenance", "on"]), json!({ "maintenance": true }));
        assert_eq!(shell.run(&["admin", "maintenance", "off"]).out, "maintenance  off\n");
        assert_eq!(shell.json(&["admin", "revoke-key", "--server", id])["revoked"], id);
        assert!(shell.json(&["admin", "grant", "--discord", OWNER])["operator"].is_string());
        let session = shell.json(&["admin", "session", "--discord", OWNER]);
        let cookie = format!("symbolon={}", session["session"].as_str().expect("a session"));
        let uri = format!("/orgs/{org}/servers");
        let (status, body) = node.request("GET", &uri, &[("cookie", &cookie)], "").await;
        assert_eq!(status, 200, "{body}");
        assert!(body.contains(id), "{body}");
        assert!(node.stop().await);
        db.finish().await;
    }
}
