//! Whatever stands in the address, the answer is JSON and nothing of ours breaks.

use app::plugin::is_fail_closed;
use axum::body::Body;
use domain::action::ActionSet;
use domain::plan::Tier;
use http::Method;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use testkit::{Reply, TestApp, both_databases, discord, steam};

use super::support::{JSON, limit};

const NAMES: [&str; 9] = [
    "action",
    "id",
    "secret",
    "guild_id",
    "server_id",
    "cursor",
    "%61ction",
    "Action",
    "",
];

const ACTIONS: [&str; 7] = [
    "findBySteam",
    "count",
    "remove",
    "update",
    "findByDiscord",
    "listAllLinked",
    "getBotGuildMapping",
];

/// Names and values that mean something, and text that does not.
fn query(key: String) -> impl Strategy<Value = String> {
    let mut known = ACTIONS.map(str::to_owned).to_vec();
    known.extend([steam(1).to_string(), discord(1).to_string(), String::new(), key]);
    let nul = Just("a%00b".to_owned());
    let escaped = prop::collection::vec(any::<u8>(), 0..12).prop_map(|bytes| {
        bytes
            .iter()
            .map(|byte| format!("%{byte:02x}"))
            .collect::<String>()
    });
    let value = prop_oneof![4 => prop::sample::select(known), 1 => escaped, 1 => nul, 1 => "[!-~]{0,12}"];
    let pair = (prop::sample::select(&NAMES[..]), value).prop_map(|(name, value)| format!("{name}={value}"));
    let piece = prop_oneof![6 => pair, 1 => "[!-~]{0,20}"];
    let action = prop_oneof![
        1 => Just(String::new()),
        2 => prop::sample::select(&ACTIONS[..]).prop_map(|name| format!("action={name}&")),
    ];
    (action, prop::collection::vec(piece, 0..6))
        .prop_map(|(action, pieces)| action + &pieces.join("&"))
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

both_databases! {
    async fn no_address_breaks_the_service(engine) {
        let test = TestApp::start_with(engine, |limits| limits.standard = limit(60_000, 60_000), |_| {}).await;
        let tenant = test.tenant(1, Tier::Standard).await;
        tenant.link(&test.app, 1).await;
        let mut runner = TestRunner::new(Config {
            cases: 1_000,
            failure_persistence: None,
            ..Config::default()
        });
        // A key of the whole Guild looks up which Server it is told.
        let (_, of_guild) = test.custom_key(&tenant, ActionSet::ALL, false).await;
        let callers = [test.plugin(&tenant.key), test.plugin(&of_guild), test.client()];
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
}
