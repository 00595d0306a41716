//! Whatever stands in the address, the answer is JSON and nothing of ours breaks.

use app::plugin::is_fail_closed;
use axum::body::Body;
use domain::plan::Tier;
use http::Method;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use testkit::{Engine, Reply, TestApp, discord, steam};

use super::support::{JSON, limit};

const NAMES: [&str; 8] = [
    "action",
    "id",
    "secret",
    "guild_id",
    "server_id",
    "%61ction",
    "Action",
    "",
];

/// Names and values that mean something, and text that does not.
fn query(key: String) -> impl Strategy<Value = String> {
    let known = vec![
        "findBySteam".to_owned(),
        "count".to_owned(),
        "remove".to_owned(),
        "update".to_owned(),
        "findByDiscord".to_owned(),
        "getBotGuildMapping".to_owned(),
        steam(1).to_string(),
        discord(1).to_string(),
        String::new(),
        key,
    ];
    let escaped = prop::collection::vec(any::<u8>(), 0..12).prop_map(|bytes| {
        bytes
            .iter()
            .map(|byte| format!("%{byte:02x}"))
            .collect::<String>()
    });
    let value = prop_oneof![4 => prop::sample::select(known), 1 => escaped, 1 => "[!-~]{0,12}"];
    let pair = (prop::sample::select(&NAMES[..]), value).prop_map(|(name, value)| format!("{name}={value}"));
    let piece = prop_oneof![6 => pair, 1 => "[!-~]{0,20}"];
    prop::collection::vec(piece, 0..6)
        .prop_map(|pieces| pieces.join("&"))
        .prop_filter("an address", |query| {
            format!("/api?{query}").parse::<http::Uri>().is_ok()
        })
}

fn check(reply: &Reply, query: &str) -> Result<(), TestCaseError> {
    let status = reply.status.as_u16();
    prop_assert!(status < 500, "{} {}", status, reply.text());
    prop_assert!(!reply.status.is_redirection());
    prop_assert_eq!(reply.header("content-type"), Some(JSON));
    let body = reply.json();
    if reply.status.is_success() {
        prop_assert!(body.get("code").is_none() && !reply.text().contains("No users"));
        return Ok(());
    }
    let miss = status == 404 && reply.text() == r#""No users found.""#;
    prop_assert!(miss || body["status"] == status);
    // The fragment is no part of what a server is sent.
    let sent = query.split('#').next().unwrap_or_default();
    prop_assert_eq!(reply.text().contains("No users"), is_fail_closed(sent));
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_address_breaks_the_service() {
    let test = TestApp::start_with(
        Engine::Sqlite,
        |limits| limits.free = limit(60_000, 60_000),
        |_| {},
    )
    .await;
    let tenant = test.tenant(1, Tier::Free).await;
    tenant.link(&test.app, 1).await;
    let mut runner = TestRunner::new(Config {
        cases: 400,
        failure_persistence: None,
        ..Config::default()
    });
    let callers = [test.plugin(&tenant.key), test.client()];
    let cases = (query(tenant.key.clone()), 0..callers.len(), any::<bool>());
    let runtime = tokio::runtime::Handle::current();
    let result = tokio::task::block_in_place(|| {
        runner.run(&cases, |(query, caller, post)| {
            let method = if post { Method::POST } else { Method::GET };
            let uri = format!("/api?{query}");
            let reply = runtime.block_on(callers[caller].send(method, &uri, Body::empty()));
            check(&reply, &query)
        })
    });
    assert!(
        result.is_ok(),
        "{}",
        result.err().map(|error| error.to_string()).unwrap_or_default()
    );
    test.finish().await;
}
