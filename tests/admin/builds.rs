//! Builds of the plugin, as operators publish and withdraw them.

use axum::body::Body;
use domain::plugin_build::MOST_BYTES;
use http::Method;
use serde_json::json;
use testkit::{Client, Reply, TestApp, both_databases};

use super::{operator, own_log};
use crate::support::{refusal, refused};

async fn publish(me: &Client, version: &str, name: &str, bytes: impl Into<Body>) -> Reply {
    let uri = format!("/admin/plugin-builds?version={version}&file_name={name}");
    me.clone()
        .sending_file()
        .send(Method::POST, &uri, bytes.into())
        .await
}

/// The kinds of entries in the operators' own log.
async fn deeds(test: &TestApp) -> Vec<String> {
    let lines = own_log(test).await.into_iter();
    lines
        .map(|line| line.split(' ').next().unwrap_or_default().to_owned())
        .collect()
}

both_databases! {
    async fn a_build_that_is_published_here_is_what_game_servers_get(engine) {
        let test = TestApp::start(engine).await;
        let (_, me) = operator(&test, 21).await;
        let made = publish(&me, "v1.2.3", "Symbolon.cs", "class Symbolon").await;
        assert_eq!((made.status.as_u16(), made.json()), (201, json!({ "version": "v1.2.3", "new": true })));
        assert_eq!(test.client().get("/download/plugin").await.text(), "class Symbolon");
        let row = me.get("/admin/plugin-builds").await.json()["builds"][0].clone();
        assert_eq!((&row["file_name"], &row["latest"]), (&json!("Symbolon.cs"), &json!(true)));
        let log = own_log(&test).await;
        let detail = json!({ "sha256": row["sha256"], "version": "v1.2.3" });
        assert_eq!(log, [format!("plugin.published - {detail}")]);
        test.finish().await;
    }

    async fn a_published_version_never_changes_and_what_changes_nothing_leaves_no_entry(engine) {
        let test = TestApp::start(engine).await;
        let (_, me) = operator(&test, 21).await;
        for is_new in [true, false] {
            let made = publish(&me, "v1.2.3", "Symbolon.cs", "one").await;
            assert_eq!((made.status.as_u16(), made.json()["new"].as_bool()), (201, Some(is_new)));
        }
        assert_eq!(refusal(&publish(&me, "v1.2.3", "Symbolon.cs", "two").await), refused(409, "CONFLICT"));
        for (version, name, bytes, parameter) in [
            ("1.2.4", "Symbolon.cs", "x", "version"),
            ("v1.2.4", "a%2Fb", "x", "file_name"),
            ("v1.2.4", "Symbolon.cs", "", "file"),
        ] {
            let reply = publish(&me, version, name, bytes).await;
            assert_eq!((reply.status.as_u16(), reply.json()["parameter"].as_str()), (400, Some(parameter)));
        }
        let large = publish(&me, "v1.2.4", "Symbolon.cs", vec![b'x'; MOST_BYTES + 1]).await;
        assert_eq!(refusal(&large), refused(413, "PAYLOAD_TOO_LARGE"));
        let as_json = me.post("/admin/plugin-builds?version=v1.2.4&file_name=Symbolon.cs", "{}").await;
        assert_eq!(refusal(&as_json), refused(415, "UNSUPPORTED_MEDIA_TYPE"), "no page of another site can send it");
        assert_eq!(test.client().get("/download/plugin/v1.2.3").await.text(), "one");
        assert_eq!(test.client().get("/download/plugin/v1.2.4").await.status, 404);
        assert_eq!(deeds(&test).await, ["plugin.published"]);
        test.finish().await;
    }

    async fn a_withdrawn_build_is_not_offered_until_it_is_offered_again(engine) {
        let test = TestApp::start(engine).await;
        let (_, me) = operator(&test, 21).await;
        assert_eq!(publish(&me, "v1.2.3", "Symbolon.cs", "class Symbolon").await.status, 201);
        let row = async || me.get("/admin/plugin-builds").await.json()["builds"][0].clone();
        assert_eq!((&row().await["withdrawn"], &row().await["latest"]), (&json!(false), &json!(true)));
        for _ in 0..2 {
            assert_eq!(me.post("/admin/plugin-builds/v1.2.3/withdraw", "").await.status, 204);
        }
        assert_eq!((&row().await["withdrawn"], &row().await["latest"]), (&json!(true), &json!(false)));
        assert_eq!(test.client().get("/download/plugin/manifest").await.status, 404);
        for _ in 0..2 {
            assert_eq!(me.post("/admin/plugin-builds/v1.2.3/restore", "").await.status, 204);
        }
        assert_eq!(test.client().get("/download/plugin/manifest").await.status, 200);
        assert_eq!(me.post("/admin/plugin-builds/v9.9.9/withdraw", "").await.status, 404);
        assert_eq!(deeds(&test).await, ["plugin.published", "plugin.withdrawn", "plugin.restored"]);
        test.finish().await;
    }
}
