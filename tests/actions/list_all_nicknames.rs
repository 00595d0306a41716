//! `listAllNicknames`.

use domain::action::Action;
use testkit::{both_databases, discord, steam};

use super::Stage;
use super::cases::{Case, assert_cases};

const CASES: [Case; 3] = [
    Case::Get("200 no names", ""),
    Case::Before("updateSteam&id={S1}&name=Ada", ""),
    Case::Get("200 names", ""),
];

both_databases! {
    async fn each_status_is_as_stored(engine) {
        assert_cases(engine, Action::ListAllNicknames, "", &CASES).await;
    }

    async fn names_are_listed_without_invisible_characters(engine) {
        let stage = Stage::set(engine).await;
        stage.get(&format!("updateSteam&id={}&name=A%E2%80%8Bda", steam(1))).await;
        stage.get(&format!("updateSteam&id={}&name=Bo", steam(2))).await;
        let (one, two) = (discord(1).to_string(), discord(2).to_string());
        assert_eq!(stage.get("listAllNicknames").await.json(), serde_json::json!({ one.as_str(): "Ada", two.as_str(): "Bo" }));
        let bulk = stage.post("getSteamBulk", &format!(r#"{{"discord_ids":["{two}","{}"]}}"#, discord(9))).await;
        assert_eq!(bulk.json(), serde_json::json!({ two.as_str(): "Bo" }));
        assert_eq!(stage.get(&format!("getSteamBulk&id={two}")).await.json(), bulk.json());
        stage.test.finish().await;
    }
}
