//! `confirmRoleSync`.

use domain::action::Action;
use testkit::both_databases;

use crate::plugin::actions::cases::{Case, assert_cases};

const CASES: [Case; 4] = [
    Case::Get("200 confirmed", "id={D1}&synced=%5B%22vip%22%5D"),
    Case::Get("400 without an id", ""),
    Case::Get("400 with a Steam id", "id={S1}"),
    Case::Get("400 with a list that is none", "id={D1}&synced=%5B1%5D"),
];

both_databases! {
    async fn each_status_is_as_stored(engine) {
        assert_cases(engine, Action::ConfirmRoleSync, "id={D1}&synced=%5B%5D", &CASES).await;
    }
}
