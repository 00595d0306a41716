//! Headers that every answer carries, successes and failures alike.

use axum::body::Body;
use domain::plan::Tier;
use http::Method;
use testkit::{Client, Engine, Reply, TestApp, both_databases};
use web::layers::Surface;

use super::surfaces::assert_follows;
use crate::authorization::examples::{Target, example, prefixes};

fn assert_headers(reply: &Reply, (path, surface): (&str, Surface), https: bool) {
    assert_follows(reply, surface, path);
    for (name, value) in [
        ("x-content-type-options", "nosniff"),
        ("cross-origin-opener-policy", "same-origin"),
        ("permissions-policy", "camera=(), geolocation=(), microphone=()"),
    ] {
        assert_eq!(reply.header(name), Some(value), "{path}");
    }
    let policy = reply.header("content-security-policy").unwrap_or_default();
    assert!(policy.starts_with("default-src 'none'; "), "{path}: {policy}");
    assert!(policy.contains("frame-ancestors 'none'"), "{path}: {policy}");
    // The dashboard's widgets set styles of single elements, and nothing else.
    let policy = policy.replace("style-src-attr 'unsafe-inline'", "");
    assert!(
        !policy.contains("unsafe") && !policy.contains('*'),
        "{path}: {policy}"
    );
    let strict = reply.header("strict-transport-security");
    assert_eq!(
        strict,
        https.then_some("max-age=31536000; includeSubDomains"),
        "{path}"
    );
    assert!(
        reply.header("x-request-id").is_some_and(|id| id.len() == 20),
        "{path}"
    );
    for name in [
        "access-control-allow-origin",
        "access-control-allow-credentials",
        "server",
    ] {
        assert_eq!(reply.header(name), None, "{path}");
    }
    if !path.ends_with("/account/sign-out") {
        assert_eq!(reply.header("set-cookie"), None, "{path}");
    }
    if !path.starts_with("/app") && !path.ends_with("/accept") {
        assert_eq!(reply.header("location"), None, "{path}");
    }
}

async fn walk(engine: Engine, url: &str, https: bool) {
    let test = TestApp::start_with(engine, |_| {}, |settings| settings.public_url = url.to_owned()).await;
    let tenant = test.full_tenant(1, Tier::Pro).await;
    let owner = test.person(&test.session(&tenant.owner).await);
    let callers: [Client; 3] = [test.client(), test.plugin(&tenant.key), owner];
    for caller in &callers {
        for route in web::table() {
            for prefix in prefixes(&route) {
                let call = example(&route, &Target::from(&tenant)).below(prefix);
                let path = call.uri.split('?').next().unwrap_or_default();
                for method in [&call.method, &Method::PUT, &Method::OPTIONS, &Method::HEAD] {
                    let reply = caller.send(method.clone(), &call.uri, Body::from("{")).await;
                    assert_headers(&reply, (path, route.surface), https);
                }
                let preflight = caller
                    .clone()
                    .header("origin", "https://evil.example")
                    .header("access-control-request-method", "POST");
                assert_headers(
                    &preflight.send(Method::OPTIONS, &call.uri, Body::empty()).await,
                    (path, route.surface),
                    https,
                );
            }
        }
        for (path, surface) in [
            ("/nothing", Surface::PublicPage),
            ("/orgs/nothing", Surface::Dashboard),
            ("/app/x", Surface::DashboardPage),
            ("/link/x", Surface::PrivatePage),
            ("/auth/x", Surface::Dashboard),
            ("/api/x", Surface::Dashboard),
        ] {
            assert_headers(&caller.get(path).await, (path, surface), https);
        }
        let long = format!("/orgs/{}", "x".repeat(49 * 1024));
        assert_headers(&caller.get(&long).await, ("/orgs/x", Surface::Dashboard), https);
    }
    test.finish().await;
}

both_databases! {
    async fn every_answer_carries_the_security_headers(engine) {
        walk(engine, "http://127.0.0.1:8080", false).await;
    }

    async fn browsers_are_kept_on_tls_where_it_is_in_use(engine) {
        walk(engine, "https://symbolon.example", true).await;
    }

    async fn request_ids_differ(engine) {
        let test = TestApp::start(engine).await;
        let mut seen = std::collections::HashSet::new();
        for _ in 0..200 {
            let reply = test.client().get("/healthz").await;
            assert!(seen.insert(reply.header("x-request-id").unwrap().to_owned()));
        }
        test.finish().await;
    }
}
