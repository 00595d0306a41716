//! `getServerConfig`.

use domain::action::{Action, ActionSet};
use domain::plan::Tier;
use serde_json::json;
use testkit::{TestApp, both_databases};

use crate::plugin::actions::cases::{Case, assert_cases};
use crate::plugin::actions::{Stage, assert_answer, assert_refused};

const CASES: [Case; 1] = [Case::Get("200 the Server", "")];

both_databases! {
    async fn each_status_is_as_stored(engine) {
        assert_cases(engine, Action::GetServerConfig, "", &CASES).await;
    }

    async fn a_server_is_told_about_itself(engine) {
        let stage = Stage::set(engine).await;
        let plain = r#"{"link_url":"http://127.0.0.1:8080/link/guild-1","groups":{"linked":"linked","booster":"booster","steam_group":"steamgroup"},"group_roles":{},"steam_group":null,"poll_seconds":60}"#;
        assert_answer(&stage.get("getServerConfig").await, 200, plain);
        stage.set_steam_group(Some("4")).await.unwrap();
        stage.test.db.damage("UPDATE servers SET linked_group = 'verified', poll_seconds = 120").await;
        let config = stage.get("getServerConfig").await.json();
        let group = json!({ "id": "4", "long_id": "103582791429521412", "url": "https://steamcommunity.com/gid/103582791429521412" });
        assert_eq!(config["steam_group"], group);
        assert_eq!((&config["groups"]["linked"], &config["poll_seconds"]), (&json!("verified"), &json!(120)));
        stage.test.finish().await;
    }

    async fn a_key_of_a_whole_guild_names_the_server(engine) {
        let test = TestApp::start(engine).await;
        let (ours, theirs) = (test.tenant(1, Tier::Pro).await, test.tenant(2, Tier::Pro).await);
        let (_, key) = test.custom_key(&ours, ActionSet::ALL, false).await;
        let caller = test.plugin(&key);
        assert_refused(&caller.get("/api?action=getServerConfig").await, 400, "INVALID_PARAMETER");
        let named = caller.get(&format!("/api?action=getServerConfig&server_id={}", ours.server)).await;
        assert_eq!(named.json()["link_url"], "http://127.0.0.1:8080/link/guild-1");
        let foreign = caller.get(&format!("/api?action=getServerConfig&server_id={}", theirs.server)).await;
        assert_refused(&foreign, 403, "SCOPE_MISMATCH");
        test.finish().await;
    }
}
