//! Bodies that are not what a route reads.

use app::identity::accounts;
use axum::body::Body;
use domain::plan::Tier;
use serde_json::{Map, Value};
use testkit::{Client, Tenant, TestApp, both_databases};
use web::routes::Access;

use super::assert_failure;
use crate::authorization::examples::{Example, Target, example, prefixes};
use crate::secrecy::rows::Rows;

const LIMIT_BYTES: usize = 64 * 1024;

/// The routes for people that read a body, with a correct call of each.
fn reading(tenant: &Tenant) -> Vec<(Example, Map<String, Value>)> {
    let mut found = Vec::new();
    for route in web::table() {
        if route.access == Access::Bot || route.takes_file {
            continue;
        }
        for prefix in prefixes(&route) {
            let call = example(&route, &Target::from(tenant)).below(prefix);
            if let Some(body) = &call.body {
                let fields = serde_json::from_str(body).expect("an object");
                found.push((call, fields));
            }
        }
    }
    assert!(found.len() >= 4);
    found
}

/// The Owner, who is an operator too: no route is closed to them.
pub async fn everybody(test: &TestApp, tenant: &Tenant) -> Client {
    let owner = tenant.owner.clone();
    accounts::grant_operator(&test.app, owner).await.expect("a grant");
    test.person(&test.session(&tenant.owner).await)
}

async fn send(person: &Client, call: &Example, body: impl Into<Body>) -> testkit::Reply {
    person.send(call.method.clone(), &call.uri, body.into()).await
}

/// What a change leaves out stays as it is, and whoever is unlinked is said in one of several ways.
fn may_be_left_out(call: &Example) -> bool {
    call.method == http::Method::PATCH || call.uri.ends_with("/unlink")
}

/// Each field missing, of another type, and twice.
async fn refuse_broken_fields(person: &Client, call: &Example, fields: &Map<String, Value>) {
    let good = call.body.as_deref().unwrap();
    let may_be_left_out = may_be_left_out(call);
    for name in fields.keys() {
        let mut missing = fields.clone();
        missing.remove(name);
        // A key is made of groups, of actions, or of both.
        let has_other_half = ["groups", "actions", "new_identity"].contains(&name.as_str());
        // A visit has a usual length.
        let may_be_left_out = may_be_left_out || name == "minutes";
        if !may_be_left_out && !has_other_half {
            let reply = send(person, call, Value::from(missing).to_string()).await;
            assert_failure(
                &reply,
                400,
                "INVALID_JSON",
                &format!("{} without {name}", call.uri),
            );
        }
        for wrong in [
            Value::Null,
            7.into(),
            Vec::<Value>::new().into(),
            Map::new().into(),
        ] {
            let fits = std::mem::discriminant(&fields[name]) == std::mem::discriminant(&wrong);
            if fits || (may_be_left_out && wrong.is_null()) {
                continue;
            }
            let mut mistyped = fields.clone();
            mistyped.insert(name.clone(), wrong);
            let reply = send(person, call, Value::from(mistyped).to_string()).await;
            assert_failure(
                &reply,
                400,
                "INVALID_JSON",
                &format!("{} with a wrong {name}", call.uri),
            );
        }
        let (key, rest) = (serde_json::to_string(name).unwrap(), &good[1..]);
        let twice = format!("{{{key}:{},{rest}", fields[name]);
        let reply = send(person, call, twice).await;
        assert_failure(
            &reply,
            400,
            "INVALID_JSON",
            &format!("{} with {name} twice", call.uri),
        );
    }
}

both_databases! {
    async fn bodies_that_are_not_the_expected_json_are_refused_and_change_nothing(engine) {
        let test = TestApp::start_with(engine, |limits| limits.dashboard.burst = 10_000, |_| {}).await;
        let tenant = test.full_tenant(1, Tier::Pro).await;
        let person = everybody(&test, &tenant).await;
        let rows = Rows::of(&test.db.db).await;
        let before = rows.all(&test.db.db).await;
        for (call, fields) in reading(&tenant) {
            let good = call.body.clone().unwrap();
            let nested = "[".repeat(20_000);
            let may_be_left_out = may_be_left_out(&call);
            for bad in [
                "",
                " ",
                "{",
                "null",
                "[]",
                "\"x\"",
                "1",
                "{}",
                "{}{}",
                &nested,
                &good[1..],
                &format!("{good}x"),
            ] {
                if bad == "{}" && (may_be_left_out || good == "{}") {
                    continue;
                }
                let reply = send(&person, &call, bad.to_owned()).await;
                let about = format!("{} {} with {}", call.method, call.uri, &bad[..bad.len().min(20)]);
                assert_failure(&reply, 400, "INVALID_JSON", &about);
            }
            let reply = send(&person, &call, vec![b'{', 0xff, 0xfe, b'}']).await;
            assert_failure(&reply, 400, "INVALID_JSON", &call.uri);
            refuse_broken_fields(&person, &call, &fields).await;
        }
        test.settle().await;
        assert_eq!(before, rows.all(&test.db.db).await);
        test.finish().await;
    }

    async fn fields_that_a_route_does_not_know_are_refused(engine) {
        let test = TestApp::start_with(engine, |limits| limits.dashboard.burst = 10_000, |_| {}).await;
        let tenant = test.full_tenant(1, Tier::Pro).await;
        let person = everybody(&test, &tenant).await;
        let rows = Rows::of(&test.db.db).await;
        let before = rows.all(&test.db.db).await;
        for (call, fields) in reading(&tenant) {
            for extra in [
                "role",
                "org_id",
                "tier",
                "org_num",
                "owner",
                "key",
                "id",
                "permissions",
                "__proto__",
                "",
            ] {
                // Two routes do read these: what a member or an invitation is to be.
                let is_team = call.uri.contains("/team/") || call.uri.ends_with("/invites");
                if is_team && ["role", "permissions"].contains(&extra) {
                    continue;
                }
                let mut more = fields.clone();
                more.insert(extra.to_owned(), "owner".into());
                let reply = send(&person, &call, Value::from(more).to_string()).await;
                assert_failure(&reply, 400, "INVALID_JSON", &format!("{} with {extra}", call.uri));
            }
        }
        assert_eq!(before, rows.all(&test.db.db).await);
        test.finish().await;
    }

    async fn a_body_over_64_kib_is_refused_and_one_of_64_kib_is_read(engine) {
        let test = TestApp::start_with(engine, |limits| limits.dashboard.burst = 10_000, |_| {}).await;
        let tenant = test.full_tenant(1, Tier::Pro).await;
        let person = everybody(&test, &tenant).await;
        for (call, _) in reading(&tenant) {
            let good = call.body.clone().unwrap();
            let padded = |bytes: usize| format!("{good}{}", " ".repeat(bytes - good.len()));
            let reply = send(&person, &call, padded(LIMIT_BYTES + 1)).await;
            assert_failure(&reply, 413, "PAYLOAD_TOO_LARGE", &call.uri);
            let reply = send(&person, &call, padded(LIMIT_BYTES)).await;
            assert_eq!(reply.status.as_u16(), call.success, "{}", call.uri);
        }
        test.finish().await;
    }

    async fn only_json_is_read(engine) {
        let test = TestApp::start_with(engine, |limits| limits.dashboard.burst = 10_000, |_| {}).await;
        let tenant = test.full_tenant(1, Tier::Pro).await;
        everybody(&test, &tenant).await;
        let cookie = format!("symbolon={}", test.session(&tenant.owner).await);
        let bare = test.client().header("cookie", &cookie);
        for route in web::table() {
            for prefix in prefixes(&route) {
                let call = example(&route, &Target::from(&tenant)).below(prefix);
                // Forms of our own pages are read as forms, and what is signed by its bytes alone.
                if call.method == "GET" || matches!(route.access, Access::Public | Access::Bot | Access::Sender) {
                    continue;
                }
                for kind in [
                    "text/plain",
                    "application/x-www-form-urlencoded",
                    "text/html",
                    "json",
                ] {
                    let reply = call.send(&bare.clone().header("content-type", kind)).await;
                    assert_failure(
                        &reply,
                        415,
                        "UNSUPPORTED_MEDIA_TYPE",
                        &format!("{} as {kind}", call.uri),
                    );
                }
                assert_failure(&call.send(&bare).await, 415, "UNSUPPORTED_MEDIA_TYPE", &call.uri);
            }
        }
        test.finish().await;
    }

    async fn a_bot_that_sends_something_else_is_refused_and_changes_nothing(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.full_tenant(1, Tier::Pro).await;
        let bot = test.platform_bot().await;
        let rows = Rows::of(&test.db.db).await;
        let before = rows.all(&test.db.db).await;
        for route in web::table().into_iter().filter(|route| route.access == Access::Bot) {
            let call = example(&route, &Target::from(&tenant));
            let Some(good) = &call.body else { continue };
            for bad in ["", "[]", &good[1..], &format!("{{\"org_id\":\"x\",{}", &good[1..])] {
                let reply = send(&bot, &call, bad.to_owned()).await;
                assert_failure(&reply, 400, "INVALID_JSON", &format!("{} with {bad}", call.uri));
            }
            let long = format!("{good}{}", " ".repeat(LIMIT_BYTES + 1 - good.len()));
            assert_failure(&send(&bot, &call, long).await, 413, "PAYLOAD_TOO_LARGE", &call.uri);
        }
        assert_eq!(before, rows.all(&test.db.db).await);
        test.finish().await;
    }

    async fn a_body_that_no_one_reads_has_no_effect(engine) {
        let test = TestApp::start_with(engine, |limits| limits.dashboard.burst = 10_000, |_| {}).await;
        let tenant = test.full_tenant(1, Tier::Pro).await;
        let person = everybody(&test, &tenant).await;
        let key = format!("/orgs/{}/servers/{}/key/revoke", tenant.org, tenant.server);
        for body in [
            "{",
            r#"{"org_id":"org_x","role":"owner","server_id":"srv_x"}"#,
            &"x".repeat(100_000),
        ] {
            assert_eq!(person.post(&key, body).await.status, 204);
        }
        let servers = person.get(&format!("/orgs/{}/servers", tenant.org)).await.json();
        assert_eq!(servers["servers"][0]["key"]["revoked"], true);
        test.finish().await;
    }
}
