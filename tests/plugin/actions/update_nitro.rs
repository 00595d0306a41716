//! `updateNitro`.

use domain::action::Action;
use testkit::{both_databases, discord, steam};

use crate::plugin::actions::cases::{Case, assert_cases};
use crate::plugin::actions::{Stage, assert_answer};

const CASES: [Case; 6] = [
    Case::Get("200 boosts", "id={D1}&status=1"),
    Case::Get("200 does not", "id={D1}&status=0"),
    Case::Get("400 without an id", ""),
    Case::Get("400 with a Steam id", "id={S1}&status=1"),
    Case::Get("400 without a status", "id={D1}"),
    Case::Get("400 with another status", "id={D1}&status=2"),
];

both_databases! {
    async fn each_status_is_as_stored(engine) {
        assert_cases(engine, Action::UpdateNitro, "id={D1}&status=1", &CASES).await;
    }

    async fn boosters_are_marked_listed_checked_and_unmarked(engine) {
        let stage = Stage::set(engine).await;
        assert_answer(&stage.get("listNitro").await, 404, r#"{"Result":0}"#);
        let on = stage.get(&format!("updateNitro&id={}&status=1", discord(1))).await;
        assert_answer(&on, 200, "\"Nitro updated\"");
        stage.get(&format!("updateNitro&id={}&status=1", discord(1))).await;
        let bulk = stage.post("updateNitroBulk", &format!(r#"{{"discord_ids":["{}","{}"]}}"#, discord(2), discord(9))).await;
        assert_answer(&bulk, 200, r#"{"updated":2,"errors":0}"#);
        let entries: Vec<_> = [1, 2].map(|number| serde_json::json!({ "discord_id": discord(number).to_string() })).to_vec();
        assert_eq!(stage.get("listNitro").await.json(), serde_json::json!({ "Result": entries }));
        let checks = stage.get(&format!("nitroChecks&id={},{},{}", steam(1), steam(3), steam(9))).await;
        assert_answer(&checks, 200, &format!(r#"{{"{}":true,"{}":false,"{}":false}}"#, steam(1), steam(3), steam(9)));
        stage.get(&format!("updateNitro&id={}&status=0", discord(1))).await;
        let after = stage.get(&format!("nitroChecks&id={}", steam(1))).await;
        assert_answer(&after, 200, &format!(r#"{{"{}":false}}"#, steam(1)));
        stage.test.finish().await;
    }
}
