//! Where a key may stand, and which place decides.

use domain::plan::Tier;
use testkit::{Client, Reply, Tenant, TestApp, both_databases};

use super::support::{assert_answer, assert_failure, stranger};

/// A caller with these headers, asking `count` with this in its address.
async fn ask(test: &TestApp, headers: &[(&'static str, &str)], query: &str) -> Reply {
    let caller = headers
        .iter()
        .fold(test.client(), |caller, (name, value)| caller.header(name, value));
    caller.get(&format!("/api?action=count{query}")).await
}

fn bearer(key: &str) -> String {
    format!("Bearer {key}")
}

/// Two tenants whose `count` differs, so that an answer shows which key was used.
async fn two(test: &TestApp) -> (Tenant, Tenant) {
    let (one, two) = (test.tenant(1, Tier::Free).await, test.tenant(2, Tier::Free).await);
    two.link(&test.app, 1).await;
    (one, two)
}

both_databases! {
    async fn a_key_is_accepted_in_each_of_its_three_places(engine) {
        let test = TestApp::start(engine).await;
        let (_, tenant) = two(&test).await;
        let (key, in_address) = (tenant.key.as_str(), format!("&secret={}", tenant.key));
        let answers = [
            ask(&test, &[("x-api-key", key)], "").await,
            ask(&test, &[("authorization", &bearer(key))], "").await,
            ask(&test, &[], &in_address).await,
        ];
        for reply in answers {
            assert_answer(&reply, 200, r#"{"Total":1}"#);
        }
        for scheme in ["bearer", "BEARER", "bEaReR", "Bearer  "] {
            let reply = ask(&test, &[("authorization", &format!("{scheme} {key}"))], "").await;
            assert_answer(&reply, 200, r#"{"Total":1}"#);
        }
        test.finish().await;
    }

    async fn the_header_beats_the_bearer_and_the_bearer_beats_the_address(engine) {
        let test = TestApp::start(engine).await;
        let (one, two) = two(&test).await;
        let (first, second, address) = (one.key.as_str(), bearer(&two.key), format!("&secret={}", two.key));
        let reply = ask(&test, &[("authorization", &second), ("x-api-key", first)], &address).await;
        assert_answer(&reply, 200, r#"{"Total":0}"#);
        let reply = ask(&test, &[("authorization", &bearer(first))], &address).await;
        assert_answer(&reply, 200, r#"{"Total":0}"#);
        let repeated = format!("&secret={first}&secret={}", two.key);
        assert_answer(&ask(&test, &[], &repeated).await, 200, r#"{"Total":1}"#);
        test.finish().await;
    }

    async fn a_wrong_key_in_an_earlier_place_is_not_forgiven_for_a_right_one_later(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let (key, right) = (tenant.key.as_str(), bearer(&tenant.key));
        let (secret, nobody) = (format!("&secret={key}"), stranger(1));
        let wrong_bearer = bearer(&nobody);
        for headers in [
            vec![("x-api-key", nobody.as_str()), ("authorization", &right)],
            vec![("x-api-key", "junk"), ("authorization", &right)],
            vec![("x-api-key", ""), ("authorization", &right)],
            vec![("authorization", wrong_bearer.as_str())],
            vec![("authorization", "Bearer junk")],
            vec![("authorization", "Bearer")],
            vec![("authorization", "bearer  ")],
            vec![("authorization", "Basic c2VjcmV0OnNlY3JldA=="), ("authorization", &wrong_bearer)],
        ] {
            assert_failure(&ask(&test, &headers, &secret).await, 401, "UNAUTHORIZED");
        }
        for address in [format!("&secret={key}&secret={nobody}"), format!("&secret={key}&secret=")] {
            assert_failure(&ask(&test, &[], &address).await, 401, "UNAUTHORIZED");
        }
        test.finish().await;
    }

    async fn an_authorization_that_is_meant_for_somebody_else_hides_no_key(engine) {
        let test = TestApp::start(engine).await;
        let (_, tenant) = two(&test).await;
        let (in_address, right) = (format!("&secret={}", tenant.key), bearer(&tenant.key));
        for other in ["", " ", "Basic c2VjcmV0OnNlY3JldA==", "Basic", "Digest username=\"x\"", "Bearerx", &tenant.key] {
            let headers = [("authorization", other)];
            assert_answer(&ask(&test, &headers, &in_address).await, 200, r#"{"Total":1}"#);
            assert_failure(&ask(&test, &headers, "").await, 401, "UNAUTHORIZED");
            let both = [("authorization", other), ("authorization", right.as_str())];
            assert_answer(&ask(&test, &both, "").await, 200, r#"{"Total":1}"#);
        }
        test.finish().await;
    }

    async fn a_header_that_is_sent_twice_is_refused_even_when_both_are_right(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let (key, right) = (tenant.key.as_str(), bearer(&tenant.key));
        for headers in [
            [("x-api-key", key), ("x-api-key", key)],
            [("x-api-key", key), ("x-api-key", "")],
            [("authorization", right.as_str()), ("authorization", &right)],
        ] {
            assert_failure(&ask(&test, &headers, "").await, 401, "UNAUTHORIZED");
        }
        let joined = format!("{key}, {key}");
        assert_failure(&ask(&test, &[("x-api-key", &joined)], "").await, 401, "UNAUTHORIZED");
        test.finish().await;
    }

    async fn anything_but_the_exact_key_is_refused(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let key = tenant.key.as_str();
        let hex = key.strip_prefix("svc_live_").expect("the mark of a key");
        for wrong in [
            String::new(),
            "svc_live_".to_owned(),
            hex.to_owned(),
            key.to_uppercase(),
            format!("svc_live_{}", hex.to_uppercase()),
            format!("SVC_LIVE_{hex}"),
            format!("svc_test_{hex}"),
            key[..key.len() - 1].to_owned(),
            format!("{key}0"),
            format!("x{key}"),
            format!("{key};"),
            format!("\"{key}\""),
            format!("{key} {key}"),
            format!("Bearer {key}"),
        ] {
            assert_failure(&ask(&test, &[("x-api-key", &wrong)], "").await, 401, "UNAUTHORIZED");
            let authorization = bearer(&wrong);
            assert_failure(&ask(&test, &[("authorization", &authorization)], "").await, 401, "UNAUTHORIZED");
            let escaped = wrong.replace(' ', "%20").replace('"', "%22");
            assert_failure(&ask(&test, &[], &format!("&secret={escaped}")).await, 401, "UNAUTHORIZED");
        }
        for around in [format!("%20{key}"), format!("{key}%20"), format!("{key}%0a")] {
            assert_failure(&ask(&test, &[], &format!("&secret={around}")).await, 401, "UNAUTHORIZED");
        }
        test.finish().await;
    }

    async fn missing_malformed_and_unknown_keys_get_the_same_answer(engine) {
        let test = TestApp::start(engine).await;
        let callers: [Client; 3] = [test.client(), test.plugin("junk"), test.plugin(&stranger(1))];
        let mut answers = Vec::new();
        for caller in callers {
            let reply = caller.get("/api?action=count").await;
            assert_failure(&reply, 401, "UNAUTHORIZED");
            let id = reply.header("x-request-id").expect("an id").to_owned();
            answers.push((reply.text().replace(&id, "-"), reply.snapshot()));
        }
        assert!(answers.windows(2).all(|pair| pair[0] == pair[1]), "{answers:#?}");
        test.finish().await;
    }
}
