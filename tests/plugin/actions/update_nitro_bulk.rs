//! `updateNitroBulk`.

use domain::action::Action;
use testkit::{both_databases, discord};

use crate::plugin::actions::cases::{Case, assert_cases};
use crate::plugin::actions::{Stage, assert_answer, assert_refused};

const CASES: [Case; 7] = [
    Case::Post("200 boosters", "", r#"{"discord_ids":["{D1}","{D9}"]}"#),
    Case::Post(
        "200 with entries that are no ids",
        "",
        r#"{"discord_ids":["{D1}","x","{S1}"]}"#,
    ),
    Case::Post("400 with a body that is no object", "", "[]"),
    Case::Get("400 without a body", ""),
    Case::Post("400 with a body that is no JSON", "", "{"),
    Case::Post(
        "400 with something else than a list",
        "",
        r#"{"discord_ids":"{D1}"}"#,
    ),
    Case::Post("400 with too many ids", "", r#"{"discord_ids":[{MANY_DQ}]}"#),
];

both_databases! {
    async fn each_status_is_as_stored(engine) {
        assert_cases(engine, Action::UpdateNitroBulk, "", &CASES).await;
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
