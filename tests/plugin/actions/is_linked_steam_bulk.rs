//! `isLinkedSteamBulk`.

use domain::action::Action;
use testkit::both_databases;

use crate::plugin::actions::cases::{Case, assert_cases};

const CASES: [Case; 8] = [
    Case::Get("200 linked and not", "id={S9},%20{S2}%20,,{S1},{S9}"),
    Case::Post("200 from a body", "", r#"{"ids":["{S1}","{S9}"]}"#),
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
        assert_cases(engine, Action::IsLinkedSteamBulk, "id={S1}", &CASES).await;
    }
}
