//! Rate limits per key.

use std::future::ready;

use app::tenancy::guild_changes::{self, GuildChange};
use app::tenancy::servers;
use axum::body::{Body, Bytes};
use domain::audit::Actor;
use domain::name::DisplayName;
use domain::plan::Tier;
use futures_util::stream;
use http::Method;
use testkit::{Engine, START_MS, TestApp, both_databases, discord, steam};
use web::serve::BodyTooSlow;

use super::support::{assert_answer, assert_failure, limit, rate_of, regenerate, server, stranger};

const COUNT: &str = "/api?action=count";
const START_S: i64 = START_MS / 1000;

both_databases! {
    async fn a_free_key_makes_480_calls_at_once_and_then_four_a_second(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let caller = test.plugin(&tenant.key);
        for left in (0..480).rev() {
            let reply = caller.get(COUNT).await;
            assert_eq!(reply.status, 200);
            // A call comes back every 250 ms; the reset is told in whole seconds, never too early.
            let full_at_s = START_S + (i64::from(480 - left) * 250 + 999) / 1000;
            assert_eq!(rate_of(&reply), Some((480, left, full_at_s)));
        }
        for _ in 0..2 {
            let reply = caller.get(COUNT).await;
            assert_failure(&reply, 429, "RATE_LIMITED");
            assert_eq!(rate_of(&reply), Some((480, 0, START_S + 120)));
            assert_eq!(reply.header("retry-after"), Some("1"));
        }
        test.clock.advance_ms(249);
        assert_failure(&caller.get(COUNT).await, 429, "RATE_LIMITED");
        test.clock.advance_ms(1);
        assert_answer(&caller.get(COUNT).await, 200, r#"{"Total":0}"#);
        assert_failure(&caller.get(COUNT).await, 429, "RATE_LIMITED");
        test.clock.advance_ms(60_000);
        let reply = caller.get(COUNT).await;
        assert_eq!(rate_of(&reply).map(|(_, left, _)| left), Some(239));
        test.clock.advance_ms(10 * 60_000);
        let reply = caller.get(COUNT).await;
        assert_eq!(rate_of(&reply).map(|(_, left, _)| left), Some(479));
        test.finish().await;
    }

    async fn paid_tiers_have_their_own_burst_and_refill(engine) {
        let test = TestApp::start(engine).await;
        for (number, tier, per_minute, burst) in [(1, Tier::Standard, 1_200, 2_400), (2, Tier::Pro, 6_000, 12_000)] {
            let tenant = test.tenant(number, tier).await;
            let caller = test.plugin(&tenant.key);
            let now_ms = test.app.now_ms();
            let reply = caller.get(COUNT).await;
            assert_eq!(rate_of(&reply).map(|(limit, left, _)| (limit, left)), Some((burst, burst - 1)));
            // The calls between the first and the last are taken without their requests: there are thousands.
            let key = server(&test, &tenant).await.key.num.0;
            for _ in 2..burst {
                assert!(test.app.memories.gate.take_key(key, tier, false).allowed);
            }
            let last = caller.get(COUNT).await;
            assert_eq!(rate_of(&last), Some((burst, 0, now_ms / 1000 + 120)));
            assert_failure(&caller.get(COUNT).await, 429, "RATE_LIMITED");
            test.clock.advance_ms(60_000);
            let reply = caller.get(COUNT).await;
            assert_eq!(rate_of(&reply).map(|(_, left, _)| left), Some(per_minute - 1));
        }
        test.finish().await;
    }

    async fn a_wall_clock_set_back_ten_minutes_refuses_nobody(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let (caller, unknown) = (test.plugin(&tenant.key), test.plugin(&stranger(1)));
        let owner = test.person(&test.session(&tenant.owner).await);
        for turn in 0..30 {
            let reply = caller.get(COUNT).await;
            assert_answer(&reply, 200, r#"{"Total":0}"#);
            assert_failure(&unknown.get(COUNT).await, 401, "UNAUTHORIZED");
            assert_eq!(owner.get("/account").await.status, 200);
            let begun = test.client().get("/auth/discord/login").await;
            assert_eq!(begun.status, 503, "no Discord here, which is told to whoever may begin");
            if turn == 0 {
                test.clock.advance_ms(-10 * 60_000);
            } else {
                // The reset is still told as a time of the wall clock.
                assert_eq!(rate_of(&reply), Some((480, 479 - turn, START_S - 600 + (i64::from(turn + 1) * 250 + 999) / 1000)));
            }
        }
        // And nobody is given more than their due.
        assert_failure(&unknown.get(COUNT).await, 429, "RATE_LIMITED");
        test.clock.advance_ms(2_000);
        assert_failure(&unknown.get(COUNT).await, 401, "UNAUTHORIZED");
        assert_failure(&unknown.get(COUNT).await, 429, "RATE_LIMITED");
        test.finish().await;
    }

    async fn an_empty_bucket_touches_neither_another_org_nor_another_server(engine) {
        let test = TestApp::start_with(engine, |limits| limits.free = limit(1, 2), |_| {}).await;
        let (dry, other) = (test.tenant(1, Tier::Free).await, test.tenant(2, Tier::Free).await);
        let name = DisplayName::parse("Second").expect("a name");
        let sibling = servers::create(&test.app, dry.scope, dry.guild.clone(), name, Actor::System)
            .await
            .expect("a Server");
        let caller = test.plugin(&dry.key);
        for _ in 0..2 {
            assert_eq!(caller.get(COUNT).await.status, 200);
        }
        let reply = caller.get(COUNT).await;
        assert_failure(&reply, 429, "RATE_LIMITED");
        assert_eq!(reply.header("retry-after"), Some("60"));
        for key in [other.key.as_str(), sibling.key.expose()] {
            let reply = test.plugin(key).get(COUNT).await;
            assert_answer(&reply, 200, r#"{"Total":0}"#);
            assert_eq!(rate_of(&reply).map(|(_, left, _)| left), Some(1));
        }
        test.finish().await;
    }

    async fn a_new_key_does_not_refill_the_bucket_of_its_server(engine) {
        let test = TestApp::start_with(engine, |limits| limits.free = limit(1, 1), |_| {}).await;
        let tenant = test.tenant(1, Tier::Free).await;
        assert_eq!(test.plugin(&tenant.key).get(COUNT).await.status, 200);
        let new = regenerate(&test, &tenant).await;
        assert_failure(&test.plugin(&new).get(COUNT).await, 429, "RATE_LIMITED");
        test.finish().await;
    }

    async fn every_refusal_of_a_known_key_states_its_limit_and_counts_as_a_call(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        for (calls, (query, status)) in (1..).zip([
            ("action=findByDiscord", 403),
            ("action=count&guild_id=1", 403),
            ("action=x", 400),
            ("action=findBySteam", 400),
            ("action=groupChecks&group=4&id=76561198000000000", 503),
            ("action=findBySteam&id=76561198000000000", 404),
        ]) {
            let reply = test.plugin(&tenant.key).get(&format!("/api?{query}")).await;
            assert_eq!(reply.status.as_u16(), status);
            assert_eq!(rate_of(&reply).map(|(limit, left, _)| (limit, left)), Some((480, 480 - calls)));
        }
        for caller in [test.client(), test.plugin("junk"), test.plugin(&stranger(1))] {
            let reply = caller.get(COUNT).await;
            assert_failure(&reply, 401, "UNAUTHORIZED");
            for name in ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset", "retry-after"] {
                assert_eq!(reply.header(name), None);
            }
        }
        test.finish().await;
    }

    async fn a_body_costs_one_call_whether_it_is_taken_or_not(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let caller = test.plugin(&tenant.key);
        let breaks_off = stream::once(ready(Err::<Bytes, _>(std::io::Error::other("reset"))));
        let is_slow = stream::once(ready(Err::<Bytes, _>(BodyTooSlow)));
        for (calls, (body, status)) in (1..).zip([
            (Body::from("{}"), 404),
            (Body::from("[]"), 400),
            (Body::from(vec![b' '; 512 * 1024 + 1]), 413),
            (Body::from_stream(is_slow), 408),
            (Body::from_stream(breaks_off), 400),
            (Body::from(r#"{"id":"\u0000"}"#), 400),
            (Body::empty(), 404),
        ]) {
            let reply = caller.send(Method::POST, "/api?action=findBySteam&id=76561198000000000", body).await;
            assert_eq!(reply.status, status, "{}", reply.text());
            assert!(reply.text().contains("No users"), "{}", reply.text());
            assert_eq!(rate_of(&reply).map(|(limit, left, _)| (limit, left)), Some((480, 480 - calls)));
        }
        test.app.memories.gate.drain_uses();
        let in_query = test.client().post(&format!("{COUNT}&secret={}", tenant.key), "{}").await;
        assert_eq!(rate_of(&in_query).map(|(_, left, _)| left), Some(472));
        let too_much = " ".repeat(512 * 1024 + 1);
        let refused = test.client().post(&format!("{COUNT}&secret={}", tenant.key), &too_much).await;
        assert_failure(&refused, 413, "PAYLOAD_TOO_LARGE");
        assert_eq!(refused.header("deprecation"), Some("true"));
        let uses: Vec<_> = test.app.memories.gate.drain_uses().iter().map(|used| used.query_calls).collect();
        assert_eq!(uses, [2]);
        test.finish().await;
    }

    async fn the_last_call_of_a_bucket_may_have_a_body(engine) {
        let test = TestApp::start_with(engine, |limits| limits.free = limit(1, 1), |_| {}).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let caller = test.plugin(&tenant.key);
        let reply = caller.post(COUNT, "{}").await;
        assert_answer(&reply, 200, r#"{"Total":0}"#);
        assert_eq!(rate_of(&reply), Some((1, 0, START_S + 60)));
        assert_failure(&caller.post(COUNT, "{}").await, 429, "RATE_LIMITED");
        test.finish().await;
    }

    async fn a_change_of_tier_applies_to_the_next_call(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let caller = test.plugin(&tenant.key);
        for _ in 0..240 {
            assert_eq!(caller.get(COUNT).await.status, 200);
        }
        // What was used is time: half of one bucket is half of the other.
        for (tier, limit, left) in [(Tier::Standard, 2_400, 1_199), (Tier::Pro, 12_000, 5_994), (Tier::Free, 480, 238)] {
            app::billing::grants::set_tier(&test.app, tenant.scope, tier, domain::audit::Actor::System).await.expect("a tier");
            let reply = caller.get(COUNT).await;
            assert_eq!(rate_of(&reply).map(|(limit, left, _)| (limit, left)), Some((limit, left)));
        }
        test.finish().await;
    }
}

/// The limits are the same on both databases; thousands of writes are not.
#[tokio::test]
async fn two_hundred_joins_in_five_minutes_with_ten_roles_each_stay_within_standard() {
    let test = TestApp::start(Engine::Sqlite).await;
    let tenant = test.tenant(1, Tier::Standard).await;
    tenant.link(&test.app, 1).await;
    let roles: Vec<_> = (0..10).map(|number| discord(700 + number)).collect();
    let change = GuildChange {
        plugin_roles: Some(roles.clone()),
        ..GuildChange::default()
    };
    guild_changes::change(
        &test.app,
        tenant.scope,
        tenant.guild.clone(),
        change,
        Actor::System,
    )
    .await
    .expect("roles");
    let caller = test.plugin(&tenant.key);
    let player = steam(1);
    for join in 0..200 {
        let mut calls = vec![
            format!("findBySteam&id={player}"),
            format!("updateSteam&id={player}&name=Player"),
            format!("updateOxideGroups&id={player}&groups=vip"),
            format!("getPendingOxideChangesBulk&id={player}"),
        ];
        calls.extend(
            roles
                .iter()
                .map(|role| format!("update&id={player}&role={role}&mode=add")),
        );
        for call in calls {
            let reply = caller.get(&format!("/api?action={call}")).await;
            assert_eq!(reply.status, 200, "join {join}: {call}: {}", reply.text());
        }
        test.clock.advance_ms(1_500);
    }
    test.finish().await;
}
