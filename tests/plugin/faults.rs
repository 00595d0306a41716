//! What callers see when something of ours breaks.

use std::convert::Infallible;
use std::time::Duration;

use app::background::flush_errors;
use axum::Router;
use axum::body::{Body, Bytes};
use domain::plan::Tier;
use http::Method;
use storage::records::error_log::Group;
use storage::testing::newest_errors;
use testkit::{Client, Reply, TestApp, both_databases, discord, steam};
use web::Edge;

use super::support::{assert_answer, assert_failure, audited, jobs, links, rate_of};

/// A body that never ends.
fn endless() -> Body {
    Body::from_stream(futures_util::stream::pending::<Result<Bytes, Infallible>>())
}

async fn noted(test: &TestApp) -> Vec<Group> {
    flush_errors(&test.app).await.expect("written failures");
    newest_errors(&test.db.db, 100).await
}

fn message(reply: &Reply) -> String {
    reply.json()["message"].as_str().expect("a message").to_owned()
}

both_databases! {
    async fn a_broken_store_is_one_500_that_tells_nothing_and_fails_closed(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        tenant.link(&test.app, 1).await;
        let caller = test.plugin(&tenant.key);
        let look_up = format!("/api?action=findBySteam&id={}", steam(1));
        test.db.damage("ALTER TABLE links RENAME TO lost").await;
        for (uri, closed) in [(look_up.as_str(), true), ("/api?action=x", true), ("/api", true), ("/api?action=count", false)] {
            let reply = caller.get(uri).await;
            assert_failure(&reply, 500, "INTERNAL");
            assert_eq!(message(&reply).contains("No users"), closed, "{uri}");
            for detail in ["links", "table", "relation", "SELECT"] {
                assert!(!reply.text().contains(detail), "{}", reply.text());
            }
        }
        test.db.damage("ALTER TABLE lost RENAME TO links").await;
        assert_answer(&caller.get(&look_up).await, 200, &format!("\"{}\"", discord(1)));

        let groups = noted(&test).await;
        assert_eq!(groups.len(), 1);
        assert_eq!((groups[0].code.as_str(), groups[0].route.as_str(), groups[0].count), ("INTERNAL", "/api", 4));
        assert!(groups[0].detail.contains("links") && !groups[0].detail.contains("svc_live_"));
        test.finish().await;
    }

    async fn a_remove_that_breaks_half_way_leaves_everything_as_it_was(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        tenant.link(&test.app, 1).await;
        let asked = format!("/api?action=remove&id={}", steam(1));
        test.db.damage("ALTER TABLE jobs RENAME TO lost").await;
        let reply = test.plugin(&tenant.key).get(&asked).await;
        assert_failure(&reply, 500, "INTERNAL");
        assert_eq!(rate_of(&reply).map(|(limit, left, _)| (limit, left)), Some((480, 479)));
        test.db.damage("ALTER TABLE lost RENAME TO jobs").await;

        assert_eq!(links(&test, &tenant).await[0].ended_at_ms, None);
        assert!(audited(&test, &tenant, "link.removed").await.is_empty());
        let groups = noted(&test).await;
        assert_eq!((groups.len(), groups[0].org_num, groups[0].status), (1, tenant.scope.num(), 500));
        assert_answer(&test.plugin(&tenant.key).get(&asked).await, 200, r#""User Removed""#);
        assert_eq!(jobs(&test, "log.unlinked").await.len(), 1);
        test.finish().await;
    }

    async fn a_store_that_is_gone_is_a_503_to_be_tried_again(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        tenant.link(&test.app, 1).await;
        test.app.db.close().await;
        let reply = test.plugin(&tenant.key).get(&format!("/api?action=remove&id={}", steam(1))).await;
        assert_failure(&reply, 503, &reply.code());
        assert!(["STORAGE_UNAVAILABLE", "OVERLOADED"].contains(&reply.code().as_str()), "{}", reply.text());
        assert!(reply.header("retry-after").is_some());
        assert!(!message(&reply).contains("No users"));
    }

    async fn a_call_that_takes_too_long_is_a_408_and_fails_closed(engine) {
        let quickly = |settings: &mut web::Settings| settings.request_timeout = Duration::from_millis(20);
        let test = TestApp::start_with(engine, |_| {}, quickly).await;
        let tenant = test.tenant(1, Tier::Free).await;
        tenant.link(&test.app, 1).await;
        let removing = format!("action=remove&id={}", steam(1));
        for (query, closed) in [
            ("action=findBySteam", true),
            ("action=findByDiscord", true),
            ("action=discordCheck", true),
            ("action=x", true),
            ("", true),
            ("action=count", false),
            (removing.as_str(), false),
        ] {
            let reply = test.plugin(&tenant.key).send(Method::POST, &format!("/api?{query}"), endless()).await;
            assert_failure(&reply, 408, "TIMEOUT");
            assert_eq!(message(&reply).contains("No users"), closed, "{query}");
            assert_eq!((reply.header("retry-after"), reply.header("connection")), (Some("1"), Some("close")));
        }
        assert_eq!(links(&test, &tenant).await[0].ended_at_ms, None);
        test.finish().await;
    }

    async fn a_call_that_takes_too_long_is_told_to_the_org_of_its_key(engine) {
        // Long enough for the key to be found, on a busy machine too.
        let late = |settings: &mut web::Settings| settings.request_timeout = Duration::from_secs(4);
        let test = TestApp::start_with(engine, |_| {}, late).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let reply = test.plugin(&tenant.key).send(Method::POST, "/api?action=count", endless()).await;
        assert_failure(&reply, 408, "TIMEOUT");
        let groups = noted(&test).await;
        assert_eq!((groups.len(), groups[0].code.as_str(), groups[0].org_num), (1, "TIMEOUT", tenant.scope.num()));
        test.finish().await;
    }

    async fn a_body_that_breaks_off_is_a_400_and_fails_closed(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        for (query, closed) in [("action=findBySteam", true), ("action=count", false)] {
            let broken = futures_util::stream::iter([Err::<Bytes, _>(std::io::Error::other("gone"))]);
            let reply = test
                .plugin(&tenant.key)
                .send(Method::POST, &format!("/api?{query}"), Body::from_stream(broken))
                .await;
            assert_failure(&reply, 400, "INVALID_JSON");
            assert_eq!(message(&reply).contains("No users"), closed);
        }
        test.finish().await;
    }

    async fn a_panic_is_one_500_and_the_service_goes_on(engine) {
        let test = TestApp::start(engine).await;
        let router = Router::new().route("/api", axum::routing::any(panicking));
        let caller = Client::new(Edge::new(router, test.state.clone()));
        for (query, closed) in [("action=findBySteam", true), ("", true), ("action=count", false)] {
            let reply = caller.get(&format!("/api.php?{query}")).await;
            assert_failure(&reply, 500, "INTERNAL");
            assert_eq!(message(&reply).contains("No users"), closed);
            assert!(!reply.text().contains("a reason"));
            assert_eq!(reply.header("cache-control"), Some("no-store"));
        }
        let groups = noted(&test).await;
        assert_eq!((groups.len(), groups[0].code.as_str(), groups[0].count), (1, "INTERNAL", 3));
        test.finish().await;
    }
}

async fn panicking() {
    panic!("a reason nobody outside needs to know");
}
