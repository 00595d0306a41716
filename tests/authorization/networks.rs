//! What people who are not signed in may have stored, and how often.

use axum::body::Body;
use domain::plan::Tier;
use http::Method;
use testkit::{Client, Engine, TestApp, both_databases};
use web::routes::{Access, NetworkLimit, RouteSpec};

use super::examples::{Target, example};
use super::programs;
use crate::plugin::support::limit;
use crate::secrecy::rows::Rows;

/// Secrets that look like ours, as somebody makes up who wants to be looked up.
const COOKIES: &str = "symbolon=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA; \
                       symbolon-flow=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA; \
                       symbolon-sign-in=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// What the network of a caller without a session has to be counted for.
fn counted(route: &RouteSpec) -> Option<NetworkLimit> {
    let is_form = route.method != Method::GET;
    match route.access {
        Access::Public if is_form || route.path.ends_with("/callback") => Some(NetworkLimit::Steps),
        Access::Public if route.path.starts_with("/auth/") => Some(NetworkLimit::Starts),
        // Of the plugin API, the front door counts what nobody holds.
        Access::Public | Access::PluginKey => None,
        Access::Bot | Access::Sender => Some(NetworkLimit::Unproven),
        Access::SignedIn | Access::Member | Access::Permission(_) | Access::Owner(_) | Access::Operator => {
            None
        }
    }
}

#[test]
fn every_route_declares_what_a_network_without_a_session_is_counted_for() {
    let of_programs = programs::table();
    assert!(of_programs.iter().any(|route| route.access == Access::Bot));
    assert!(of_programs.iter().any(|route| route.access == Access::Sender));
    for route in web::table().iter().chain(&of_programs) {
        assert_eq!(route.limit, counted(route), "{} {}", route.method, route.path);
    }
}

async fn send(route: &RouteSpec, target: &Target, caller: &Client) -> u16 {
    let call = example(route, target);
    call.send(caller).await.status.as_u16()
}

async fn small(engine: Engine) -> TestApp {
    let change = |limits: &mut app::memories::gate::Limits| {
        limits.link_starts = limit(1, 3);
        limits.link_steps = limit(1, 3);
    };
    TestApp::start_with(engine, change, |_| {}).await
}

both_databases! {
    async fn a_network_that_used_up_its_limit_is_refused_and_no_other_is(engine) {
        let test = small(engine).await;
        let target = Target::from(&test.tenant(1, Tier::Free).await);
        let limited: Vec<RouteSpec> = web::table().into_iter().filter(|route| route.access == Access::Public && route.limit.is_some()).collect();
        assert!(limited.len() >= 18, "{}", limited.len());
        for route in &limited {
            let form = |address: &str| {
                let caller = test.client().from(address).header("content-type", "application/x-www-form-urlencoded");
                caller.header("cookie", COOKIES)
            };
            for turn in 0..3 {
                assert_ne!(send(route, &target, &form("198.51.100.1")).await, 429, "{} {turn}", route.path);
            }
            let refused = example(route, &target).send(&form("198.51.100.1")).await;
            assert_eq!((refused.status.as_u16(), refused.header("retry-after")), (429, Some("60")), "{}", route.path);
            assert_ne!(send(route, &target, &form("198.51.100.2")).await, 429, "{}", route.path);
            // One household has one bucket, however many addresses it has.
            for turn in 0..3 {
                assert_ne!(send(route, &target, &form(&format!("2001:db8::{turn}"))).await, 429, "{}", route.path);
            }
            assert_eq!(send(route, &target, &form("2001:db8::ffff:9")).await, 429, "{}", route.path);
            test.clock.advance_ms(3 * 60_000);
        }
        test.finish().await;
    }

    async fn public_routes_without_a_limit_store_nothing_whatever_is_sent(engine) {
        let test = small(engine).await;
        let target = Target::from(&test.tenant(1, Tier::Free).await);
        let rows = Rows::of(&test.db.db).await;
        let before = rows.all(&test.db.db).await;
        let open = web::table().into_iter().filter(|route| route.access == Access::Public && route.limit.is_none());
        for route in open {
            let uri = example(&route, &target).uri;
            let caller = test.client().header("cookie", COOKIES).header("content-type", "application/x-www-form-urlencoded");
            for method in [Method::GET, Method::HEAD, Method::POST, Method::PUT, Method::PATCH, Method::DELETE, Method::OPTIONS] {
                let reply = caller.send(method.clone(), &uri, Body::from("form=A")).await;
                assert!(reply.status != 429, "{method} {uri}");
            }
        }
        test.settle().await;
        assert_eq!(before, rows.all(&test.db.db).await);
        test.finish().await;
    }

    async fn a_made_up_flow_cannot_be_restarted_without_end(engine) {
        let test = TestApp::start(engine).await;
        test.tenant(1, Tier::Free).await;
        let token = domain::flow::FlowToken::parse(&"A".repeat(43)).expect("a secret");
        let caller = test.client()
            .header("cookie", &format!("symbolon-flow={}", token.expose()))
            .header("content-type", "application/x-www-form-urlencoded");
        let form = format!("form={}", token.form_token());
        let mut answers = [0, 0];
        for _ in 0..200 {
            match caller.post("/link/guild-1/restart", &form).await.status.as_u16() {
                303 => answers[0] += 1,
                429 => answers[1] += 1,
                other => panic!("{other}"),
            }
        }
        assert_eq!(answers, [60, 140]);
        test.finish().await;
    }
}
