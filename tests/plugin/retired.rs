//! Keys that were regenerated away and are tried again.

use domain::plan::Tier;
use testkit::{Tenant, TestApp, both_databases};

use super::support::{assert_failure, audited, limit, regenerate, server, stranger};

const HOUR_MS: i64 = 60 * 60_000;

async fn try_old_key(test: &TestApp, tenant: &Tenant) -> usize {
    let reply = test.plugin(&tenant.key).get("/api?action=count").await;
    assert_failure(&reply, 401, "UNAUTHORIZED");
    test.settle().await;
    audited(test, tenant, "key.retired_used").await.len()
}

both_databases! {
    async fn the_use_of_a_retired_key_is_written_down_once_an_hour(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        regenerate(&test, &tenant).await;
        assert!(audited(&test, &tenant, "key.retired_used").await.is_empty());
        assert_eq!(try_old_key(&test, &tenant).await, 1);
        assert_eq!(try_old_key(&test, &tenant).await, 1);
        test.clock.advance_ms(HOUR_MS - 1);
        assert_eq!(try_old_key(&test, &tenant).await, 1);
        test.clock.advance_ms(2);
        assert_eq!(try_old_key(&test, &tenant).await, 2);
        assert_eq!(try_old_key(&test, &tenant).await, 2);

        let entries = audited(&test, &tenant, "key.retired_used").await;
        let key = server(&test, &tenant).await.key;
        assert_eq!((entries[0].actor_kind.as_str(), entries[0].target.as_deref()), ("system", Some(key.id.as_str())));
        test.finish().await;
    }

    async fn each_retired_key_is_written_down_by_itself(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let second = Tenant { key: regenerate(&test, &tenant).await, ..tenant.clone() };
        let third = Tenant { key: regenerate(&test, &tenant).await, ..tenant.clone() };
        assert_eq!(try_old_key(&test, &tenant).await, 1);
        assert_eq!(try_old_key(&test, &second).await, 2);
        assert_eq!(test.plugin(&third.key).get("/api?action=count").await.status, 200);
        test.finish().await;
    }

    async fn a_key_that_never_was_is_not_written_down(engine) {
        let test = TestApp::start(engine).await;
        let (tenant, other) = (test.tenant(1, Tier::Free).await, test.tenant(2, Tier::Free).await);
        regenerate(&test, &tenant).await;
        assert_failure(&test.plugin(&stranger(1)).get("/api?action=count").await, 401, "UNAUTHORIZED");
        assert_eq!(try_old_key(&test, &tenant).await, 1);
        assert!(audited(&test, &other, "key.retired_used").await.is_empty());
        test.finish().await;
    }

    async fn a_throttled_network_cannot_fill_the_audit_log(engine) {
        let test = TestApp::start_with(engine, |limits| limits.unknown_keys = limit(1, 1), |_| {}).await;
        let tenant = test.tenant(1, Tier::Free).await;
        regenerate(&test, &tenant).await;
        test.plugin(&stranger(1)).get("/api?action=count").await;
        let reply = test.plugin(&tenant.key).get("/api?action=count").await;
        assert_failure(&reply, 429, "RATE_LIMITED");
        test.settle().await;
        assert!(audited(&test, &tenant, "key.retired_used").await.is_empty());
        test.finish().await;
    }
}
