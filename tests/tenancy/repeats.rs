//! Requests that are sent again under the same `Idempotency-Key`.

use app::{App, background};
use axum::body::Body;
use domain::permission::{Permission, PermissionSet};
use domain::plan::Tier;
use http::Method;
use serde_json::{Value, json};
use storage::Db;
use testkit::{Client, Engine, TestApp, both_databases, wait_until};
use tokio::task::JoinSet;
use web::WebState;
use web::routes::{Access, RouteAnswer};

use crate::authorization::examples::{Example, Target, example};
use crate::secrecy::rows::Rows;
use crate::support::{new_server, servers_of};

const DAY_MS: i64 = 24 * 60 * 60_000;
/// Where each route keeps what it makes.
const MADE: [(&str, &str); 4] = [
    ("/orgs", "orgs"),
    ("/orgs/{org}/servers", "servers"),
    ("/orgs/{org}/keys", "api_keys"),
    ("/orgs/{org}/invites", "invites"),
];

fn under(person: &Client, key: &str) -> Client {
    person.clone().header("idempotency-key", key)
}

/// The id of what an answer is about.
fn id(answer: &Value) -> &str {
    answer["id"]
        .as_str()
        .or(answer["server_id"].as_str())
        .expect("an id")
}

fn calls(target: &Target) -> Vec<(Example, &'static str)> {
    let table = web::table();
    let of = |(path, rows): (&str, &'static str)| {
        let route = table
            .iter()
            .find(|route| route.method == Method::POST && route.path == path);
        (example(route.expect("a route"), target), rows)
    };
    MADE.into_iter().map(of).collect()
}

#[test]
fn every_route_that_makes_something_takes_an_idempotency_key() {
    let mut seen = 0;
    for route in web::table() {
        // A second file is refused while the first is looked at. What operators make they see at once, and take it back.
        let is_theirs = route.access == Access::Operator;
        let makes = matches!(route.answer, RouteAnswer::Json(201, _)) && !route.takes_file && !is_theirs;
        assert_eq!(route.repeatable, makes, "{} {}", route.method, route.path);
        seen += usize::from(makes);
    }
    assert_eq!(
        seen,
        MADE.len() + 1,
        "and claiming a Discord server, which is tried with Discord"
    );
}

both_databases! {
    async fn a_repeated_request_makes_one_thing_and_shows_no_secret_again(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.full_tenant(1, Tier::Pro).await;
        let owner = test.person(&test.session(&tenant.owner).await);
        let other = test.person(&test.member(&tenant, 5, Permission::ALL).await);
        for (call, rows) in calls(&Target::from(&tenant)) {
            let before = (test.db.count(rows).await, test.db.count("audit").await);
            let press = under(&owner, "one press");
            assert_eq!(call.send(&press).await.status, 400, "a space is no part of a key");
            let press = under(&owner, "one-press");
            let first = call.send(&press).await;
            assert_eq!(first.status, 201, "{}: {}", call.uri, first.text());
            let after = (test.db.count(rows).await, test.db.count("audit").await);
            for prefix in ["", "/api"] {
                let again = call.clone().below(prefix).send(&press).await;
                assert_eq!((again.status.as_u16(), id(&again.json())), (201, id(&first.json())), "{}", call.uri);
                for secret in ["key", "url"] {
                    assert!(again.json()[secret].is_null(), "{}: {}", call.uri, again.text());
                }
            }
            assert_eq!((test.db.count(rows).await, test.db.count("audit").await), after, "{}", call.uri);
            assert!(after > before);
            let changed = call.body.clone().unwrap().replacen('{', "{ ", 1);
            let reused = press.send(Method::POST, &call.uri, Body::from(changed)).await;
            assert_eq!((reused.status.as_u16(), reused.code().as_str()), (422, "IDEMPOTENCY_KEY_REUSED"));
            if !call.uri.ends_with("/orgs") {
                for another in [under(&owner, "second-press"), under(&other, "one-press"), owner.clone()] {
                    let made = call.send(&another).await;
                    assert_eq!(made.status, 201, "{}", made.text());
                    assert_ne!(id(&made.json()), id(&first.json()), "another key, another person, no key");
                }
            }
        }
        let kept = Rows::of(&test.db.db).await.of_tables(&test.db.db, &["idempotency_keys"]).await;
        assert!(kept.len() > 8);
        for line in kept {
            assert!(!["svc_live", "one-press", "/invite/"].iter().any(|secret| line.contains(secret)), "{line}");
        }
        test.finish().await;
    }

    async fn presses_at_the_same_moment_make_one_thing(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.full_tenant(1, Tier::Pro).await;
        let owner = test.person(&test.session(&tenant.owner).await);
        for (call, rows) in calls(&Target::from(&tenant)) {
            let before = test.db.count(rows).await;
            let mut presses = JoinSet::new();
            for _ in 0..8 {
                let (press, call) = (under(&owner, "pressed"), call.clone());
                presses.spawn(async move { call.send(&press).await });
            }
            let answers: Vec<Value> = presses.join_all().await.iter().map(|reply| {
                assert_eq!(reply.status, 201, "{}", reply.text());
                reply.json()
            }).collect();
            assert!(answers.iter().all(|answer| id(answer) == id(&answers[0])));
            assert_eq!(test.db.count(rows).await, before + 1, "{}", call.uri);
            let shown = |answer: &&Value| answer["key"].is_string() || answer["url"].is_string();
            let secrets = usize::from(!call.uri.ends_with("/orgs"));
            assert_eq!(answers.iter().filter(shown).count(), secrets, "{}", call.uri);
        }
        test.finish().await;
    }

    async fn a_key_is_free_again_after_a_day_and_cleared_away(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        let press = under(&test.person(&test.session(&tenant.owner).await), "daily");
        let (uri, body) = (servers_of(&tenant), new_server(&tenant, "Again"));
        let first = press.post(&uri, &body).await.json();
        test.clock.advance_ms(DAY_MS - 1);
        assert_eq!(id(&press.post(&uri, &body).await.json()), id(&first));
        test.clock.advance_ms(1);
        let second = press.post(&uri, &body).await.json();
        assert_ne!(id(&second), id(&first), "its row is still there, and over");
        assert_eq!(test.db.count("idempotency_keys").await, 1);
        test.clock.advance_ms(DAY_MS);
        background::keep_house(&test.app).await.unwrap();
        assert_eq!(test.db.count("idempotency_keys").await, 0);
        test.finish().await;
    }

    async fn a_refused_request_does_not_use_its_key_up(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let owner = test.person(&test.session(&tenant.owner).await);
        for turn in 1..Tier::Free.default_ceilings().servers {
            assert_eq!(owner.post(&servers_of(&tenant), &new_server(&tenant, &format!("S{turn}"))).await.status, 201);
        }
        let (press, body) = (under(&owner, "later"), new_server(&tenant, "Later"));
        assert_eq!(press.post(&servers_of(&tenant), &body).await.code(), "LIMIT_REACHED");
        assert_eq!(test.db.count("idempotency_keys").await, 0);
        app::billing::grants::set_tier(&test.app, tenant.scope, Tier::Pro, domain::audit::Actor::System).await.unwrap();
        assert_eq!(press.post(&servers_of(&tenant), &body).await.status, 201);
        test.finish().await;
    }

    async fn whoever_lost_the_right_or_the_thing_gets_nothing_by_pressing_again(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        let member = under(&test.person(&test.member(&tenant, 5, &[Permission::ServersManage]).await), "mine");
        let (uri, body) = (servers_of(&tenant), new_server(&tenant, "Mine"));
        let made = member.post(&uri, &body).await.json();
        test.set_permissions(&tenant, &test.account(5).await, PermissionSet::ALL.without(Permission::ServersManage)).await;
        assert_eq!(member.post(&uri, &body).await.code(), "MISSING_PERMISSION");
        test.set_permissions(&tenant, &test.account(5).await, PermissionSet::ALL).await;
        assert_eq!(id(&member.post(&uri, &body).await.json()), id(&made));
        let server = format!("{uri}/{}", id(&made));
        assert_eq!(member.send(Method::DELETE, &server, Body::empty()).await.status, 204);
        let servers = test.db.count("servers").await;
        assert_eq!(member.post(&uri, &body).await.code(), "NOT_FOUND");
        assert_eq!(test.db.count("servers").await, servers);

        let founder = under(&test.person(&test.session(&test.account(6).await).await), "org");
        let body = json!({ "name": "Ours", "slug": "ours" }).to_string();
        let org = founder.post("/orgs", &body).await.json();
        let removal = json!({ "confirm": "ours" }).to_string();
        let removed = founder.send(Method::DELETE, &format!("/orgs/{}", id(&org)), Body::from(removal)).await;
        assert_eq!(removed.status, 204, "{}", removed.text());
        assert_eq!(founder.post("/orgs", &body).await.code(), "NOT_FOUND");
        test.finish().await;
    }

    async fn a_key_that_is_none_is_refused_before_anything_is_made(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        let owner = test.person(&test.session(&tenant.owner).await);
        let long = "x".repeat(256);
        for person in [under(&owner, ""), under(&owner, "a b"), under(&owner, &long), under(&under(&owner, "a"), "a")] {
            let reply = person.post(&servers_of(&tenant), &new_server(&tenant, "Never")).await;
            assert_eq!((reply.code().as_str(), &reply.json()["parameter"]), ("INVALID_PARAMETER", &"Idempotency-Key".into()));
        }
        assert_eq!(test.db.count("servers").await, 1);
        test.finish().await;
    }
}

/// The first press waits for the Org, which the test holds; the second, at another node, waits for the first.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_nodes_that_are_pressed_at_once_make_one_thing() {
    let test = TestApp::start(Engine::Postgres).await;
    let tenant = test.full_tenant(1, Tier::Pro).await;
    let mut parts = test.parts();
    parts.db = Db::open(test.db.options()).await.expect("connections of its own");
    let second = App::start(parts).await.expect("a second node");
    let its_db = second.db.clone();
    let settings = test.state.settings.clone();
    let second = test.client_of(web::service(WebState {
        app: second,
        settings,
        ..test.state.clone()
    }));
    let session = test.session(&tenant.owner).await;
    let nodes = [
        under(&test.person(&session), "both"),
        under(&second, "both")
            .header("cookie", &format!("symbolon={session}"))
            .header("content-type", "application/json"),
    ];
    let holding = format!(
        "SELECT * FROM org_usage WHERE org_num = {} FOR UPDATE",
        tenant.scope.num()
    );
    let waiting = "pg_locks w WHERE NOT w.granted AND EXISTS (SELECT 1 FROM pg_locks h WHERE h.granted \
                   AND h.relation = to_regclass('idempotency_keys') AND h.pid = ANY (pg_blocking_pids(w.pid)))";
    for (call, rows) in calls(&Target::from(&tenant)).into_iter().skip(1) {
        let before = test.db.count(rows).await;
        let beside = test.db.begin_beside(&holding).await;
        let mut presses = JoinSet::new();
        for (number, node) in nodes.iter().cloned().enumerate() {
            let call = call.clone();
            presses.spawn(async move { call.send(&node).await });
            match number {
                0 => wait_until("the first press holds its key", || beside.is_awaited()).await,
                _ => {
                    wait_until("the second waits for it", || async {
                        test.db.count(waiting).await > 0
                    })
                    .await
                }
            }
        }
        beside.commit().await;
        let answers = presses.join_all().await;
        for answer in &answers {
            assert_eq!(answer.status, 201, "{}", answer.text());
        }
        assert_eq!(id(&answers[0].json()), id(&answers[1].json()), "{}", call.uri);
        assert_eq!(test.db.count(rows).await, before + 1, "{}", call.uri);
    }
    its_db.close().await;
    test.finish().await;
}
