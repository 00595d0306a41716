//! `count`.

use domain::action::Action;
use testkit::both_databases;

use super::cases::{Case, assert_cases};

const CASES: [Case; 1] = [Case::Get("200 linked players", "")];

both_databases! {
    async fn each_status_is_as_stored(engine) {
        assert_cases(engine, Action::Count, "", &CASES).await;
    }
}
