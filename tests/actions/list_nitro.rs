//! `listNitro`.

use domain::action::Action;
use testkit::both_databases;

use super::cases::{Case, assert_cases};

const CASES: [Case; 3] = [
    Case::Get("404 nobody boosts", ""),
    Case::Before("updateNitro&id={D1}&status=1", ""),
    Case::Get("200 boosters", ""),
];

both_databases! {
    async fn each_status_is_as_stored(engine) {
        assert_cases(engine, Action::ListNitro, "", &CASES).await;
    }
}
