//! `remove`.

use domain::action::Action;
use testkit::both_databases;

use crate::plugin::actions::cases::{Case, assert_cases};

const CASES: [Case; 5] = [
    Case::Get("200 a Discord id", "id={D1}"),
    Case::Get("200 a Steam id", "id={S2}"),
    Case::Get("200 not linked", "id={S9}"),
    Case::Get("400 without an id", ""),
    Case::Get("400 with an id that is none", "id=1"),
];

both_databases! {
    async fn each_status_is_as_stored(engine) {
        assert_cases(engine, Action::Remove, "id={S1}", &CASES).await;
    }
}
