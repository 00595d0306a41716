//! What the tests of the plugin API share.

use app::keys::plugin_keys;
use app::tenancy::servers;
use domain::audit::Actor;
use domain::plan::RateLimit;
use storage::jobs::WaitingJob;
use storage::linking::links::LinkRecord;
use storage::records::audit::AuditRow;
use storage::tenancy::servers::Server;
use testkit::{Reply, Tenant, TestApp};

pub const JSON: &str = "application/json; charset=utf-8";

/// A well-formed key that nobody holds; it differs for each number.
pub fn stranger(number: u64) -> String {
    format!("svc_live_{number:048x}")
}

pub fn limit(per_minute: u32, burst: u32) -> RateLimit {
    RateLimit {
        per_minute,
        burst,
        bulk_ids: 1,
    }
}

/// The answer is a failure in the one form that failures have.
#[track_caller]
pub fn assert_failure(reply: &Reply, status: u16, code: &str) {
    let body = reply.json();
    assert_eq!(
        (reply.status.as_u16(), body["code"].as_str()),
        (status, Some(code)),
        "{}",
        reply.text()
    );
    assert_eq!(reply.header("content-type"), Some(JSON));
    assert_eq!((&body["status"], &body["error"]), (&status.into(), &code.into()));
    assert!(
        body["message"].as_str().is_some_and(|text| !text.is_empty()),
        "{body}"
    );
    assert_eq!(body["request_id"].as_str(), reply.header("x-request-id"));
}

/// The answer is this JSON text, byte for byte.
#[track_caller]
pub fn assert_answer(reply: &Reply, status: u16, body: &str) {
    assert_eq!((reply.status.as_u16(), reply.text()), (status, body));
    assert_eq!(reply.header("content-type"), Some(JSON));
}

/// Limit, remaining and reset as the answer states them.
pub fn rate_of(reply: &Reply) -> Option<(u32, u32, i64)> {
    let number = |name| {
        reply
            .header(name)
            .map(|text| text.parse::<i64>().expect("a number"))
    };
    let small = |value| u32::try_from(value).expect("a small number");
    Some((
        small(number("x-ratelimit-limit")?),
        small(number("x-ratelimit-remaining")?),
        number("x-ratelimit-reset")?,
    ))
}

pub async fn revoke(test: &TestApp, tenant: &Tenant) {
    plugin_keys::revoke(&test.app, tenant.scope, tenant.server.clone(), Actor::System)
        .await
        .expect("a revoked key");
}

/// The new key.
pub async fn regenerate(test: &TestApp, tenant: &Tenant) -> String {
    let key = plugin_keys::regenerate(&test.app, tenant.scope, tenant.server.clone(), Actor::System)
        .await
        .expect("a new key");
    key.expose().to_owned()
}

pub async fn set_active(test: &TestApp, tenant: &Tenant, active: bool) {
    servers::set_active(
        &test.app,
        tenant.scope,
        tenant.server.clone(),
        active,
        Actor::System,
    )
    .await
    .expect("a switched Server");
}

pub async fn server(test: &TestApp, tenant: &Tenant) -> Server {
    servers::get(&test.app, tenant.scope, &tenant.server)
        .await
        .expect("the Server")
}

/// Links of the tenant, ended ones included, newest first.
pub async fn links(test: &TestApp, tenant: &Tenant) -> Vec<LinkRecord> {
    storage::linking::links::list_newest(&test.db.db, tenant.scope, 1000)
        .await
        .expect("the links")
}

/// Audit entries of one kind, newest first.
pub async fn audited(test: &TestApp, tenant: &Tenant, action: &str) -> Vec<AuditRow> {
    let mut rows = storage::records::audit::list_newest(&test.db.db, tenant.scope, 1000)
        .await
        .expect("the audit log");
    rows.retain(|row| row.action == action);
    rows
}

pub async fn jobs(test: &TestApp, kind: &str) -> Vec<WaitingJob> {
    storage::jobs::list_waiting(&test.db.db, kind)
        .await
        .expect("the jobs")
}
