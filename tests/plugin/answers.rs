//! Whole answers, byte for byte: what existing plugins and bots depend on.

use std::time::Duration;

use app::error::ServiceError;
use axum::Router;
use axum::body::{Body, Bytes};
use domain::plan::Tier;
use http::Method;
use testkit::{Client, Reply, TestApp, both_databases, steam};
use web::Edge;
use web::error::failed_response;

use super::support::{limit, revoke, set_active};

/// Compares with the stored answer; both databases share it.
fn assert_stored(name: &str, reply: &Reply) {
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, reply.snapshot()));
}

both_databases! {
    async fn successes_are_as_stored(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        tenant.link(&test.app, 1).await;
        let caller = test.plugin(&tenant.key);
        let id = steam(1);
        assert_stored("200_find_by_steam", &caller.get(&format!("/api?action=findBySteam&id={id}")).await);
        assert_stored("200_count", &caller.get("/api?action=count").await);
        let in_address = format!("/api?action=count&secret={}", tenant.key);
        assert_stored("200_count_with_the_key_in_the_address", &test.client().get(&in_address).await);
        assert_stored("200_remove", &caller.get(&format!("/api?action=remove&id={id}")).await);
        assert_stored("404_find_by_steam", &caller.get(&format!("/api?action=findBySteam&id={id}")).await);
        test.finish().await;
    }

    async fn refusals_of_a_call_are_as_stored(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let caller = test.plugin(&tenant.key);
        for (name, query) in [
            ("400_repeated_action", "action=count&action=count"),
            ("400_missing_action", "id=1"),
            ("400_unknown_action", "action=getBotGuildMapping"),
            ("400_missing_id", "action=findBySteam"),
            ("400_wrong_id", "action=remove&id=1"),
            ("403_scope_mismatch", "action=count&guild_id=1"),
            ("403_permission_denied", "action=findByDiscord"),
            ("503_steam_not_configured", "action=groupChecks&group=4&id=76561197960265729"),
        ] {
            assert_stored(name, &caller.get(&format!("/api?{query}")).await);
        }
        let page = test.client().header("sec-fetch-mode", "navigate");
        let opened = page.get(&format!("/api?action=remove&id={}&secret={}", steam(1), tenant.key)).await;
        assert_stored("403_browser_refused", &opened);
        test.finish().await;
    }

    async fn a_failure_lists_its_fields_in_the_published_order(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let reply = test.plugin(&tenant.key).get("/api?action=updateNitro").await;
        let id = reply.header("x-request-id").expect("an id").to_owned();
        assert_eq!(
            reply.text().replace(&id, "…"),
            r#"{"status":403,"code":"PERMISSION_DENIED","error":"PERMISSION_DENIED","message":"This key cannot call updateNitro. Adjust its permissions in the dashboard.","action":"updateNitro","request_id":"…"}"#
        );
        test.finish().await;
    }

    async fn refusals_of_a_key_are_as_stored(engine) {
        let test = TestApp::start_with(engine, |limits| limits.free = limit(60, 1), |_| {}).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let caller = test.plugin(&tenant.key);
        let look_up = format!("/api?action=findBySteam&id={}", steam(1));
        assert_stored("401_unauthorized", &test.client().get("/api?action=count").await);
        assert_stored("401_unauthorized_look_up", &test.client().get(&look_up).await);
        assert_eq!(caller.get(&look_up).await.status, 404);
        assert_stored("429_rate_limited", &caller.get("/api?action=count").await);
        assert_stored("429_rate_limited_look_up", &caller.get(&look_up).await);
        set_active(&test, &tenant, false).await;
        assert_stored("403_server_inactive", &caller.get("/api?action=count").await);
        revoke(&test, &tenant).await;
        assert_stored("403_key_revoked", &caller.get("/api?action=count").await);
        test.finish().await;
    }

    async fn refusals_of_a_request_are_as_stored(engine) {
        let test = TestApp::start_with(engine, |_| {}, |settings| settings.require_tls = true).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let caller = test.plugin(&tenant.key);
        let count = "/api?action=count";
        assert_stored("403_tls_required", &caller.get(count).await);
        assert_stored("405_method_not_allowed", &caller.send(Method::DELETE, count, Body::empty()).await);
        assert_stored("405_head", &caller.send(Method::HEAD, count, Body::empty()).await);
        assert_stored("204_options", &caller.send(Method::OPTIONS, count, Body::empty()).await);
        assert_stored("414_uri_too_long", &caller.get(&format!("{count}&x={}", "x".repeat(48 * 1024))).await);
        test.finish().await;
    }

    async fn a_body_that_is_too_long_is_as_stored(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let reply = test.plugin(&tenant.key).post("/api?action=count", &"x".repeat(512 * 1024 + 1)).await;
        assert_stored("413_payload_too_large", &reply);
        test.finish().await;
    }

    async fn a_call_that_took_too_long_is_as_stored(engine) {
        let quickly = |settings: &mut web::Settings| settings.request_timeout = Duration::from_millis(20);
        let test = TestApp::start_with(engine, |_| {}, quickly).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let endless = Body::from_stream(futures_util::stream::pending::<Result<Bytes, std::io::Error>>());
        let reply = test.plugin(&tenant.key).send(Method::POST, "/api?action=count", endless).await;
        assert_stored("408_timeout", &reply);
        test.finish().await;
    }

    async fn failures_of_ours_are_as_stored(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let caller = test.plugin(&tenant.key);
        test.db.damage("ALTER TABLE links RENAME TO lost").await;
        assert_stored("500_internal", &caller.get("/api?action=findBySteam").await);
        test.db.damage("ALTER TABLE lost RENAME TO links").await;
        let unavailable = || async { failed_response(ServiceError::StorageUnavailable("the disk is full".to_owned()).into()) };
        let caller = Client::new(Edge::new(Router::new().fallback(unavailable), test.state.clone()));
        assert_stored("503_storage_unavailable", &caller.get("/api?action=remove").await);
        assert_stored("503_storage_unavailable_look_up", &caller.get("/api?action=findBySteam").await);
        test.finish().await;
    }
}
