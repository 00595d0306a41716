//! `setOxideGroupFromDiscord`.

use domain::action::Action;
use serde_json::{Value, json};
use testkit::{both_databases, discord, steam};

use crate::plugin::actions::cases::{Case, assert_cases};
use crate::plugin::actions::{Stage, assert_answer, assert_refused};

const CASES: [Case; 6] = [
    Case::Post(
        "200 saved",
        "",
        r#"{"discord_id":"{D1}","changes":[{"group":"vip","action":"add"}]}"#,
    ),
    Case::Post(
        "200 not linked",
        "",
        r#"{"discord_id":"{D9}","changes":[{"group":"vip","action":"add"}]}"#,
    ),
    Case::Get("400 without a body", ""),
    Case::Post("400 with a body that is no JSON", "", "{"),
    Case::Post(
        "400 with a Steam id",
        "",
        r#"{"discord_id":"{S1}","changes":[{"group":"vip","action":"add"}]}"#,
    ),
    Case::Post(
        "400 with an unknown change",
        "",
        r#"{"discord_id":"{D1}","changes":[{"group":"vip","action":"toggle"}]}"#,
    ),
];

fn changes(player: u64, changes: &Value) -> String {
    json!({ "discord_id": discord(player).to_string(), "changes": changes }).to_string()
}

both_databases! {
    async fn each_status_is_as_stored(engine) {
        assert_cases(engine, Action::SetOxideGroupFromDiscord, "", &CASES).await;
    }

    async fn changes_are_merged_fetched_and_cleared(engine) {
        let stage = Stage::set(engine).await;
        let saved = stage.post("setOxideGroupFromDiscord", &changes(1, &json!([{ "group": "vip", "action": "add" }]))).await;
        assert_answer(&saved, 200, "\"Pending Oxide changes saved\"");
        let more = json!([{ "group": "vip", "action": "remove" }, { "group": "staff", "action": "add" }]);
        stage.post("setOxideGroupFromDiscord", &changes(1, &more)).await;
        let fetched = stage.get(&format!("getPendingOxideChanges&id={}", steam(1))).await.json();
        assert_eq!(fetched, json!([{ "group": "staff", "action": "add" }, { "group": "vip", "action": "remove" }]));
        let bulk = stage.get(&format!("getPendingOxideChangesBulk&id={},{}", steam(1), steam(2))).await.json();
        assert_eq!(bulk, json!({ steam(1).to_string(): fetched }));
        assert_answer(&stage.get(&format!("clearPendingOxideChanges&id={}", steam(1))).await, 200, "\"Pending changes cleared\"");
        assert_answer(&stage.get(&format!("getPendingOxideChanges&id={}", steam(1))).await, 200, "[]");
        stage.post("setOxideGroupFromDiscord", &changes(2, &more)).await;
        let cleared = stage.get(&format!("clearPendingOxideChangesBulk&id={},{}", steam(1), steam(2))).await;
        assert_answer(&cleared, 200, "\"Bulk pending changes cleared\"");
        assert_answer(&stage.get(&format!("getPendingOxideChangesBulk&id={}", steam(2))).await, 200, "{}");
        stage.test.finish().await;
    }

    async fn nonsense_is_refused_strangers_are_ignored_and_lists_are_bounded(engine) {
        let stage = Stage::set(engine).await;
        for list in [json!("x"), json!([{ "group": "a", "action": "toggle" }]), json!([{ "group": "", "action": "add" }]), json!([1])] {
            assert_refused(&stage.post("setOxideGroupFromDiscord", &changes(1, &list)).await, 400, "INVALID_PARAMETER");
        }
        let one = json!([{ "group": "vip", "action": "add" }]);
        assert_eq!(stage.post("setOxideGroupFromDiscord", &changes(9, &one)).await.status, 200);
        let groups = |from: usize, to: usize| -> Value {
            (from..to).map(|number| json!({ "group": format!("g{number}"), "action": "add" })).collect()
        };
        assert_eq!(stage.post("setOxideGroupFromDiscord", &changes(1, &groups(0, 64))).await.status, 200);
        assert_refused(&stage.post("setOxideGroupFromDiscord", &changes(1, &groups(64, 128))).await, 400, "INVALID_PARAMETER");
        let kept = stage.get(&format!("getPendingOxideChanges&id={}", steam(1))).await.json();
        assert_eq!(kept.as_array().unwrap().len(), 64);
        stage.test.finish().await;
    }
}
