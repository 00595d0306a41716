//! Headers that every answer carries.

use std::collections::HashSet;

use domain::plan::Tier;
use testkit::{Reply, TestApp, both_databases, steam};

use super::support::{JSON, assert_answer, revoke, stranger};

const WARNING: &str = "299 - \"Send the key in the X-API-Key header instead of the URL\"";

fn assert_common(reply: &Reply) {
    assert_eq!(reply.header("content-type"), Some(JSON));
    assert_eq!(reply.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(reply.header("cache-control"), Some("no-store"));
    assert_eq!(reply.header("referrer-policy"), Some("no-referrer"));
    assert_eq!(reply.header("cross-origin-opener-policy"), Some("same-origin"));
    assert_eq!(
        reply.header("content-security-policy"),
        Some("default-src 'none'; frame-ancestors 'none'")
    );
    for name in ["set-cookie", "location", "server", "access-control-allow-origin"] {
        assert_eq!(reply.header(name), None);
    }
    for (name, _) in &reply.headers {
        assert_eq!(
            reply.headers.get_all(name).iter().count(),
            1,
            "{name} is sent twice"
        );
    }
}

both_databases! {
    async fn every_answer_carries_the_same_headers_and_an_id_of_its_own(engine) {
        let test = TestApp::start(engine).await;
        let (tenant, dead) = (test.tenant(1, Tier::Free).await, test.tenant(2, Tier::Free).await);
        tenant.link(&test.app, 1).await;
        revoke(&test, &dead).await;
        let caller = test.plugin(&tenant.key);
        let (hit, miss) = (format!("action=findBySteam&id={}", steam(1)), format!("action=findBySteam&id={}", steam(2)));
        let (secret, long) = (format!("action=count&secret={}", tenant.key), format!("action=count&x={}", "x".repeat(50_000)));
        let mut answers = Vec::new();
        for query in ["action=count", &hit, &miss, "action=x", "action=getPlayer", "action=update", "action=remove", &long] {
            answers.push(caller.get(&format!("/api?{query}")).await);
        }
        answers.push(caller.post("/api?action=count", &"x".repeat(600_000)).await);
        answers.push(caller.send(http::Method::PUT, "/api?action=count", axum::body::Body::empty()).await);
        answers.push(test.client().get(&format!("/api?{secret}")).await);
        answers.push(test.client().get("/api?action=count").await);
        answers.push(test.plugin(&dead.key).get("/api?action=count").await);
        answers.push(test.plugin(&stranger(1)).get("/api.php?action=count").await);
        let mut ids = HashSet::new();
        for reply in &answers {
            assert_common(reply);
            let id = reply.header("x-request-id").expect("an id");
            assert!(ids.insert(id.to_owned()), "{id} was given twice");
        }
        test.finish().await;
    }

    async fn a_request_cannot_choose_its_id(engine) {
        let test = TestApp::start(engine).await;
        let reply = test.client().header("x-request-id", "chosen").get("/api?action=count").await;
        assert_ne!(reply.header("x-request-id"), Some("chosen"));
        assert!(!reply.text().contains("chosen"));
        test.finish().await;
    }

    async fn only_a_key_in_the_address_is_answered_with_a_deprecation(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let secret = format!("&secret={}", tenant.key);
        for query in ["action=count", "action=x", "action=getPlayer", "action=findBySteam"] {
            let reply = test.client().get(&format!("/api?{query}{secret}")).await;
            assert_eq!((reply.header("deprecation"), reply.header("warning")), (Some("true"), Some(WARNING)));
        }
        let bearer = test.client().header("authorization", &format!("Bearer {}", tenant.key));
        for caller in [test.plugin(&tenant.key), bearer] {
            for query in [&secret, ""] {
                let reply = caller.get(&format!("/api?action=count{query}")).await;
                assert_answer(&reply, 200, r#"{"Total":0}"#);
                assert_eq!((reply.header("deprecation"), reply.header("warning")), (None, None));
            }
        }
        let keyless = test.client().get("/api?action=count").await;
        assert_eq!((keyless.header("deprecation"), keyless.header("warning")), (None, None));
        test.finish().await;
    }

    async fn https_is_demanded_for_the_future_only_where_it_is_served(engine) {
        let test = TestApp::start(engine).await;
        let reply = test.client().get("/api?action=count").await;
        assert_eq!(reply.header("strict-transport-security"), None);
        test.finish().await;
        let change = |settings: &mut web::Settings| settings.public_url = "https://link.example".to_owned();
        let test = TestApp::start_with(engine, |_| {}, change).await;
        let reply = test.client().get("/api?action=count").await;
        assert_eq!(reply.header("strict-transport-security"), Some("max-age=31536000; includeSubDomains"));
        test.finish().await;
    }

    async fn no_answer_repeats_the_key_it_was_asked_with(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let key = tenant.key.as_str();
        for query in ["action=count", "action=x", "action=findBySteam", "action=remove&id=1", "action=count&guild_id=1"] {
            let reply = test.client().get(&format!("/api?{query}&secret={key}&id={key}")).await;
            assert!(!format!("{:?}{}", reply.headers, reply.text()).contains(&key[9..]), "{query}");
        }
        test.finish().await;
    }
}
