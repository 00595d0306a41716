//! What people without an account of ours see when something fails.

use axum::Router;
use axum::routing::get;
use testkit::{Reply, TestApp, both_databases};
use web::Edge;

async fn panicking() -> &'static str {
    panic!("a secret that nobody may read")
}

/// A whole page that says whose fault it is, what to do and how to name the failure, and nothing else.
fn assert_clean(reply: &Reply, status: u16, title: &str, whose: &str, place: &str) {
    assert_eq!(reply.status, status, "{place}");
    assert_eq!(
        reply.header("content-type"),
        Some("text/html; charset=utf-8"),
        "{place}"
    );
    assert_eq!(reply.header("cache-control"), Some("no-store"), "{place}");
    assert_eq!(reply.header("set-cookie"), None, "{place}");
    let html = reply.text();
    let heading = format!("<h1>{title}</h1>");
    for part in [
        heading.as_str(),
        whose,
        reply.header("x-request-id").expect("an id"),
    ] {
        assert!(html.contains(part), "{place} lacks {part}: {html}");
    }
    assert_eq!(html.matches("class=\"btn\"").count(), 1, "{place}: one way on");
    for inner in ["secret", "panic", "INTERNAL", "<script", "handler"] {
        assert!(!html.contains(inner), "{place} has {inner}");
    }
}

both_databases! {
    async fn every_page_for_customers_fails_with_a_clean_500(engine) {
        let test = TestApp::start(engine).await;
        let places = ["/", "/link/ashfall", "/unlink/ashfall", "/me", "/invite/x", "/docs", "/auth/discord/link", "/app/orgs"];
        let router = places
            .iter()
            .fold(Router::new(), |router, place| router.route(place, get(panicking)));
        let client = test.client_of(Edge::new(router, test.state.clone()));
        for place in places {
            assert_clean(&client.get(place).await, 500, "Something went wrong", "This is on us", place);
        }
        test.finish().await;
    }

    async fn a_page_that_is_not_there_says_so_and_leads_on(engine) {
        let test = TestApp::start(engine).await;
        for place in ["/nothing", "/link/nobody", "/unlink/nobody", "/invite/nothing", "/docs/nothing"] {
            assert_clean(&test.client().get(place).await, 404, "Page not found", "What you can do", place);
        }
        test.finish().await;
    }
}
