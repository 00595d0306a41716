//! What follows from the surface that every route declares.

use app::error::RequestError;
use app::identity::{accounts, sessions};
use app::memories::gate::Limits;
use app::{background, instance};
use axum::routing::get;
use domain::audit::Actor;
use domain::plan::Tier;
use http::Method;
use http::header::CACHE_CONTROL;
use serde_json::Value;
use testkit::{Client, Reply, TestApp, both_databases};
use web::error::Failure;
use web::extract::{JsonBody, Person};
use web::layers::{Form, Surface};
use web::routes::{Access, RouteAnswer, RouteSpec, RouteTable, Routes};
use web::{Edge, WebState};

use super::assert_failure;
use crate::authorization::callers::{Outcome, Who, outcome};
use crate::authorization::examples::{Target, example, prefixes};

/// What follows from a surface, written down a second time.
pub struct Follows {
    pub form: Form,
    pub closes: bool,
    pub no_referrer: bool,
    pub kept: bool,
    pub unlisted: bool,
    pub noted: bool,
    pub limit_kib: usize,
}

pub fn follows(surface: Surface) -> Follows {
    let (form, closes, no_referrer, kept, unlisted, noted, limit_kib) = match surface {
        Surface::Plugin => (Form::Plugin, false, true, false, false, false, 512),
        Surface::Dashboard => (Form::Api, true, false, false, false, true, 64),
        Surface::DashboardPage => (Form::Page, true, false, true, true, true, 1),
        Surface::Entrance => (Form::Page, true, true, false, true, true, 1),
        Surface::Admin => (Form::Api, false, false, false, false, true, 64),
        Surface::AdminPage => (Form::Page, false, false, true, true, true, 1),
        Surface::PublicPage => (Form::Page, false, false, true, false, true, 1),
        Surface::PrivatePage => (Form::Page, false, true, false, true, true, 1),
        Surface::Bot => (Form::Api, false, false, false, false, false, 64),
        Surface::Webhook => (Form::Api, false, false, false, false, false, 256),
        Surface::Download => (Form::Page, false, false, true, false, true, 1),
        Surface::Ops => (Form::Api, false, false, true, false, true, 64),
    };
    Follows {
        form,
        closes,
        no_referrer,
        kept,
        unlisted,
        noted,
        limit_kib,
    }
}

/// What headers say that depends on the surface.
pub fn assert_follows(reply: &Reply, surface: Surface, place: &str) {
    let follows = follows(surface);
    let referrer = if follows.no_referrer {
        "no-referrer"
    } else {
        "strict-origin-when-cross-origin"
    };
    assert_eq!(reply.header("referrer-policy"), Some(referrer), "{place}");
    let robots = follows.unlisted.then_some("noindex");
    assert_eq!(reply.header("x-robots-tag"), robots, "{place}");
    let is_failure = reply.status.is_client_error() || reply.status.is_server_error();
    let kept = reply.header("cache-control").expect("a word about caches");
    if is_failure || !follows.kept {
        assert_eq!(kept, "no-store", "{place}");
    }
    let policy = reply.header("content-security-policy").unwrap_or_default();
    let allows_nothing = policy == "default-src 'none'; frame-ancestors 'none'";
    assert_eq!(allows_nothing, follows.form != Form::Page, "{place}: {policy}");
    // What HEAD and OPTIONS answer has no form.
    if is_failure && !reply.body.is_empty() {
        let is_page = reply.header("content-type") == Some("text/html; charset=utf-8");
        assert_eq!(is_page, follows.form == Form::Page, "{place}: {}", reply.text());
    }
}

/// Where every address belongs. A new route is put in here by hand.
fn declared(path: &str) -> Surface {
    match path {
        "/api" => Surface::Plugin,
        "/app" | "/app/" | "/app/{*rest}" => Surface::DashboardPage,
        "/app/admin" | "/app/admin/" | "/app/admin/{*rest}" => Surface::AdminPage,
        "/app/assets/{*rest}"
        | "/app/theme.js"
        | "/app/favicon.svg"
        | "/static/{file}"
        | "/pictures/{owner}/{digest}"
        | "/download/plugin"
        | "/download/plugin/{version}" => Surface::Download,
        "/auth/discord/claim" | "/auth/discord/claim/callback" | "/invite/{code}/accept" => Surface::Entrance,
        "/healthz" | "/readyz" | "/openapi.json" | "/download/plugin/manifest" => Surface::Ops,
        "/" => Surface::PublicPage,
        _ => match path.split('/').nth(1) {
            Some("orgs" | "account" | "announcements") => Surface::Dashboard,
            Some("admin") => Surface::Admin,
            Some("bot") => Surface::Bot,
            Some("billing") => Surface::Webhook,
            Some("docs") => Surface::PublicPage,
            Some("auth" | "link" | "unlink" | "invite" | "me") => Surface::PrivatePage,
            _ => panic!("{path}: which surface is it of?"),
        },
    }
}

#[test]
fn every_route_is_of_the_surface_of_its_address() {
    for route in web::table() {
        assert_eq!(route.surface, declared(route.path), "{}", route.path);
        // What is refused beside a route looks like what the route refuses.
        let beside = Surface::of_unknown(route.path);
        let told = |surface| (follows(surface).form, follows(surface).no_referrer);
        assert_eq!(told(route.surface), told(beside), "{}", route.path);
    }
}

#[test]
fn who_may_call_a_route_and_its_surface_belong_together() {
    for route in web::table() {
        let fits = match route.access {
            Access::PluginKey => route.surface == Surface::Plugin,
            Access::SignedIn | Access::Member | Access::Permission(_) | Access::Owner(_) => {
                route.surface == Surface::Dashboard
            }
            Access::Operator => route.surface == Surface::Admin,
            Access::Bot => route.surface == Surface::Bot,
            Access::Sender => route.surface == Surface::Webhook,
            Access::Public => follows(route.surface).form == Form::Page || route.surface == Surface::Ops,
        };
        assert!(fits, "{} is {:?}", route.path, route.surface);
    }
}

const KEEP_IT: &str = "public, max-age=60";

/// An answer that says something about caches, or a failure.
async fn shown(uri: http::Uri) -> Result<([(http::HeaderName, &'static str); 1], String), Failure> {
    match uri.query() {
        Some("fail") => Err(RequestError::NotFound.into()),
        _ => Ok(([(CACHE_CONTROL, KEEP_IT)], "shown".to_owned())),
    }
}

async fn quiet() -> &'static str {
    "nothing about caches"
}

async fn read(JsonBody(_): JsonBody<Value>) -> &'static str {
    "read"
}

async fn personal(_: Person) -> &'static str {
    "let in"
}

/// The address of a route that only these tests have.
fn place(surface: Surface, what: &str) -> &'static str {
    format!("/{}/{what}", surface.name()).leak()
}

/// A service with routes of every surface.
fn service(test: &TestApp) -> Client {
    let mut routes = Routes::new();
    for surface in Surface::ALL {
        for (what, route) in [
            ("shown", get(shown).post(read)),
            ("quiet", get(quiet)),
            ("personal", get(personal)),
        ] {
            let about = (place(surface, what), "Only for tests");
            routes = routes.open(about, (surface, Access::Public), RouteAnswer::Page, route);
        }
    }
    let (router, table) = routes.finish();
    let state = WebState {
        routes: Box::leak(Box::new(RouteTable::new(table))),
        ..test.state.clone()
    };
    test.client_of(Edge::new(web::router::complete(router, &state), state))
}

async fn check_limit(client: &Client, surface: Surface) {
    let limit = follows(surface).limit_kib * 1024;
    let client = client.clone().header("content-type", "application/json");
    for (bytes, expected) in [(limit, 200), (limit + 1, 413)] {
        let body = format!("\"{}\"", "x".repeat(bytes - 2));
        let reply = client.post(place(surface, "shown"), &body).await;
        assert_eq!(reply.status, expected, "{surface:?} with {bytes} bytes");
        assert_follows(&reply, surface, surface.name());
    }
}

both_databases! {
    async fn forms_headers_and_limits_follow_from_the_surface(engine) {
        let test = TestApp::start(engine).await;
        let client = service(&test);
        for surface in Surface::ALL {
            let follows = follows(surface);
            let kept = client.get(place(surface, "shown")).await;
            assert_follows(&kept, surface, surface.name());
            let expected = if follows.kept { KEEP_IT } else { "no-store" };
            assert_eq!(kept.header("cache-control"), Some(expected), "{surface:?}");
            let quiet = client.get(place(surface, "quiet")).await;
            assert_eq!(quiet.header("cache-control"), Some("no-store"), "{surface:?}");
            let failed = client.get(&format!("{}?fail", place(surface, "shown"))).await;
            assert_eq!(failed.status, 404, "{surface:?}");
            // Only the plugin API has words for old bots.
            assert_eq!(failed.text().contains("No users."), follows.form == Form::Plugin, "{surface:?}");
            assert_follows(&failed, surface, surface.name());
            let refused = client.send(Method::DELETE, place(surface, "shown"), axum::body::Body::empty()).await;
            assert_eq!((refused.status.as_u16(), refused.header("allow")), (405, Some("GET")), "{surface:?}");
            assert_follows(&refused, surface, surface.name());
            check_limit(&client, surface).await;
            // A look-up that went astray is told "no" in the words of the plugin API, wherever it went.
            let astray = client.get(&format!("{}?action=findBySteam&id=1", place(surface, "shown"))).await;
            if surface != Surface::Plugin {
                assert_follows(&astray, Surface::Plugin, surface.name());
                assert_failure(&astray, 404, "NOT_FOUND", surface.name());
                assert!(astray.text().contains("No users."), "{surface:?}: {}", astray.text());
            }
        }
        test.finish().await;
    }

    async fn maintenance_and_the_error_log_follow_from_the_surface(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let operator = test.account(9).await;
        accounts::grant_operator(&test.app, operator.clone()).await.unwrap();
        let cookie = |session: String| format!("{}={session}", test.state.settings.session_cookie());
        let client = service(&test);
        let owner = client.clone().header("cookie", &cookie(test.session(&tenant.owner).await));
        let operator = client.clone().header("cookie", &cookie(test.session(&operator).await));
        instance::set_maintenance(&test.app, true, None, Actor::Operator).await.unwrap();
        for surface in Surface::ALL {
            let path = place(surface, "personal");
            let expected = if follows(surface).closes { 503 } else { 200 };
            assert_eq!(owner.get(path).await.status, expected, "{surface:?}");
            assert_eq!(operator.get(path).await.status, 200, "{surface:?}");
            client.get(&format!("{}?fail", place(surface, "shown"))).await;
        }
        background::flush_errors(&test.app).await.unwrap();
        let noted = "SELECT route FROM error_log WHERE code = 'NOT_FOUND' ORDER BY route";
        let noted = crate::secrecy::rows::texts(&test.db.db, noted).await;
        for surface in Surface::ALL {
            let is_noted = noted.iter().any(|route| route == place(surface, "shown"));
            assert_eq!(is_noted, follows(surface).noted, "{surface:?}");
        }
        test.finish().await;
    }

    async fn every_route_is_found_by_its_own_address(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.full_tenant(1, Tier::Pro).await;
        for route in web::table() {
            for prefix in prefixes(&route) {
                let call = example(&route, &Target::from(&tenant)).below(prefix);
                let path = call.uri.split('?').next().unwrap_or_default();
                let known = test.state.routes;
                assert_eq!(known.template_of(path), route.path, "{path}");
                assert_eq!(known.surface_of(path), route.surface, "{path}");
            }
        }
        test.finish().await;
    }

    async fn maintenance_closes_what_the_surface_says_and_nothing_else(engine) {
        let wide = |limits: &mut Limits| {
            for limit in [&mut limits.dashboard, &mut limits.link_starts, &mut limits.link_steps] {
                limit.burst = 10_000;
            }
        };
        let test = TestApp::start_with(engine, wide, |_| {}).await;
        let tenant = test.full_tenant(1, Tier::Pro).await;
        let expired = sessions::start(&test.app, &tenant.owner, 1).await.unwrap();
        test.clock.advance_ms(10);
        instance::set_maintenance(&test.app, true, None, Actor::Operator).await.unwrap();
        let mut closed = 0;
        for route in web::table() {
            for (prefix, who) in prefixes(&route).iter().flat_map(|prefix| CALLERS.map(|who| (prefix, who))) {
                let call = example(&route, &Target::from(&tenant)).below(prefix);
                let expected = if follows(route.surface).closes {
                    closed += 1;
                    503
                } else {
                    open_to(&route, call.success, who)
                };
                let caller = match who {
                    Who::Owner => test.person(&test.session(&tenant.owner).await),
                    Who::Expired => test.person(expired.expose()),
                    Who::PluginKey => test.plugin(&tenant.key),
                    Who::Nobody
                    | Who::Garbage
                    | Who::CustomKey
                    | Who::BotKey
                    | Who::ForeignMember
                    | Who::ForeignOwner
                    | Who::Operator
                    | Who::Visitor
                    | Who::WritingVisitor
                    | Who::OperatorMember
                    | Who::Without
                    | Who::With => test.client(),
                };
                let reply = call.send(&caller).await;
                let place = format!("{who:?} at {} {}: {}", call.method, call.uri, reply.text());
                assert_eq!(reply.status.as_u16(), expected, "{place}");
                if expected == 503 && route.surface == Surface::Dashboard {
                    assert_eq!((reply.code().as_str(), reply.header("retry-after")), ("MAINTENANCE", Some("120")), "{place}");
                }
            }
        }
        assert!(closed > 240, "{closed} addresses");
        test.finish().await;
    }
}

/// Whom maintenance keeps out, signed in or not.
const CALLERS: [Who; 4] = [Who::Nobody, Who::Expired, Who::PluginKey, Who::Owner];

/// What somebody gets where nothing is closed.
fn open_to(route: &RouteSpec, success: u16, who: Who) -> u16 {
    match outcome(route, success, who) {
        Outcome::Success => success,
        Outcome::Shown(status) | Outcome::Refused(status, _) | Outcome::Noted(status, ..) => status,
        Outcome::Denied(_) => 403,
        Outcome::Joins => 303,
    }
}
