//! `getPlayer`.

use domain::action::Action;
use testkit::{both_databases, discord, steam};

use super::cases::{Case, assert_cases};
use super::{Stage, assert_refused};

const CASES: [Case; 5] = [
    Case::Get("200 by the Steam id", "id={S1}"),
    Case::Get("200 by the Discord id", "id={D1}"),
    Case::Get("200 not linked", "id={S9}"),
    Case::Get("400 without an id", ""),
    Case::Get("400 with an id that is none", "id=x"),
];

both_databases! {
    async fn each_status_is_as_stored(engine) {
        assert_cases(engine, Action::GetPlayer, "id={S1}", &CASES).await;
    }

    async fn a_player_is_described_by_either_id(engine) {
        let stage = Stage::set(engine).await;
        stage.get(&format!("updateSteam&id={}&name=Ada", steam(1))).await;
        stage.get(&format!("updateOxideGroups&id={}&groups=vip", steam(1))).await;
        for id in [steam(1).to_string(), discord(1).to_string()] {
            let player = stage.get(&format!("getPlayer&id={id}")).await.json();
            assert_eq!(player["linked"], true);
            assert_eq!((&player["discord_id"], &player["steam_id"]), (&discord(1).to_string().into(), &steam(1).to_string().into()));
            assert_eq!((&player["steam_name"], &player["groups"]), (&"Ada".into(), &serde_json::json!(["vip"])));
        }
        assert_refused(&stage.get("getPlayer&id=x").await, 400, "INVALID_PARAMETER");
        stage.test.finish().await;
    }
}
