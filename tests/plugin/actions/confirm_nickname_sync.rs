//! `confirmNicknameSync`.

use domain::action::Action;
use testkit::both_databases;

use crate::plugin::actions::cases::{Case, assert_cases};

const CASES: [Case; 4] = [
    Case::Get("200 confirmed", "id={D1}&nickname=Ada"),
    Case::Get("400 without an id", "nickname=Ada"),
    Case::Get("400 with a Steam id", "id={S1}&nickname=Ada"),
    Case::Get("400 without a nickname", "id={D1}"),
];

both_databases! {
    async fn each_status_is_as_stored(engine) {
        assert_cases(engine, Action::ConfirmNicknameSync, "id={D1}&nickname=Ada", &CASES).await;
    }
}
