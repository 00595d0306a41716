//! `findBySteam`.

use domain::action::Action;
use testkit::both_databases;

use crate::plugin::actions::cases::{Case, assert_cases};

const CASES: [Case; 4] = [
    Case::Get("200 linked", "id={S1}"),
    Case::Get("404 not linked", "id={S9}"),
    Case::Get("400 without an id", ""),
    Case::Get("400 with a Discord id", "id={D1}"),
];

both_databases! {
    async fn each_status_is_as_stored(engine) {
        assert_cases(engine, Action::FindBySteam, "id={S1}", &CASES).await;
    }
}
