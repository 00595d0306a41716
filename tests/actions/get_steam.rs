//! `getSteam`.

use domain::action::Action;
use testkit::both_databases;

use super::cases::{Case, assert_cases};

const CASES: [Case; 6] = [
    Case::Get("200 no name known", "id={D1}"),
    Case::Before("updateSteam&id={S1}&name=Ada", ""),
    Case::Get("200 a name", "id={D1}"),
    Case::Get("200 not linked", "id={D9}"),
    Case::Get("400 without an id", ""),
    Case::Get("400 with a Steam id", "id={S1}"),
];

both_databases! {
    async fn each_status_is_as_stored(engine) {
        assert_cases(engine, Action::GetSteam, "id={D1}", &CASES).await;
    }
}
