//! Wrong methods and unknown addresses.

use std::collections::{BTreeMap, BTreeSet};

use axum::body::Body;
use domain::plan::Tier;
use http::Method;
use testkit::{TestApp, both_databases};
use web::layers::Form;
use web::routes::Access;

use super::assert_failure;
use super::surfaces::{assert_follows, follows};
use crate::authorization::examples::{Target, example, prefixes};
use crate::secrecy::rows::Rows;

const METHODS: [Method; 7] = [
    Method::GET,
    Method::POST,
    Method::PUT,
    Method::PATCH,
    Method::DELETE,
    Method::OPTIONS,
    Method::TRACE,
];

both_databases! {
    async fn a_method_that_an_address_does_not_know_is_refused_with_those_it_knows(engine) {
        let test = TestApp::start_with(engine, |limits| limits.dashboard.burst = 10_000, |_| {}).await;
        let tenant = test.full_tenant(1, Tier::Pro).await;
        let person = test.person(&test.session(&tenant.owner).await);
        let rows = Rows::of(&test.db.db).await;
        let before = rows.all(&test.db.db).await;
        let mut known: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for route in web::table() {
            for prefix in prefixes(&route) {
                let uri = example(&route, &Target::from(&tenant)).below(prefix).uri;
                let path = uri.split('?').next().unwrap().to_owned();
                let methods = known.entry(path).or_default();
                methods.insert(route.method.to_string());
                if route.access == Access::PluginKey {
                    methods.extend(["GET", "POST", "OPTIONS"].map(str::to_owned));
                }
            }
        }
        for (path, methods) in &known {
            for method in METHODS {
                if methods.contains(method.as_str()) {
                    continue;
                }
                let place = format!("{method} {path}");
                for caller in [&person, &test.client()] {
                    let reply = caller.send(method.clone(), path, Body::from("{}")).await;
                    assert_eq!(reply.status, 405, "{place}");
                    let allow = reply.header("allow").unwrap_or_default();
                    let mut allowed: BTreeSet<&str> = allow.split(", ").collect();
                    if path == "/api" {
                        allowed.insert("OPTIONS");
                    }
                    assert_eq!(allowed, methods.iter().map(String::as_str).collect(), "{place}");
                    let surface = test.state.routes.surface_of(path);
                    assert_follows(&reply, surface, &place);
                    if follows(surface).form != Form::Page {
                        assert_failure(&reply, 405, "METHOD_NOT_ALLOWED", &place);
                    }
                }
            }
        }
        test.settle().await;
        assert_eq!(before, rows.all(&test.db.db).await);
        test.finish().await;
    }

    async fn unknown_addresses_below_every_api_tree_are_a_json_404(engine) {
        let test = TestApp::start_with(engine, |limits| limits.dashboard.burst = 10_000, |_| {}).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let person = test.person(&test.session(&tenant.owner).await);
        let org = &tenant.org;
        for path in [
            "/api/x",
            "/api/healthz",
            "/api/api",
            "/orgs/",
            "/billing",
            "/billing/x",
            "/bot",
            "/bot/x",
            "/admin",
            "/admin/x",
            "/api/admin/x",
            "/auth",
            "/auth/x",
            "/openapi.json/x",
            "/healthz/x",
            "/readyz/",
            &format!("/orgs/{org}/"),
            &format!("/orgs/{org}/servers/"),
            &format!("/orgs/{org}//servers"),
            &format!("/api/api/orgs/{org}/servers"),
            &format!("/orgs/{org}/servers/{}/key", tenant.server),
            &format!("/orgs/{org}/%73ervers"),
            "/orgs/../healthz",
            "/orgs/%2e%2e/healthz",
        ] {
            for method in [Method::GET, Method::POST, Method::DELETE] {
                for caller in [&person, &test.client()] {
                    let reply = caller.send(method.clone(), path, Body::from("{}")).await;
                    assert_failure(&reply, 404, "NOT_FOUND", path);
                }
            }
        }
        test.finish().await;
    }

    async fn an_address_that_is_too_long_is_refused(engine) {
        let test = TestApp::start_with(engine, |limits| limits.dashboard.burst = 10_000, |_| {}).await;
        let long = "x".repeat(49 * 1024);
        let reply = test.client().get(&format!("/orgs/{long}/servers")).await;
        assert_failure(&reply, 414, "URI_TOO_LONG", "a long path");
        assert!(!reply.text().contains("xxxx"));
        assert_failure(
            &test.client().get(&format!("/readyz?{long}")).await,
            414,
            "URI_TOO_LONG",
            "a long query",
        );
        let long_page = test.client().get(&format!("/{long}")).await;
        assert_eq!(long_page.status, 414);
        assert_eq!(long_page.header("content-type"), Some("text/html; charset=utf-8"));
        test.finish().await;
    }
}
