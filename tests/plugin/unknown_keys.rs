//! Guessing keys: well-formed keys that do not exist are counted per network.

use domain::plan::Tier;
use testkit::{Client, TestApp, both_databases};

use super::support::{assert_answer, assert_failure, limit, rate_of, revoke, stranger};

const COUNT: &str = "/api?action=count";

/// Tries one unknown key after another until the network's allowance is used up.
async fn use_up(caller: impl Fn(&str) -> Client) {
    for number in 0..30 {
        let reply = caller(&stranger(number)).get(COUNT).await;
        assert_failure(&reply, 401, "UNAUTHORIZED");
    }
}

async fn assert_throttled(caller: Client) {
    let reply = caller.get(COUNT).await;
    assert_failure(&reply, 429, "RATE_LIMITED");
    assert_eq!(rate_of(&reply), None);
    assert_eq!(reply.header("retry-after"), Some("2"));
}

both_databases! {
    async fn thirty_unknown_keys_a_minute_are_answered_per_ipv4_network(engine) {
        let test = TestApp::start(engine).await;
        use_up(|key| test.plugin(key).from("198.51.100.7")).await;
        for address in ["198.51.100.7", "198.51.100.0", "198.51.100.255", "::ffff:198.51.100.9"] {
            assert_throttled(test.plugin(&stranger(99)).from(address)).await;
        }
        for address in ["198.51.99.7", "198.51.101.7", "198.50.100.7", "2001:db8::1"] {
            let reply = test.plugin(&stranger(99)).from(address).get(COUNT).await;
            assert_failure(&reply, 401, "UNAUTHORIZED");
        }
        test.clock.advance_ms(2_000);
        let again = test.plugin(&stranger(99)).from("198.51.100.7");
        assert_failure(&again.get(COUNT).await, 401, "UNAUTHORIZED");
        assert_throttled(again).await;
        test.clock.advance_ms(60_000);
        use_up(|key| test.plugin(key).from("198.51.100.8")).await;
        assert_throttled(test.plugin(&stranger(99)).from("198.51.100.7")).await;
        test.finish().await;
    }

    async fn thirty_unknown_keys_a_minute_are_answered_per_ipv6_network(engine) {
        let test = TestApp::start(engine).await;
        use_up(|key| test.plugin(key).from("2001:db8:1:2::7")).await;
        assert_throttled(test.plugin(&stranger(99)).from("2001:db8:1:2:ffff:ffff:ffff:ffff")).await;
        for address in ["2001:db8:1:3::7", "2001:db8:2:2::7", "198.51.100.7"] {
            let reply = test.plugin(&stranger(99)).from(address).get(COUNT).await;
            assert_failure(&reply, 401, "UNAUTHORIZED");
        }
        test.finish().await;
    }

    async fn valid_keys_never_suffer_from_guessing_in_their_network(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        use_up(|key| test.plugin(key)).await;
        assert_throttled(test.plugin(&stranger(99))).await;
        for left in (470..480).rev() {
            let reply = test.plugin(&tenant.key).get(COUNT).await;
            assert_answer(&reply, 200, r#"{"Total":0}"#);
            assert_eq!(rate_of(&reply).map(|(_, left, _)| left), Some(left));
        }
        test.finish().await;
    }

    async fn calls_of_valid_keys_do_not_use_up_the_networks_allowance(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        revoke(&test, &tenant).await;
        for _ in 0..40 {
            assert_failure(&test.plugin(&tenant.key).get(COUNT).await, 403, "KEY_REVOKED");
        }
        use_up(|key| test.plugin(key)).await;
        test.finish().await;
    }

    async fn missing_and_malformed_keys_are_not_counted(engine) {
        let test = TestApp::start_with(engine, |limits| limits.unknown_keys = limit(30, 1), |_| {}).await;
        let nearly = stranger(1).to_uppercase();
        for caller in [test.client(), test.plugin(""), test.plugin("junk"), test.plugin(&nearly)] {
            for _ in 0..3 {
                assert_failure(&caller.get(COUNT).await, 401, "UNAUTHORIZED");
            }
        }
        assert_failure(&test.plugin(&stranger(1)).get(COUNT).await, 401, "UNAUTHORIZED");
        assert_throttled(test.plugin(&stranger(2))).await;
        for caller in [test.client(), test.plugin("junk")] {
            assert_failure(&caller.get(COUNT).await, 401, "UNAUTHORIZED");
        }
        test.finish().await;
    }

    async fn unknown_keys_are_counted_wherever_they_stand(engine) {
        let test = TestApp::start_with(engine, |limits| limits.unknown_keys = limit(30, 2), |_| {}).await;
        let bearer = test.client().header("authorization", &format!("Bearer {}", stranger(1)));
        assert_failure(&bearer.get(COUNT).await, 401, "UNAUTHORIZED");
        let in_address = format!("{COUNT}&secret={}", stranger(2));
        assert_failure(&test.client().get(&in_address).await, 401, "UNAUTHORIZED");
        assert_throttled(test.plugin(&stranger(3))).await;
        test.finish().await;
    }
}
