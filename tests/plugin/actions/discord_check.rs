//! `discordCheck`.

use domain::action::Action;
use testkit::both_databases;

use crate::plugin::actions::cases::{Case, assert_cases};

const CASES: [Case; 4] = [
    Case::Get("200 linked", "id={D1}"),
    Case::Get("404 not linked", "id={D9}"),
    Case::Get("400 without an id", ""),
    Case::Get("400 with a Steam id", "id={S1}"),
];

both_databases! {
    async fn each_status_is_as_stored(engine) {
        assert_cases(engine, Action::DiscordCheck, "id={D1}", &CASES).await;
    }
}
