//! Old bots take any answer to an id look-up without the words "No users" for a hit. No failure may lack them.

use app::AppError;
use app::error::{HttpError, KeysError, PlayersError, PluginError, RequestError, ServiceError, TenancyError};
use axum::Router;
use axum::body::Body;
use domain::action::ACTIONS;
use domain::plan::{Dimension, Tier};
use http::Method;
use testkit::{Client, Reply, TestApp, both_databases, steam};
use web::Edge;
use web::error::failed_response;

use super::support::{assert_failure, limit, revoke, set_active, stranger};

/// The id look-ups, and what cannot be read as any action.
const CLOSED: [&str; 8] = [
    "action=findBySteam",
    "action=findByDiscord",
    "action=discordCheck",
    "",
    "action=",
    "action=x",
    "action=getBotGuildMapping",
    "action=FINDBYSTEAM",
];
const OPEN: [&str; 3] = ["action=count", "action=remove", "action=getPlayer"];

/// Every way to fail, in the order of the statuses.
const FAILURES: [fn() -> AppError; 19] = [
    || AppError::invalid("id", "it is missing"),
    || PluginError::UnknownAction.into(),
    || KeysError::Unauthorized.into(),
    || KeysError::KeyRevoked.into(),
    || PluginError::ServerInactive.into(),
    || {
        PluginError::ScopeMismatch {
            parameter: "guild_id",
        }
        .into()
    },
    || {
        PluginError::PermissionDenied {
            action: "findByDiscord",
        }
        .into()
    },
    || HttpError::TlsRequired.into(),
    || ServiceError::Timeout.into(),
    || ServiceError::AnswerTooLate.into(),
    || {
        TenancyError::LimitReached {
            dimension: Dimension::Links,
            ceiling: 1,
        }
        .into()
    },
    || HttpError::PayloadTooLarge { limit_bytes: 1024 }.into(),
    || RequestError::RateLimited { retry_after_ms: 1 }.into(),
    || AppError::internal("a secret cause"),
    || PlayersError::SteamNotConfigured.into(),
    || PlayersError::SteamUnavailable.into(),
    || ServiceError::Overloaded.into(),
    || ServiceError::StorageUnavailable("a secret cause".to_owned()).into(),
    || ServiceError::OutcomeUnknown("a secret cause".to_owned()).into(),
];

/// A service in which every call fails in the same way.
fn failing(test: &TestApp, failure: fn() -> AppError) -> Client {
    let router = Router::new().fallback(move || async move { failed_response(failure()) });
    Client::new(Edge::new(router, test.state.clone()))
}

fn says_no_users(reply: &Reply) -> bool {
    assert!(reply.status.is_client_error() || reply.status.is_server_error());
    reply.json()["message"]
        .as_str()
        .expect("a message")
        .contains("No users")
}

/// Asks for a failure with every action, and looks at its words.
async fn assert_closed(name: &str, caller: &Client, status: u16, code: &str, more: &str) {
    for (queries, closed) in [(&CLOSED[..], true), (&OPEN[..], false)] {
        for query in queries {
            let reply = caller.get(&format!("/api?{query}{more}")).await;
            assert_failure(&reply, status, code);
            assert_eq!(says_no_users(&reply), closed, "{name}: {query}");
        }
    }
}

both_databases! {
    async fn every_kind_of_failure_reads_as_not_linked_for_look_ups_and_for_nothing_else(engine) {
        let test = TestApp::start(engine).await;
        for failure in FAILURES {
            let error = failure();
            assert_closed(error.code(), &failing(&test, failure), error.status(), error.code(), "").await;
            let reply = failing(&test, failure).get("/api.php?action=findBySteam&action=findBySteam").await;
            assert!(says_no_users(&reply));
            assert!(!reply.text().contains("a secret cause"));
        }
        test.finish().await;
    }

    async fn only_the_three_look_ups_fail_closed_among_the_actions(engine) {
        let test = TestApp::start(engine).await;
        for spec in ACTIONS {
            let reply = test.client().get(&format!("/api?action={}", spec.name)).await;
            let look_up = ["findBySteam", "findByDiscord", "discordCheck"].contains(&spec.name);
            assert_eq!(says_no_users(&reply), look_up, "{}", spec.name);
        }
        test.finish().await;
    }

    async fn refusals_at_the_door_fail_closed(engine) {
        let test = TestApp::start_with(
            engine,
            |limits| (limits.free, limits.unknown_keys) = (limit(1, 1), limit(1, 100)),
            |_| {},
        )
        .await;
        let tenants = [test.tenant(1, Tier::Free).await, test.tenant(2, Tier::Free).await, test.tenant(3, Tier::Free).await];
        let [revoked, inactive, dry] = &tenants;
        revoke(&test, revoked).await;
        set_active(&test, inactive, false).await;
        assert_eq!(test.plugin(&dry.key).get("/api?action=count").await.status, 200);
        assert_closed("no key", &test.client(), 401, "UNAUTHORIZED", "").await;
        assert_closed("a malformed key", &test.plugin("x"), 401, "UNAUTHORIZED", "").await;
        assert_closed("an unknown key", &test.plugin(&stranger(1)), 401, "UNAUTHORIZED", "").await;
        assert_closed("a revoked key", &test.plugin(&revoked.key), 403, "KEY_REVOKED", "").await;
        assert_closed("a Server that is off", &test.plugin(&inactive.key), 403, "SERVER_INACTIVE", "").await;
        assert_closed("an empty bucket", &test.plugin(&dry.key), 429, "RATE_LIMITED", "").await;
        let long = format!("&x={}", "x".repeat(48 * 1024));
        assert_closed("a long address", &test.client(), 414, "URI_TOO_LONG", &long).await;
        test.finish().await;
    }

    async fn refusals_behind_the_door_fail_closed(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let caller = test.plugin(&tenant.key);
        assert_closed("another Guild", &caller, 403, "SCOPE_MISMATCH", "&guild_id=1").await;
        for (query, code) in [
            ("action=findByDiscord", "PERMISSION_DENIED"),
            ("action=discordCheck", "PERMISSION_DENIED"),
            ("action=findBySteam", "INVALID_PARAMETER"),
            ("action=findBySteam&id=x", "INVALID_PARAMETER"),
            ("action=x", "UNKNOWN_ACTION"),
            ("id=1", "INVALID_PARAMETER"),
            ("action=count&action=count", "INVALID_PARAMETER"),
        ] {
            let reply = caller.get(&format!("/api?{query}")).await;
            assert_eq!(reply.code(), code);
            assert!(says_no_users(&reply), "{query}");
        }
        for query in ["action=getPlayer", "action=remove", "action=update"] {
            assert!(!says_no_users(&caller.get(&format!("/api?{query}")).await), "{query}");
        }
        for (query, closed) in [("action=findBySteam", true), ("action=x", true), ("", true), ("action=count", false)] {
            let uri = format!("/api?{query}");
            let refused = caller.send(Method::PUT, &uri, Body::empty()).await;
            assert_failure(&refused, 405, "METHOD_NOT_ALLOWED");
            assert_eq!(says_no_users(&refused), closed, "{query}");
            let large = caller.post(&uri, &"x".repeat(512 * 1024 + 1)).await;
            assert_failure(&large, 413, "PAYLOAD_TOO_LARGE");
            assert_eq!(says_no_users(&large), closed, "{query}");
        }
        test.finish().await;
    }

    async fn no_success_reads_as_not_linked(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        tenant.link(&test.app, 1).await;
        let id = steam(1);
        for query in ["action=count".to_owned(), format!("action=findBySteam&id={id}"), format!("action=remove&id={id}")] {
            let reply = test.plugin(&tenant.key).get(&format!("/api?{query}")).await;
            assert_eq!(reply.status, 200);
            assert!(!reply.text().to_lowercase().contains("no users"));
        }
        test.finish().await;
    }
}
