//! `getSteamBulk`.

use domain::action::Action;
use testkit::both_databases;

use crate::plugin::actions::cases::{Case, assert_cases};

const CASES: [Case; 8] = [
    Case::Before("updateSteam&id={S1}&name=Ada", ""),
    Case::Get("200 known names", "id={D1},{D2},{D9}"),
    Case::Post("200 from a body", "", r#"{"discord_ids":["{D1}"]}"#),
    Case::Get("200 nobody asked for", "id="),
    Case::Get("200 with entries that are no ids", "id=x,{D1},{S1}"),
    Case::Get("400 without an id", ""),
    Case::Post("400 with a body that is no JSON", "", "{"),
    Case::Get("400 with too many ids", "id={MANY_D}"),
];

both_databases! {
    async fn each_status_is_as_stored(engine) {
        assert_cases(engine, Action::GetSteamBulk, "id={D1}", &CASES).await;
    }
}
