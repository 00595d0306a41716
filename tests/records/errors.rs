//! Looking through the error log: members of their own Org, operators of all.

use std::time::Duration;

use app::identity::accounts;
use app::{background, instance};
use axum::routing::get;
use domain::audit::Actor;
use domain::permission::Permission;
use domain::plan::Tier;
use futures_util::future::join_all;
use http::Method;
use serde_json::{Value, json};
use testkit::{Client, Tenant, TestApp, both_databases};
use web::extract::{Authorized, Person, perm};
use web::layers::Surface;
use web::routes::{Access, RouteAnswer, RouteTable, Routes};
use web::{Edge, WebState};

use crate::support::call;

const EVERY_ERROR: &str = "/admin/errors";

async fn operator(test: &TestApp) -> Client {
    let account = test.account(9).await;
    accounts::grant_operator(&test.app, account.clone())
        .await
        .expect("a grant");
    test.person(&test.session(&account).await)
}

fn reveal(tenant: &Tenant) -> String {
    format!("/orgs/{}/servers/{}/key/reveal", tenant.org, tenant.server)
}

async fn flush(test: &TestApp) {
    background::flush_errors(&test.app).await.expect("a flush");
}

/// The codes on a page, newest first.
fn codes(page: &Value) -> Vec<&str> {
    let errors = page["errors"].as_array().expect("a list");
    errors
        .iter()
        .map(|error| error["code"].as_str().expect("a code"))
        .collect()
}

async fn panics<C>(_: C) -> &'static str {
    panic!("on purpose")
}

async fn hangs<C>(_: C) -> &'static str {
    std::future::pending().await
}

type Viewer = Authorized<perm::ServersView>;

/// A service with routes that only these tests have.
fn misbehaving(test: &TestApp) -> Client {
    let routes = [
        ("/orgs/panics/{org}", get(panics::<Viewer>)),
        ("/orgs/hangs/{org}", get(hangs::<Viewer>)),
        ("/account/panics/{org}", get(panics::<Person>)),
        ("/account/hangs/{org}", get(hangs::<Person>)),
    ];
    let side = (Surface::Dashboard, Access::Member);
    let add = |all: Routes, (path, route)| all.open((path, "Misbehave"), side, RouteAnswer::Nothing, route);
    let (router, table) = routes.into_iter().fold(Routes::new(), add).finish();
    let state = WebState {
        routes: Box::leak(Box::new(RouteTable::new(table))),
        ..test.state.clone()
    };
    test.client_of(Edge::new(web::router::complete(router, &state), state))
}

both_databases! {
    async fn members_see_the_failures_of_their_org_and_operators_see_all_with_their_causes(engine) {
        let test = TestApp::start(engine).await;
        let (ours, theirs) = (test.tenant(1, Tier::Free).await, test.tenant(2, Tier::Free).await);
        let auditor = test.person(&test.member(&ours, 5, &[Permission::AuditView]).await);
        let neighbour = test.person(&test.session(&theirs.owner).await);
        let operator = operator(&test).await;
        let refused = auditor.post(&reveal(&ours), "").await;
        assert_eq!(refused.status, 403);
        test.clock.advance_ms(60_000);
        test.db.damage("UPDATE api_keys SET sealed = 'v1.k1.AAAA'").await;
        let failed = neighbour.post(&reveal(&theirs), "").await;
        assert_eq!(failed.status, 500);
        test.clock.advance_ms(60_000);
        test.client().get("/orgs/nothing/here").await;
        flush(&test).await;

        let own = auditor.get(&format!("/orgs/{}/errors", ours.org)).await.json();
        assert_eq!(codes(&own), ["MISSING_PERMISSION"]);
        let shown = &own["errors"][0];
        assert_eq!(shown["route"], "/orgs/{org}/servers/{server}/key/reveal");
        assert_eq!((&shown["status"], &shown["count"]), (&403.into(), &1.into()));
        assert_eq!(shown["at_ms"], test.app.now_ms() / 60_000 * 60_000 - 120_000);
        assert_eq!(shown["request_ids"][0], refused.header("x-request-id").unwrap());
        assert!(own["codes"].as_array().unwrap().contains(&"MISSING_PERMISSION".into()));

        let others = neighbour.get(&format!("/orgs/{}/errors", theirs.org)).await;
        assert_eq!(codes(&others.json()), ["INTERNAL"]);
        assert!(!others.text().contains("sealed"), "what went wrong inside is for operators: {}", others.text());

        let all = operator.get(EVERY_ERROR).await.json();
        assert_eq!(codes(&all), ["NOT_FOUND", "INTERNAL", "MISSING_PERMISSION"]);
        assert_eq!((&all["errors"][0]["org_id"], &all["errors"][0]["org_name"]), (&Value::Null, &Value::Null));
        assert_eq!((&all["errors"][1]["org_id"], &all["errors"][1]["org_name"]), (&theirs.org.as_str().into(), &"Org 2".into()));
        assert!(all["errors"][1]["detail"].as_str().unwrap().contains("sealed"), "{all}");
        assert_eq!(all["errors"][1]["request_ids"][0], failed.header("x-request-id").unwrap());
        test.finish().await;
    }

    async fn failures_are_filtered_and_read_page_by_page(engine) {
        let test = TestApp::start(engine).await;
        let (ours, theirs) = (test.tenant(1, Tier::Free).await, test.tenant(2, Tier::Free).await);
        let owner = test.person(&test.session(&ours.owner).await);
        let operator = operator(&test).await;
        let start = test.app.now_ms();
        for minute in 0..7 {
            let path = if minute % 2 == 0 { "servers" } else { "guilds" };
            assert_eq!(owner.get(&format!("/orgs/{}/{path}/none", ours.org)).await.status, 404);
            if minute == 3 {
                assert_eq!(owner.post(&format!("/orgs/{}/servers", ours.org), "{").await.status, 400);
            }
            test.clock.advance_ms(60_000);
        }
        flush(&test).await;
        let base = format!("/orgs/{}/errors", ours.org);
        let count = async |who: &Client, uri: String| codes(&who.get(&uri).await.json()).len();
        let to_ms = start + 120_000;
        for (query, left) in [
            ("code=NOT_FOUND".to_owned(), 7),
            ("code=NOTHING".to_owned(), 0),
            ("route=/orgs/{org}/guilds/{guild}".replace('{', "%7B").replace('}', "%7D"), 3),
            ("status=4xx".to_owned(), 8),
            ("status=5xx".to_owned(), 0), ("status=faults".to_owned(), 0),
            (format!("to_ms={to_ms}"), 2),
            (format!("from_ms={to_ms}&code=NOT_FOUND"), 5),
        ] {
            assert_eq!(count(&owner, format!("{base}?{query}")).await, left, "{query}");
            assert_eq!(count(&operator, format!("{EVERY_ERROR}?org={}&{query}", ours.org)).await, left, "{query}");
        }
        assert_eq!(count(&operator, format!("{EVERY_ERROR}?org={}", theirs.org)).await, 0);

        let mut seen = Vec::new();
        let mut before = String::new();
        loop {
            let page = owner.get(&format!("{base}?limit=3{before}")).await.json();
            let errors = page["errors"].as_array().unwrap();
            seen.extend(errors.iter().map(|error| (error["at_ms"].as_i64().unwrap(), error["code"].to_string())));
            match page["next_before"].as_str() {
                Some(place) => before = format!("&before={place}"),
                None => break,
            }
        }
        assert_eq!(seen.len(), 8);
        let mut once = seen.clone();
        once.sort_by(|newer, older| older.cmp(newer));
        once.dedup();
        assert_eq!(once.len(), 8);
        assert!(seen.is_sorted_by(|newer, older| newer.0 >= older.0), "{seen:?}");

        for bad in ["status=500", "limit=0", "limit=101", "before=7", "before=a-b", "sql=1", "from_ms=x"] {
            assert_eq!(owner.get(&format!("{base}?{bad}")).await.code(), "INVALID_PARAMETER", "{bad}");
            assert_eq!(operator.get(&format!("{EVERY_ERROR}?{bad}")).await.code(), "INVALID_PARAMETER", "{bad}");
        }
        assert_eq!(owner.get(&format!("{base}?org={}", theirs.org)).await.code(), "INVALID_PARAMETER");
        for nobody in ["org_x", "org_01ARZ3NDEKTSV4RRFFQ69G5FAV"] {
            assert_eq!(operator.get(&format!("{EVERY_ERROR}?org={nobody}")).await.code(), "INVALID_PARAMETER", "{nobody}");
        }
        test.finish().await;
    }

    async fn whoever_is_no_operator_gets_the_answer_of_an_unknown_path(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        let owner = test.person(&test.session(&tenant.owner).await);
        let account = test.account(9).await;
        let person = test.person(&test.session(&account).await);
        let unknown = test.client().get("/admin/nothing").await.snapshot();
        let is_hidden = async |who: &Client| {
            let mut hidden = Vec::new();
            for path in [EVERY_ERROR, "/api/admin/errors", "/admin/errors?sql=1"] {
                let reply = who.get(path).await;
                hidden.push(reply.snapshot() == unknown);
            }
            hidden
        };
        assert_eq!(is_hidden(&owner).await, [true; 3]);
        assert_eq!(is_hidden(&person).await, [true; 3]);
        // A grant counts from the next request on, and so does its end.
        accounts::grant_operator(&test.app, account.clone()).await.unwrap();
        assert_eq!(is_hidden(&person).await, [false; 3]);
        // Operators work while the dashboard is closed, and nobody learns more by that.
        instance::set_maintenance(&test.app, true, None, Actor::Operator).await.unwrap();
        assert_eq!(person.get(EVERY_ERROR).await.status, 200);
        assert_eq!(is_hidden(&owner).await, [true; 3]);
        let account = accounts::get(&test.app, &account.id).await.unwrap();
        accounts::revoke_operator(&test.app, account).await.unwrap();
        assert_eq!(is_hidden(&person).await, [true; 3]);
        test.finish().await;
    }

    async fn a_request_that_panics_or_hangs_is_told_to_the_org_it_was_about(engine) {
        // Long enough for the person to be found, on a busy machine too.
        let late = Duration::from_secs(4);
        let test = TestApp::start_with(engine, |_| {}, |settings| settings.request_timeout = late).await;
        let (ours, theirs) = (test.tenant(1, Tier::Free).await, test.tenant(2, Tier::Free).await);
        let session = test.session(&ours.owner).await;
        let cookie = format!("{}={session}", test.state.settings.session_cookie());
        let broken = misbehaving(&test).header("cookie", &cookie);
        let paths = [("orgs/panics", 500), ("orgs/hangs", 408), ("account/panics", 500), ("account/hangs", 408)];
        let (client, own, foreign) = (&broken, &ours.org, &theirs.org);
        join_all(paths.map(|(path, status)| async move {
            assert_eq!(client.get(&format!("/{path}/{own}")).await.status, status, "{path}");
            assert_eq!(client.get(&format!("/{path}/{foreign}")).await.status, 404, "{path}");
        }))
        .await;
        flush(&test).await;
        let told = async |tenant: &Tenant, session: &str| {
            let page = test.person(session).get(&format!("/orgs/{}/errors", tenant.org)).await.json();
            let errors = page["errors"].as_array().unwrap().iter();
            let mut seen: Vec<(String, String)> = errors.map(|one| (one["route"].to_string(), one["code"].to_string())).collect();
            seen.sort_unstable();
            seen
        };
        let expected = [
            ("/account/hangs/{org}", "TIMEOUT"),
            ("/account/panics/{org}", "INTERNAL"),
            ("/orgs/hangs/{org}", "TIMEOUT"),
            ("/orgs/panics/{org}", "INTERNAL"),
        ];
        let expected = expected.map(|(route, code)| (format!("\"{route}\""), format!("\"{code}\"")));
        assert_eq!(told(&ours, &session).await, expected);
        assert!(told(&theirs, &test.session(&theirs.owner).await).await.is_empty());
        test.finish().await;
    }

    async fn what_a_person_is_refused_about_an_org_is_told_to_the_org(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let owner = test.person(&test.session(&tenant.owner).await);
        let leave = format!("/account/memberships/{}", tenant.org);
        assert_eq!(call(&owner, Method::DELETE, &leave, &json!({})).await.code(), "OWNER_STAYS");
        flush(&test).await;
        let page = owner.get(&format!("/orgs/{}/errors", tenant.org)).await.json();
        assert_eq!(codes(&page), ["OWNER_STAYS"]);
        test.finish().await;
    }
}
