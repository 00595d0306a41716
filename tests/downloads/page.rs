//! What the dashboard's page of the plugin shows, and what Servers are told of theirs.

use app::downloads::{builds, shelf};
use domain::plan::Tier;
use http::Method;
use serde_json::{Value, json};
use testkit::{Client, TestApp, both_databases};

use super::builds::{blobs, publish, version_of};
use crate::support::server_of;

/// The plugin of a Server calls, and what it said of itself is written down.
async fn call(test: &TestApp, key: &str, version: &str, stamp: &str) {
    let plugin = test
        .plugin(key)
        .header("x-plugin-version", version)
        .header("x-config-stamp", stamp);
    assert_eq!(plugin.get("/api?action=count").await.status, 200);
    let app = &test.app;
    app.memories.plugins.flush(&app.db, 0).await.expect("a flush");
}

async fn told(owner: &Client, server: &str) -> (Value, Value) {
    let mut server = owner.get(server).await.json();
    (server["plugin_update"].take(), server["config_is_old"].take())
}

both_databases! {
    async fn builds_that_are_offered_are_listed_the_latest_first(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let owner = test.person(&test.session(&tenant.owner).await);
        let page = format!("/orgs/{}/plugin", tenant.org);
        assert_eq!(owner.get(&page).await.json(), json!({ "builds": [] }));
        publish(&test, &[("v1.9.0", b"nine"), ("v1.10.0", b"ten"), ("v1.2.0", b"two")]).await;
        builds::withdraw(blobs(&test), version_of("v1.9.0")).await.expect("a withdrawal");
        shelf::refresh(&test.app).await.expect("a list");
        let listed = owner.get(&page).await.json();
        let versions: Vec<&str> =
            listed["builds"].as_array().expect("a list").iter().filter_map(|build| build["version"].as_str()).collect();
        assert_eq!(versions, ["v1.10.0", "v1.2.0"]);
        let latest = &listed["builds"][0];
        assert_eq!((&latest["size"], &latest["published_at_ms"]), (&json!(3), &json!(1_700_000_000_000_i64)));
        let path = latest["path"].as_str().expect("a path");
        assert_eq!(test.client().get(path).await.text(), "ten");
        let manifest = test.client().get("/download/plugin/manifest").await.json();
        assert_eq!(manifest["sha256"], latest["sha256"]);
        test.finish().await;
    }

    async fn the_file_of_a_server_holds_its_settings_and_no_key(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Standard).await;
        let owner = test.person(&test.session(&tenant.owner).await);
        let server = server_of(&tenant);
        let change = r#"{"linked_group":"members","poll_seconds":30}"#;
        assert_eq!(owner.send(Method::PATCH, &server, change.to_owned().into()).await.status, 204);
        let reply = owner.get(&format!("{server}/plugin-file")).await;
        let file = reply.json();
        let root = test.app.public_url.to_string();
        let content = json!({
            "Service address": root,
            "Server key": "",
            "Link page": format!("{root}/link/guild-1"),
            "Group for linked players": "members",
            "Group for Discord boosters": "booster",
            "Group for members of the Steam group": "steamgroup",
            "Seconds between checks": 30,
            "Players per request": 500,
            "Settings stamp": file["content"]["Settings stamp"],
        });
        assert_eq!(file, json!({ "file_name": "Symbolon.json", "content": content }));
        assert!(!reply.text().contains(&tenant.key));
        // The plugin reads these names.
        let plugin = include_str!("../../plugin/Symbolon.cs");
        for name in content.as_object().expect("a file").keys() {
            assert!(plugin.contains(&format!("[JsonProperty(\"{name}\")]")), "{name}");
        }
        test.finish().await;
    }

    async fn a_server_is_told_when_its_plugin_or_its_file_is_out_of_date(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        let owner = test.person(&test.session(&tenant.owner).await);
        let server = server_of(&tenant);
        let stamp = async || {
            let file = owner.get(&format!("{server}/plugin-file")).await.json();
            file["content"]["Settings stamp"].as_str().expect("a stamp").to_owned()
        };
        let fine = (Value::Null, json!(false));
        assert_eq!(told(&owner, &server).await, fine, "nobody has called");
        publish(&test, &[("v1.0.0", b"one"), ("v1.1.0", b"two")]).await;
        call(&test, &tenant.key, "1.1.0", &stamp().await).await;
        assert_eq!(told(&owner, &server).await, fine);
        call(&test, &tenant.key, "1.0.0", &stamp().await).await;
        assert_eq!(told(&owner, &server).await, (json!("v1.1.0"), json!(false)));
        // One that was withdrawn is to be replaced, also where that is a step back.
        builds::withdraw(blobs(&test), version_of("v1.1.0")).await.expect("a withdrawal");
        shelf::refresh(&test.app).await.expect("a list");
        call(&test, &tenant.key, "1.1.0", &stamp().await).await;
        assert_eq!(told(&owner, &server).await, (json!("v1.0.0"), json!(false)));
        // A file that was written by hand is nobody's business; the build is.
        call(&test, &tenant.key, "0.9.0", "none").await;
        assert_eq!(told(&owner, &server).await, (json!("v1.0.0"), json!(false)));
        // Of a plugin that is none of ours nothing is known.
        for version in ["0.9.0", "0.1-custom"] {
            call(&test, &tenant.key, version, "").await;
            assert_eq!(told(&owner, &server).await, fine);
        }
        // A save makes the file old, and saving the old settings makes it fit again. The name is none of them.
        call(&test, &tenant.key, "1.0.0", &stamp().await).await;
        for (change, is_old) in [
            (r#"{"name":"Other"}"#, false), (r#"{"poll_seconds":30}"#, true), (r#"{"poll_seconds":60}"#, false),
        ] {
            assert_eq!(owner.send(Method::PATCH, &server, change.to_owned().into()).await.status, 204);
            assert_eq!(told(&owner, &server).await, (Value::Null, json!(is_old)), "{change}");
        }
        let guild = format!("/orgs/{}/guilds/{}", tenant.org, tenant.guild);
        let moved = r#"{"slug":"elsewhere"}"#.to_owned();
        assert_eq!(owner.send(Method::PATCH, &guild, moved.into()).await.status, 204);
        assert_eq!(told(&owner, &server).await, (Value::Null, json!(true)), "the link page is elsewhere");
        test.finish().await;
    }
}
