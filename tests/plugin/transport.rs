//! `require_tls`: keys over plain HTTP are refused, except where nobody can listen.

use std::sync::Arc;

use domain::plan::Tier;
use testkit::{Client, TestApp, both_databases};
use web::Settings;

use super::support::{assert_answer, assert_failure, rate_of};

const COUNT: &str = "/api?action=count";

fn strict(settings: &mut Settings) {
    settings.require_tls = true;
    settings.trusted_proxies = Arc::from(["10.0.0.0/8".parse().expect("a network")]);
}

/// The same key in each of its places.
fn callers(test: &TestApp, key: &str) -> [(Client, String); 3] {
    [
        (test.plugin(key), COUNT.to_owned()),
        (
            test.client().header("authorization", &format!("Bearer {key}")),
            COUNT.to_owned(),
        ),
        (test.client(), format!("{COUNT}&secret={key}")),
    ]
}

both_databases! {
    async fn a_key_over_plain_http_from_outside_is_refused(engine) {
        let test = TestApp::start_with(engine, |_| {}, strict).await;
        let tenant = test.tenant(1, Tier::Free).await;
        for (caller, uri) in callers(&test, &tenant.key) {
            for outside in [caller.clone(), caller.clone().header("x-forwarded-proto", "https"), caller.from("2001:db8::1")] {
                let reply = outside.get(&uri).await;
                assert_failure(&reply, 403, "TLS_REQUIRED");
                assert_eq!((rate_of(&reply), reply.header("location")), (None, None));
            }
        }
        assert_failure(&test.client().get(COUNT).await, 401, "UNAUTHORIZED");
        test.finish().await;
    }

    async fn a_key_from_the_same_machine_is_accepted(engine) {
        let test = TestApp::start_with(engine, |_| {}, strict).await;
        let tenant = test.tenant(1, Tier::Free).await;
        for address in ["127.0.0.1", "127.8.8.8", "::1"] {
            for (caller, uri) in callers(&test, &tenant.key) {
                assert_answer(&caller.from(address).get(&uri).await, 200, r#"{"Total":0}"#);
            }
        }
        test.finish().await;
    }

    async fn a_key_from_the_address_that_we_listen_on_is_accepted(engine) {
        let own = |settings: &mut Settings| {
            settings.require_tls = true;
            settings.own_ip = "192.0.2.5".parse().ok();
        };
        let test = TestApp::start_with(engine, |_| {}, own).await;
        let tenant = test.tenant(1, Tier::Free).await;
        for (caller, uri) in callers(&test, &tenant.key) {
            for address in ["192.0.2.5", "::ffff:192.0.2.5"] {
                assert_answer(&caller.clone().from(address).get(&uri).await, 200, r#"{"Total":0}"#);
            }
            assert_failure(&caller.from("192.0.2.6").get(&uri).await, 403, "TLS_REQUIRED");
        }
        test.finish().await;
    }

    async fn behind_a_trusted_proxy_its_word_counts(engine) {
        let test = TestApp::start_with(engine, |_| {}, strict).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let proxied = test.plugin(&tenant.key).from("10.0.0.1");
        let reply = proxied.clone().header("x-forwarded-proto", "https").get(COUNT).await;
        assert_answer(&reply, 200, r#"{"Total":0}"#);
        for caller in [proxied.clone(), proxied.header("x-forwarded-proto", "http")] {
            assert_failure(&caller.get(COUNT).await, 403, "TLS_REQUIRED");
        }
        test.finish().await;
    }

    async fn without_the_setting_plain_http_is_accepted(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        for (caller, uri) in callers(&test, &tenant.key) {
            assert_answer(&caller.get(&uri).await, 200, r#"{"Total":0}"#);
        }
        test.finish().await;
    }
}
