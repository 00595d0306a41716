//! What a Plugin key may call.

use domain::action::ACTIONS;
use domain::plan::Tier;
use testkit::{TestApp, both_databases, steam};

use super::support::{assert_failure, links};

const ALLOWED: [&str; 12] = [
    "findBySteam",
    "steamChecks",
    "nitroChecks",
    "groupChecks",
    "count",
    "update",
    "updateSteam",
    "updateOxideGroups",
    "updateOxideGroupsBulk",
    "getPendingOxideChangesBulk",
    "remove",
    "clearPendingOxideChangesBulk",
];

both_databases! {
    async fn a_plugin_key_calls_its_twelve_actions_and_none_of_the_other_twenty(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let caller = test.plugin(&tenant.key);
        let mut denied = 0;
        for spec in ACTIONS {
            let reply = caller.get(&format!("/api?action={}&id={}", spec.name, steam(1))).await;
            if ALLOWED.contains(&spec.name) {
                assert_ne!(reply.status.as_u16(), 403, "{} {}", spec.name, reply.text());
                continue;
            } else {
                assert_failure(&reply, 403, "PERMISSION_DENIED");
                denied += 1;
            }
            assert_eq!(reply.json()["action"], spec.name);
        }
        assert_eq!(denied, 20);
        test.finish().await;
    }

    async fn names_outside_the_table_are_unknown_actions(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        tenant.link(&test.app, 1).await;
        for name in ["getBotGuildMapping", "Remove", "REMOVE", "remove%20", "%20remove", "remove,count", "x"] {
            let reply = test.plugin(&tenant.key).get(&format!("/api?action={name}&id={}", steam(1))).await;
            assert_failure(&reply, 400, "UNKNOWN_ACTION");
            assert_eq!(reply.json().get("action"), None);
        }
        let nameless = test.plugin(&tenant.key).get("/api?action=").await;
        assert_failure(&nameless, 400, "UNKNOWN_ACTION");
        for uri in ["/api", "/api?", "/api?id=1", "/api?Action=count"] {
            let reply = test.plugin(&tenant.key).get(uri).await;
            assert_failure(&reply, 400, "INVALID_PARAMETER");
            assert_eq!(reply.json()["parameter"], "action");
        }
        assert_eq!(links(&test, &tenant).await[0].ended_at_ms, None);
        test.finish().await;
    }
}
