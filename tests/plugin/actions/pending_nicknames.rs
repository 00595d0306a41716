//! `pendingNicknames`.

use domain::action::Action;
use testkit::both_databases;

use crate::plugin::actions::cases::{Case, assert_cases};

const CASES: [Case; 3] = [
    Case::Get("200 nothing waits", ""),
    Case::Before("updateSteam&id={S1}&name=Ada", ""),
    Case::Get("200 a nickname waits", ""),
];

both_databases! {
    async fn each_status_is_as_stored(engine) {
        assert_cases(engine, Action::PendingNicknames, "", &CASES).await;
    }
}
