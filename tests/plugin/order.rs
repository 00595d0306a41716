//! The order of checks: of several things that are wrong, the earliest one is answered.

use domain::plan::Tier;
use testkit::{Client, Reply, TestApp, both_databases, steam};

use super::support::{assert_answer, assert_failure, limit, regenerate, revoke, set_active, stranger};

const NAVIGATION: (&str, &str) = ("sec-fetch-mode", "navigate");

#[track_caller]
fn assert_parameter(reply: &Reply, code: &str, parameter: &str) {
    let status = if code == "SCOPE_MISMATCH" { 403 } else { 400 };
    assert_failure(reply, status, code);
    assert_eq!(reply.json()["parameter"], parameter);
}

/// A page that a person opened, with the key in its address.
async fn opened(caller: Client, key: &str, query: &str) -> Reply {
    let caller = caller.header(NAVIGATION.0, NAVIGATION.1);
    caller.get(&format!("/api?{query}&secret={key}")).await
}

both_databases! {
    async fn one_request_that_is_wrong_in_every_way_is_put_right_step_by_step(engine) {
        let test = TestApp::start_with(engine, |limits| limits.free = limit(60, 1), |_| {}).await;
        let (tenant, other) = (test.tenant(1, Tier::Free).await, test.tenant(2, Tier::Free).await);
        tenant.link(&test.app, 1).await;
        let spent = test.plugin(&tenant.key).get("/api?action=count").await;
        assert_answer(&spent, 200, r#"{"Total":1}"#);
        revoke(&test, &tenant).await;
        set_active(&test, &tenant, false).await;
        let foreign = format!("guild_id={}", other.guild);

        let reply = test.plugin("wrong").get(&format!("/api?action=x&action=x&{foreign}")).await;
        assert_parameter(&reply, "INVALID_PARAMETER", "action");
        let wrong = format!("/api?action=x&{foreign}");
        assert_failure(&test.plugin("wrong").get(&wrong).await, 401, "UNAUTHORIZED");
        assert_failure(&test.plugin(&tenant.key).get(&wrong).await, 403, "KEY_REVOKED");
        let key = regenerate(&test, &tenant).await;
        let caller = test.plugin(&key);
        assert_failure(&caller.get(&wrong).await, 403, "SERVER_INACTIVE");
        set_active(&test, &tenant, true).await;
        assert_failure(&caller.get(&wrong).await, 429, "RATE_LIMITED");
        test.clock.advance_ms(1_000);
        assert_parameter(&caller.get(&wrong).await, "SCOPE_MISMATCH", "guild_id");
        test.clock.advance_ms(1_000);
        assert_failure(&caller.get("/api?action=x").await, 400, "UNKNOWN_ACTION");
        test.clock.advance_ms(1_000);
        let reply = opened(test.client(), &key, "action=updateNitro").await;
        assert_failure(&reply, 403, "PERMISSION_DENIED");
        assert_eq!(reply.json()["action"], "updateNitro");
        test.clock.advance_ms(1_000);
        let reply = opened(test.client(), &key, "action=remove").await;
        assert_failure(&reply, 403, "BROWSER_REFUSED");
        test.clock.advance_ms(1_000);
        assert_parameter(&caller.get("/api?action=remove").await, "INVALID_PARAMETER", "id");
        test.clock.advance_ms(1_000);
        let reply = caller.get(&format!("/api?action=remove&id={}", steam(1))).await;
        assert_answer(&reply, 200, r#""User Removed""#);
        test.finish().await;
    }

    async fn a_repeated_action_is_answered_before_the_key_is_looked_at(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        revoke(&test, &tenant).await;
        let unknown = stranger(1);
        for caller in [test.client(), test.plugin("junk"), test.plugin(&unknown), test.plugin(&tenant.key)] {
            let reply = caller.get("/api?action=count&action=count").await;
            assert_parameter(&reply, "INVALID_PARAMETER", "action");
            assert_eq!(reply.header("x-ratelimit-limit"), None);
        }
        test.finish().await;
    }

    async fn a_wrong_key_in_front_hides_that_the_key_behind_it_is_revoked(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        revoke(&test, &tenant).await;
        for front in ["junk".to_owned(), stranger(1)] {
            let reply = test.plugin(&front).get(&format!("/api?action=count&secret={}", tenant.key)).await;
            assert_failure(&reply, 401, "UNAUTHORIZED");
        }
        test.finish().await;
    }

    async fn of_neighbouring_checks_the_earlier_one_is_answered(engine) {
        let test = TestApp::start_with(engine, |limits| limits.free = limit(60, 1), |_| {}).await;
        let healthy = test.tenant(1, Tier::Standard).await;
        let (revoked, inactive, dry) = (
            test.tenant(2, Tier::Free).await,
            test.tenant(3, Tier::Free).await,
            test.tenant(4, Tier::Free).await,
        );
        for tenant in [&revoked, &inactive, &dry] {
            assert_eq!(test.plugin(&tenant.key).get("/api?action=count").await.status, 200);
        }
        revoke(&test, &revoked).await;
        set_active(&test, &revoked, false).await;
        set_active(&test, &inactive, false).await;
        let foreign = |query: &str| format!("{query}&guild_id={}", dry.discord_guild);
        let foreign_server = format!("action=remove&server_id={}", dry.server);
        let of_healthy = format!("action=count&guild_id={}", healthy.guild);
        for (name, tenant, query, status, code) in [
            ("revoked before inactive", &revoked, "action=count", 403, "KEY_REVOKED"),
            ("inactive before an empty bucket", &inactive, "action=count", 403, "SERVER_INACTIVE"),
            ("an empty bucket before scope", &dry, of_healthy.as_str(), 429, "RATE_LIMITED"),
            ("an empty bucket before an unknown action", &dry, "action=x", 429, "RATE_LIMITED"),
            ("scope before a missing action", &healthy, &foreign("x=1"), 403, "SCOPE_MISMATCH"),
            ("scope before an unknown action", &healthy, &foreign("action=x"), 403, "SCOPE_MISMATCH"),
            ("scope before the allow-list", &healthy, &foreign("action=getPlayer"), 403, "SCOPE_MISMATCH"),
            ("scope before parameters", &healthy, &foreign_server, 403, "SCOPE_MISMATCH"),
            ("a missing action before parameters", &healthy, "id=x", 400, "INVALID_PARAMETER"),
            ("an unknown action before parameters", &healthy, "action=x&id=x", 400, "UNKNOWN_ACTION"),
            ("the allow-list before parameters", &healthy, "action=findByDiscord&id=x", 403, "PERMISSION_DENIED"),
        ] {
            let reply = test.plugin(&tenant.key).get(&format!("/api?{query}")).await;
            assert_eq!((reply.status.as_u16(), reply.code().as_str()), (status, code), "{name}");
        }
        let denied = opened(test.client(), &healthy.key, "action=updateNitro").await;
        assert_failure(&denied, 403, "PERMISSION_DENIED");
        let refused = opened(test.client(), &healthy.key, "action=remove&id=x").await;
        assert_failure(&refused, 403, "BROWSER_REFUSED");
        test.finish().await;
    }
}
