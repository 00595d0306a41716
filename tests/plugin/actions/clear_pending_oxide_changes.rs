//! `clearPendingOxideChanges`.

use domain::action::Action;
use testkit::both_databases;

use crate::plugin::actions::cases::{Case, assert_cases};

const CASES: [Case; 5] = [
    Case::Before(
        "setOxideGroupFromDiscord",
        r#"{"discord_id":"{D1}","changes":[{"group":"vip","action":"add"}]}"#,
    ),
    Case::Get("200 cleared", "id={S1}"),
    Case::Get("200 nothing waited", "id={S1}"),
    Case::Get("400 without an id", ""),
    Case::Get("400 with a Discord id", "id={D1}"),
];

both_databases! {
    async fn each_status_is_as_stored(engine) {
        assert_cases(engine, Action::ClearPendingOxideChanges, "id={S1}", &CASES).await;
    }
}
