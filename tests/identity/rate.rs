//! How fast one account may call the dashboard.

use domain::permission::Permission;
use domain::plan::Tier;
use testkit::{TestApp, both_databases};

use crate::support::servers_of;

both_databases! {
    async fn an_account_has_a_burst_of_100_and_then_20_calls_a_second(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let owner = test.person(&test.session(&tenant.owner).await);
        let again = test.person(&test.session(&tenant.owner).await);
        let other = test.person(&test.member(&tenant, 5, &[Permission::ServersView]).await);
        let list = servers_of(&tenant);
        for turn in 0..100 {
            let person = if turn % 2 == 0 { &owner } else { &again };
            assert_eq!(person.get(&list).await.status, 200, "call {turn}");
        }
        for person in [&owner, &again] {
            let refused = person.get(&list).await;
            assert_eq!(
                (refused.status.as_u16(), refused.code().as_str()),
                (429, "RATE_LIMITED")
            );
            assert_eq!(refused.header("retry-after"), Some("1"));
        }
        assert_eq!(other.get(&list).await.status, 200);
        assert_eq!(
            test.plugin(&tenant.key).get("/api?action=count").await.status,
            200
        );
        for _ in 0..3 {
            test.clock.advance_ms(50);
            assert_eq!(owner.get(&list).await.status, 200);
            assert_eq!(owner.get(&list).await.status, 429);
        }
        test.clock.advance_ms(1_000);
        let mut allowed = 0;
        while owner.get(&list).await.status == 200 {
            allowed += 1;
        }
        assert_eq!(allowed, 20);
        test.finish().await;
    }

    async fn a_limited_account_changes_nothing(engine) {
        let test = TestApp::start_with(engine, |limits| limits.dashboard.burst = 1, |_| {}).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let owner = test.person(&test.session(&tenant.owner).await);
        assert_eq!(owner.get(&servers_of(&tenant)).await.status, 200);
        let revoke = format!("{}/{}/key/revoke", servers_of(&tenant), tenant.server);
        assert_eq!(owner.post(&revoke, "").await.status, 429);
        assert_eq!(
            test.plugin(&tenant.key).get("/api?action=count").await.status,
            200
        );
        test.finish().await;
    }
}
