//! `updateOxideGroups`.

use domain::action::Action;
use serde_json::json;
use testkit::{both_databases, discord, steam};

use crate::plugin::actions::cases::{Case, assert_cases};
use crate::plugin::actions::{Stage, assert_answer};

const CASES: [Case; 6] = [
    Case::Get("200 groups", "id={S1}&groups=vip,admin"),
    Case::Get("200 no groups", "id={S1}&groups="),
    Case::Get("200 not linked", "id={S9}&groups=vip"),
    Case::Get("400 without an id", "groups=vip"),
    Case::Get("400 with a Discord id", "id={D1}&groups=vip"),
    Case::Get("400 with a list that is none", "id={S1}&groups=%5B1%5D"),
];

both_databases! {
    async fn each_status_is_as_stored(engine) {
        assert_cases(engine, Action::UpdateOxideGroups, "id={S1}&groups=vip", &CASES).await;
    }

    async fn reported_groups_wait_until_their_roles_are_confirmed(engine) {
        let stage = Stage::set(engine).await;
        let report = stage.get(&format!("updateOxideGroups&id={}&groups=vip,%20admin", steam(1))).await;
        assert_answer(&report, 200, "\"Oxide groups updated\"");
        let waiting = json!([{
            "discord_id": discord(1).to_string(), "steam_id": steam(1).to_string(),
            "oxide_groups": ["admin", "vip"], "discord_roles_synced": null
        }]);
        assert_eq!(stage.get("pendingRoles").await.json(), waiting);
        for _ in 0..2 {
            let confirmed = stage.get(&format!("confirmRoleSync&id={}&synced=%5B%22vip%22%5D", discord(1))).await;
            assert_answer(&confirmed, 200, "\"Role sync confirmed\"");
        }
        assert_answer(&stage.get("pendingRoles").await, 200, "[]");
        // The same groups again, in another order, change nothing; another one waits with what was confirmed.
        stage.get(&format!("updateOxideGroups&id={}&groups=%5B%22admin%22,%22vip%22%5D", steam(1))).await;
        assert_answer(&stage.get("pendingRoles").await, 200, "[]");
        stage.get(&format!("updateOxideGroups&id={}&groups=", steam(1))).await;
        let pending = stage.get("pendingRoles").await.json();
        assert_eq!((&pending[0]["oxide_groups"], &pending[0]["discord_roles_synced"]), (&json!([]), &json!(["vip"])));
        stage.test.finish().await;
    }
}
