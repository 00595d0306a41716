//! What is remembered about the use of a key.

use app::background::flush_uses;
use domain::plan::Tier;
use testkit::{START_MS, TestApp, both_databases};

use super::support::{assert_failure, revoke, server};

both_databases! {
    async fn calls_with_the_key_in_the_address_are_counted(engine) {
        let test = TestApp::start(engine).await;
        let (tenant, other) = (test.tenant(1, Tier::Free).await, test.tenant(2, Tier::Free).await);
        let secret = format!("/api?action=count&secret={}", tenant.key);
        for _ in 0..3 {
            assert_eq!(test.client().get(&secret).await.status, 200);
        }
        assert_eq!(test.plugin(&tenant.key).get(&secret).await.status, 200);
        flush_uses(&test.app).await.expect("written uses");
        assert_eq!(server(&test, &tenant).await.key.query_calls, 3);
        assert_eq!(test.client().post(&secret, "").await.status, 200);
        flush_uses(&test.app).await.expect("written uses");
        flush_uses(&test.app).await.expect("nothing new");
        assert_eq!(server(&test, &tenant).await.key.query_calls, 4);
        assert_eq!(server(&test, &other).await.key.query_calls, 0);
        test.finish().await;
    }

    async fn the_last_use_is_kept_to_the_minute(engine) {
        let test = TestApp::start(engine).await;
        let (tenant, other) = (test.tenant(1, Tier::Free).await, test.tenant(2, Tier::Free).await);
        let last_use = async |tenant| server(&test, tenant).await.key.last_used_at_ms;
        flush_uses(&test.app).await.expect("nothing to write");
        assert_eq!(last_use(&tenant).await, None);
        for (advance_ms, minute) in [(59_999, 0), (1, 1), (30_000, 1), (10 * 60_000, 11)] {
            test.clock.advance_ms(advance_ms);
            assert_eq!(test.plugin(&tenant.key).get("/api?action=count").await.status, 200);
            flush_uses(&test.app).await.expect("written uses");
            assert_eq!(last_use(&tenant).await, Some(START_MS + minute * 60_000));
        }
        assert_eq!(last_use(&other).await, None);
        test.finish().await;
    }

    async fn a_clock_that_goes_back_does_not_take_back_a_use(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        for advance_ms in [5 * 60_000, -4 * 60_000] {
            test.clock.advance_ms(advance_ms);
            test.plugin(&tenant.key).get("/api?action=count").await;
            flush_uses(&test.app).await.expect("written uses");
        }
        assert_eq!(server(&test, &tenant).await.key.last_used_at_ms, Some(START_MS + 5 * 60_000));
        test.finish().await;
    }

    async fn a_revoked_key_is_not_used(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        revoke(&test, &tenant).await;
        let reply = test.client().get(&format!("/api?action=count&secret={}", tenant.key)).await;
        assert_failure(&reply, 403, "KEY_REVOKED");
        flush_uses(&test.app).await.expect("nothing to write");
        let key = server(&test, &tenant).await.key;
        assert_eq!((key.last_used_at_ms, key.query_calls), (None, 0));
        test.finish().await;
    }

    async fn uses_outlive_a_store_that_fails_for_a_while(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let secret = format!("/api?action=count&secret={}", tenant.key);
        assert_eq!(test.client().get(&secret).await.status, 200);
        test.db.damage("ALTER TABLE api_keys RENAME TO lost").await;
        assert!(flush_uses(&test.app).await.is_err());
        test.db.damage("ALTER TABLE lost RENAME TO api_keys").await;
        flush_uses(&test.app).await.expect("written uses");
        let key = server(&test, &tenant).await.key;
        assert_eq!((key.last_used_at_ms, key.query_calls), (Some(START_MS), 1));
        test.finish().await;
    }
}
