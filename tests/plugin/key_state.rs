//! Revoking, regenerating, switching and deleting: the very next request knows.

use app::tenancy::servers;
use domain::audit::Actor;
use domain::plan::Tier;
use testkit::{TestApp, both_databases};

use super::support::{assert_answer, assert_failure, rate_of, regenerate, revoke, set_active};

const COUNT: &str = "/api?action=count";

both_databases! {
    async fn a_revoked_key_is_refused_until_it_is_regenerated(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let caller = test.plugin(&tenant.key);
        assert_answer(&caller.get(COUNT).await, 200, r#"{"Total":0}"#);
        revoke(&test, &tenant).await;
        for _ in 0..2 {
            assert_failure(&caller.get(COUNT).await, 403, "KEY_REVOKED");
        }
        set_active(&test, &tenant, false).await;
        set_active(&test, &tenant, true).await;
        assert_failure(&caller.get(COUNT).await, 403, "KEY_REVOKED");
        let new = regenerate(&test, &tenant).await;
        assert_failure(&caller.get(COUNT).await, 401, "UNAUTHORIZED");
        assert_answer(&test.plugin(&new).get(COUNT).await, 200, r#"{"Total":0}"#);
        test.finish().await;
    }

    async fn an_old_key_is_refused_after_every_regenerate(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let mut keys = vec![tenant.key.clone()];
        for _ in 0..3 {
            keys.push(regenerate(&test, &tenant).await);
            let (newest, old) = keys.split_last().expect("a key");
            assert_answer(&test.plugin(newest).get(COUNT).await, 200, r#"{"Total":0}"#);
            for key in old {
                assert_failure(&test.plugin(key).get(COUNT).await, 401, "UNAUTHORIZED");
            }
        }
        test.finish().await;
    }

    async fn a_server_that_is_off_refuses_its_key_until_it_is_on_again(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let caller = test.plugin(&tenant.key);
        for _ in 0..2 {
            set_active(&test, &tenant, false).await;
            assert_failure(&caller.get(COUNT).await, 403, "SERVER_INACTIVE");
            set_active(&test, &tenant, true).await;
            assert_answer(&caller.get(COUNT).await, 200, r#"{"Total":0}"#);
        }
        set_active(&test, &tenant, false).await;
        let new = regenerate(&test, &tenant).await;
        assert_failure(&test.plugin(&new).get(COUNT).await, 403, "SERVER_INACTIVE");
        test.finish().await;
    }

    async fn the_key_of_a_deleted_server_is_unknown(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        tenant.link(&test.app, 1).await;
        let caller = test.plugin(&tenant.key);
        assert_answer(&caller.get(COUNT).await, 200, r#"{"Total":1}"#);
        servers::delete(&test.app, tenant.scope, tenant.server.clone(), Actor::System)
            .await
            .expect("a deleted Server");
        let reply = caller.get(COUNT).await;
        assert_failure(&reply, 401, "UNAUTHORIZED");
        assert_eq!(rate_of(&reply), None);
        test.finish().await;
    }

    async fn refusals_of_a_dead_key_state_its_limit_and_take_nothing_from_it(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let caller = test.plugin(&tenant.key);
        let taken = rate_of(&caller.get(COUNT).await);
        set_active(&test, &tenant, false).await;
        for _ in 0..3 {
            let reply = caller.get(COUNT).await;
            assert_failure(&reply, 403, "SERVER_INACTIVE");
            assert_eq!(rate_of(&reply), taken);
        }
        revoke(&test, &tenant).await;
        assert_eq!(rate_of(&caller.get(COUNT).await), taken);
        test.finish().await;
    }
}
