//! Only GET and POST have an effect.

use axum::body::Body;
use domain::plan::Tier;
use http::Method;
use testkit::{TestApp, both_databases, steam};

use super::support::{assert_failure, links};

both_databases! {
    async fn other_methods_are_refused_and_leave_the_link(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        tenant.link(&test.app, 1).await;
        let caller = test.plugin(&tenant.key);
        let extension = Method::from_bytes(b"PURGE").expect("a method");
        for path in ["/api", "/api.php", "/x/api.php"] {
            let asked = format!("{path}?action=remove&id={}", steam(1));
            for method in [Method::PUT, Method::DELETE, Method::PATCH, Method::TRACE, extension.clone()] {
                let reply = caller.send(method, &asked, Body::empty()).await;
                assert_failure(&reply, 405, "METHOD_NOT_ALLOWED");
                assert_eq!(reply.header("allow"), Some("GET, POST"));
            }
        }
        assert_eq!(links(&test, &tenant).await[0].ended_at_ms, None);
        test.finish().await;
    }

    async fn head_is_refused_without_a_body_and_leaves_the_link(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        tenant.link(&test.app, 1).await;
        for query in [format!("action=remove&id={}", steam(1)), "action=count".to_owned()] {
            let reply = test.plugin(&tenant.key).send(Method::HEAD, &format!("/api?{query}"), Body::empty()).await;
            assert_eq!((reply.status.as_u16(), reply.text()), (405, ""));
            assert_eq!(reply.header("allow"), Some("GET, POST"));
            assert!(reply.header("x-request-id").is_some());
        }
        assert_eq!(links(&test, &tenant).await[0].ended_at_ms, None);
        test.finish().await;
    }

    async fn options_tells_the_methods_and_leaves_the_link(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        tenant.link(&test.app, 1).await;
        let asked = format!("/api?action=remove&id={}", steam(1));
        for caller in [test.plugin(&tenant.key), test.client()] {
            let reply = caller.send(Method::OPTIONS, &asked, Body::empty()).await;
            assert_eq!((reply.status.as_u16(), reply.text()), (204, ""));
            assert_eq!(reply.header("allow"), Some("GET, POST"));
            assert_eq!(reply.header("cache-control"), Some("no-store"));
            // No other site may read our answers.
            assert_eq!(reply.header("access-control-allow-origin"), None);
        }
        assert_eq!(links(&test, &tenant).await[0].ended_at_ms, None);
        test.finish().await;
    }
}
