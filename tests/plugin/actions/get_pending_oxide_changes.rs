//! `getPendingOxideChanges`.

use domain::action::Action;
use testkit::both_databases;

use crate::plugin::actions::cases::{Case, assert_cases};

const CASES: [Case; 5] = [
    Case::Get("200 nothing waits", "id={S1}"),
    Case::Before(
        "setOxideGroupFromDiscord",
        r#"{"discord_id":"{D1}","changes":[{"group":"vip","action":"add"}]}"#,
    ),
    Case::Get("200 a change waits", "id={S1}"),
    Case::Get("400 without an id", ""),
    Case::Get("400 with a Discord id", "id={D1}"),
];

both_databases! {
    async fn each_status_is_as_stored(engine) {
        assert_cases(engine, Action::GetPendingOxideChanges, "id={S1}", &CASES).await;
    }
}
