//! `nitroChecks`.

use domain::action::Action;
use testkit::{both_databases, discord, steam};

use crate::plugin::actions::cases::{Case, assert_cases};
use crate::plugin::actions::{Stage, assert_answer};

const CASES: [Case; 8] = [
    Case::Before("updateNitro&id={D1}&status=1", ""),
    Case::Get("200 boosters and others", "id={S1},{S3},{S9}"),
    Case::Get("200 nobody asked for", "id="),
    Case::Get("200 with entries that are no ids", "id=x,{S1},{D1}"),
    Case::Get("400 without an id", ""),
    Case::Post(
        "400 with numbers instead of texts",
        "",
        r#"{"ids":[76561197960265729]}"#,
    ),
    Case::Post("400 with a body that is no JSON", "", "{"),
    Case::Get("400 with too many ids", "id={MANY_S}"),
];

both_databases! {
    async fn each_status_is_as_stored(engine) {
        assert_cases(engine, Action::NitroChecks, "id={S1}", &CASES).await;
    }

    async fn who_boosts_before_linking_is_a_booster_when_linked(engine) {
        let stage = Stage::set(engine).await;
        stage.get(&format!("updateNitro&id={}&status=1", discord(8))).await;
        stage.tenant.link(&stage.test.app, 8).await;
        let checks = stage.get(&format!("nitroChecks&id={}", steam(8))).await;
        assert_answer(&checks, 200, &format!(r#"{{"{}":true}}"#, steam(8)));
        stage.test.finish().await;
    }
}
