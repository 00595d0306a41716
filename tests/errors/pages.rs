//! Addresses that people open.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::Method;
use sha2::{Digest, Sha256};
use testkit::{Reply, TestApp, both_databases};

/// A complete page without scripts, whose one style the policy names by its digest.
fn assert_page(reply: &Reply, status: u16, place: &str) {
    assert_eq!(reply.status, status, "{place}");
    assert_eq!(
        reply.header("content-type"),
        Some("text/html; charset=utf-8"),
        "{place}"
    );
    let html = reply.text();
    assert!(
        html.starts_with("<!doctype html>") && html.ends_with("</html>"),
        "{place}"
    );
    assert!(
        !html.contains("<script") && !html.contains("style=") && !html.contains("://"),
        "{place}: {html}"
    );
    let (_, rest) = html.split_once("<style>").expect("a style");
    let (style, _) = rest.split_once("</style>").expect("its end");
    let digest = STANDARD.encode(Sha256::digest(style.as_bytes()));
    let policy = reply.header("content-security-policy").unwrap_or_default();
    assert_eq!(
        policy,
        format!(
            "default-src 'none'; style-src 'sha256-{digest}'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
        ),
        "{place}"
    );
}

both_databases! {
    async fn pages_are_html_under_a_policy_that_allows_exactly_their_style(engine) {
        let test = TestApp::start(engine).await;
        assert_page(&test.client().get("/").await, 200, "the front page");
        for path in [
            "/nothing",
            "/app/assets/x.js",
            "/link/x",
            "/unlink/x",
            "/invite/x",
            "/orgsx",
            "/APIX",
            "/docs/x",
            "/docs/api/x",
            "/favicon.ico",
        ] {
            let reply = test.client().get(path).await;
            assert_page(&reply, 404, path);
            assert!(
                reply.text().contains(reply.header("x-request-id").unwrap()),
                "{path}"
            );
            assert_eq!(reply.header("cache-control"), Some("no-store"), "{path}");
        }
        let refused = test
            .client()
            .send(Method::POST, "/", axum::body::Body::empty())
            .await;
        assert_page(&refused, 405, "POST /");
        assert_eq!(refused.header("allow"), Some("GET"));
        test.finish().await;
    }

    async fn an_address_never_becomes_part_of_the_page(engine) {
        let test = TestApp::start(engine).await;
        for path in [
            "/%3Cscript%3Ealert(1)%3C/script%3E",
            "/x?y=%3Cimg%20src=x%3E",
            "/'onload='x",
        ] {
            let reply = test.client().get(path).await;
            assert_page(&reply, 404, path);
            for part in ["script", "alert", "img", "onload"] {
                assert!(!reply.text().contains(part), "{path}");
            }
        }
        test.finish().await;
    }
}
