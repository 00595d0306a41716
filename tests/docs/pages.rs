//! The pages: complete, linked with each other, without scripts.

use std::collections::BTreeSet;

use domain::action::ACTIONS;
use testkit::{Reply, TestApp, both_databases};

const POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// A whole page that a browser shows without anything from elsewhere.
fn assert_page(reply: &Reply, path: &str) {
    assert_eq!(reply.status, 200, "{path}: {}", reply.text());
    assert_eq!(
        reply.header("content-type"),
        Some("text/html; charset=utf-8"),
        "{path}"
    );
    assert_eq!(reply.header("content-security-policy"), Some(POLICY), "{path}");
    let html = reply.text();
    assert!(html.starts_with("<!doctype html>"), "{path}");
    assert!(html.trim_end().ends_with("</html>"), "{path}");
    for needed in [
        "<html lang=\"en\">",
        "name=\"viewport\"",
        "<main id=\"main\">",
        "aria-current=\"page\"",
    ] {
        assert!(html.contains(needed), "{path} lacks {needed}");
    }
    assert_eq!(html.matches("<h1").count(), 1, "{path}");
    for banned in ["<script", "style=", "onclick", "<img", "<iframe"] {
        assert!(!html.contains(banned), "{path} has {banned}");
    }
}

/// Addresses on this site that a page links to.
fn links(html: &str) -> BTreeSet<String> {
    html.split("href=\"")
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
        .filter(|target| target.starts_with('/'))
        .map(|target| target.split('#').next().unwrap_or_default().to_owned())
        .collect()
}

both_databases! {
    async fn every_link_of_the_documentation_leads_somewhere(engine) {
        let test = TestApp::start(engine).await;
        let mut seen = BTreeSet::new();
        let mut waiting = BTreeSet::from(["/docs".to_owned()]);
        while let Some(path) = waiting.pop_first() {
            let reply = test.client().get(&path).await;
            assert_eq!(reply.status, 200, "{path}");
            if path.starts_with("/docs") {
                assert_page(&reply, &path);
                waiting.extend(links(reply.text()).difference(&seen).cloned());
            }
            seen.insert(path.clone());
            waiting.remove(&path);
        }
        for spec in ACTIONS {
            assert!(seen.contains(&format!("/docs/api/{}", spec.name)), "{} is not linked", spec.name);
        }
        for route in web::table() {
            if route.path.starts_with("/docs") && !route.path.contains('{') {
                assert!(seen.contains(route.path), "{} cannot be reached", route.path);
            }
        }
        test.finish().await;
    }

    async fn every_action_has_its_page_and_nothing_else_has_one(engine) {
        let test = TestApp::start(engine).await;
        let index = test.client().get("/docs/api").await;
        let listed: Vec<&str> = index
            .text()
            .split("href=\"/docs/api/")
            .skip(1)
            .filter_map(|rest| rest.split('"').next())
            .collect();
        assert_eq!(listed.len(), ACTIONS.len());
        for spec in ACTIONS {
            assert!(listed.contains(&spec.name), "{}", spec.name);
            let reply = test.client().get(&format!("/docs/api/{}", spec.name)).await;
            let html = reply.text();
            assert!(html.contains(&format!("<h1><code>{}</code></h1>", spec.name)), "{}", spec.name);
            assert!(html.contains(&format!("action={}", spec.name)), "{}", spec.name);
            assert_eq!(html.contains("Included in plugin keys"), spec.plugin, "{}", spec.name);
            assert_eq!(html.contains("Changes data"), spec.mutating, "{}", spec.name);
            assert_eq!(html.contains("No users</q>"), spec.fail_closed, "{}", spec.name);
        }
        for unknown in ["getBotGuildMapping", "Count", "x", "%3Cb%3E", "%ff"] {
            let reply = test.client().get(&format!("/docs/api/{unknown}")).await;
            assert_eq!(reply.status, 404, "{unknown}");
            assert!(!reply.text().contains("<b>"), "{unknown}");
        }
        test.finish().await;
    }

    async fn what_a_browser_has_is_not_sent_again(engine) {
        let test = TestApp::start(engine).await;
        for path in ["/docs", "/docs/api", "/docs/api/count", "/docs/errors", "/docs/migrating", "/openapi.json"] {
            let first = test.client().get(path).await;
            assert_eq!((first.status.as_u16(), first.header("cache-control")), (200, Some("no-cache")), "{path}");
            let tag = first.header("etag").expect("a tag").to_owned();
            for known in [tag.clone(), format!("W/{tag}"), format!("\"x\", {tag}")] {
                let again = test.client().header("if-none-match", &known).get(path).await;
                assert_eq!((again.status.as_u16(), again.body.len()), (304, 0), "{path}");
                assert_eq!(again.header("etag"), Some(tag.as_str()), "{path}");
            }
            let other = test.client().header("if-none-match", "\"x\"").get(path).await;
            assert_eq!((other.status.as_u16(), &other.body), (200, &first.body), "{path}");
        }
        test.finish().await;
    }

    async fn files_whose_names_follow_their_content_are_kept_for_ever(engine) {
        let test = TestApp::start(engine).await;
        let (docs, front) = (test.client().get("/docs").await, test.client().get("/").await);
        for (page, file, kind) in [
            (&docs, "/static/docs-", "text/css; charset=utf-8"),
            (&docs, "/static/icon-", "image/svg+xml"),
            (&front, "/static/icon-", "image/svg+xml"),
        ] {
            let named = links(page.text()).into_iter().find(|path| path.starts_with(file)).expect("a file");
            let found = test.client().get(&named).await;
            assert_eq!((found.status.as_u16(), found.header("content-type")), (200, Some(kind)), "{named}");
            assert_eq!(found.header("cache-control"), Some("public, max-age=31536000, immutable"), "{named}");
        }
        let other = test.client().get("/static/docs-000000000000.css").await;
        assert_eq!((other.status.as_u16(), other.header("cache-control")), (404, Some("no-store")));
        test.finish().await;
    }

    async fn the_address_of_the_instance_is_in_the_examples_and_is_escaped(engine) {
        let nasty = "https://x.example/<b>&'";
        let test = TestApp::start_with(engine, |_| {}, |settings| settings.public_url = nasty.to_owned()).await;
        let html = test.client().get("/docs/api/count").await.text().to_owned();
        assert!(html.contains("https://x.example/") && !html.contains("<b>"), "{html}");
        test.finish().await;
    }

    async fn an_unknown_action_points_at_a_page_that_exists(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, domain::plan::Tier::Free).await;
        let refused = test.plugin(&tenant.key).get("/api?action=nonsense").await;
        let message = refused.json()["message"].as_str().expect("a message").to_owned();
        let page = message.split(' ').find(|word| word.starts_with("/docs")).expect("a page");
        assert_page(&test.client().get(page).await, page);
        test.finish().await;
    }
}
