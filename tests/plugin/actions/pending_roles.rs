//! `pendingRoles`.

use domain::action::Action;
use serde_json::json;
use testkit::{both_databases, steam};

use crate::plugin::actions::Stage;
use crate::plugin::actions::cases::{Case, assert_cases};

const CASES: [Case; 3] = [
    Case::Get("200 nothing waits", ""),
    Case::Before("updateOxideGroups&id={S1}&groups=vip", ""),
    Case::Get("200 roles wait", ""),
];

both_databases! {
    async fn each_status_is_as_stored(engine) {
        assert_cases(engine, Action::PendingRoles, "", &CASES).await;
    }

    async fn at_most_fifty_players_are_handed_out_at_once(engine) {
        let stage = Stage::set(engine).await;
        let mut players = serde_json::Map::new();
        for player in 100..160 {
            stage.tenant.link(&stage.test.app, player).await;
            players.insert(steam(player).to_string(), json!(["vip"]));
        }
        stage.post("updateOxideGroupsBulk", &json!({ "players": players }).to_string()).await;
        assert_eq!(stage.get("pendingRoles").await.json().as_array().unwrap().len(), 50);
        stage.test.finish().await;
    }
}
