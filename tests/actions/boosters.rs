//! Who boosts the Guild.

use testkit::{both_databases, discord, steam};

use super::{Stage, assert_answer, assert_refused};

both_databases! {
    async fn boosters_are_marked_listed_checked_and_unmarked(engine) {
        let stage = Stage::set(engine).await;
        assert_answer(&stage.get("listNitro").await, 404, r#"{"Result":0}"#);
        let on = stage.get(&format!("updateNitro&id={}&status=1", discord(1))).await;
        assert_answer(&on, 200, "\"Nitro updated\"");
        stage.get(&format!("updateNitro&id={}&status=1", discord(1))).await;
        let bulk = stage.post("updateNitroBulk", &format!(r#"{{"discord_ids":["{}","{}"]}}"#, discord(2), discord(9))).await;
        assert_answer(&bulk, 200, r#"{"updated":2,"errors":0}"#);
        let entries: Vec<_> = [1, 2, 9].map(|number| serde_json::json!({ "discord_id": discord(number).to_string() })).to_vec();
        assert_eq!(stage.get("listNitro").await.json(), serde_json::json!({ "Result": entries }));
        let checks = stage.get(&format!("nitroChecks&id={},{},{}", steam(1), steam(3), steam(9))).await;
        assert_answer(&checks, 200, &format!(r#"{{"{}":true,"{}":false,"{}":false}}"#, steam(1), steam(3), steam(9)));
        stage.get(&format!("updateNitro&id={}&status=0", discord(1))).await;
        let after = stage.get(&format!("nitroChecks&id={}", steam(1))).await;
        assert_answer(&after, 200, &format!(r#"{{"{}":false}}"#, steam(1)));
        stage.test.finish().await;
    }

    async fn who_boosts_before_linking_is_a_booster_when_linked(engine) {
        let stage = Stage::set(engine).await;
        stage.get(&format!("updateNitro&id={}&status=1", discord(8))).await;
        stage.tenant.link(&stage.test.app, 8).await;
        let checks = stage.get(&format!("nitroChecks&id={}", steam(8))).await;
        assert_answer(&checks, 200, &format!(r#"{{"{}":true}}"#, steam(8)));
        stage.test.finish().await;
    }

    async fn a_status_is_zero_or_one_and_bulk_needs_a_body(engine) {
        let stage = Stage::set(engine).await;
        for query in [format!("updateNitro&id={}&status=2", discord(1)), format!("updateNitro&id={}", discord(1))] {
            assert_refused(&stage.get(&query).await, 400, "INVALID_PARAMETER");
        }
        assert_refused(&stage.get("updateNitroBulk").await, 400, "INVALID_PARAMETER");
        assert_answer(&stage.get("listNitro").await, 404, r#"{"Result":0}"#);
        stage.test.finish().await;
    }
}
