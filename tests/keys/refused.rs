//! Refused plugin calls, by key and code, for whoever looks after the keys.

use axum::body::Body;
use domain::plan::Tier;
use http::Method;
use serde_json::{Value, json};
use testkit::{Client, Tenant, TestApp, both_databases};

use crate::support::server_of;

const HOUR_MS: i64 = 60 * 60_000;

async fn flush(test: &TestApp) {
    test.settle().await;
    let app = &test.app;
    app.memories.refused_calls.flush(&app.db).await.expect("a flush");
}

/// Codes and counts, as the dashboard lists them.
async fn refused(person: &Client, tenant: &Tenant) -> Vec<(String, String, i64)> {
    let reply = person.get(&format!("/orgs/{}/refused-calls", tenant.org)).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    let listed = reply.json()["refused"].as_array().expect("a list").clone();
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    listed
        .iter()
        .map(|row| {
            (
                text(&row["key_id"]),
                text(&row["code"]),
                row["calls"].as_i64().expect("a count"),
            )
        })
        .collect()
}

both_databases! {
    async fn refused_calls_are_counted_by_key_and_code_and_shown_to_nobody_else(engine) {
        let test = TestApp::start(engine).await;
        let (one, two) = (test.tenant(1, Tier::Pro).await, test.tenant(2, Tier::Pro).await);
        let owner = test.person(&test.session(&one.owner).await);
        let other = test.person(&test.session(&two.owner).await);
        let server = owner.get(&server_of(&one)).await.json();
        let key = server["key"]["id"].as_str().expect("a key").to_owned();
        for _ in 0..3 {
            assert_eq!(test.plugin(&one.key).get("/api?action=nope").await.code(), "UNKNOWN_ACTION");
        }
        assert_eq!(test.plugin(&one.key).get("/api?action=findBySteam&id=x").await.code(), "INVALID_PARAMETER");
        assert_eq!(test.plugin(&one.key).get("/api?action=count").await.status, 200);
        let miss = test.plugin(&one.key).get("/api?action=findBySteam&id=76561197960265729").await;
        assert_eq!(miss.status, 404, "a miss is an answer");
        // A body that is not taken is refused as well.
        let large = test.plugin(&one.key).post("/api?action=updateSteam", &"x".repeat(2_000_000)).await;
        assert_eq!(large.code(), "PAYLOAD_TOO_LARGE");
        assert!(refused(&owner, &one).await.is_empty(), "nothing is written while calls are answered");
        flush(&test).await;
        let expected = [("UNKNOWN_ACTION", 3), ("INVALID_PARAMETER", 1), ("PAYLOAD_TOO_LARGE", 1)]
            .map(|(code, calls)| (key.clone(), code.to_owned(), calls));
        assert_eq!(refused(&owner, &one).await, expected);
        assert!(refused(&other, &two).await.is_empty());
        assert_eq!(other.get(&format!("/orgs/{}/refused-calls", one.org)).await.status, 404);
        // Another node adds to the same numbers, and a minute without any changes nothing.
        assert_eq!(test.plugin(&one.key).get("/api?action=nope").await.code(), "UNKNOWN_ACTION");
        flush(&test).await;
        flush(&test).await;
        assert_eq!(refused(&owner, &one).await[0].2, 4);
        test.finish().await;
    }

    async fn calls_with_a_regenerated_key_are_told_of_the_key_it_was(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        let owner = test.person(&test.session(&tenant.owner).await);
        let server = server_of(&tenant);
        assert_eq!(owner.post(&format!("{server}/key/regenerate"), "").await.status, 200);
        for _ in 0..2 {
            assert_eq!(test.plugin(&tenant.key).get("/api?action=count").await.code(), "UNAUTHORIZED");
            test.settle().await;
        }
        flush(&test).await;
        let key = owner.get(&server).await.json()["key"]["id"].as_str().expect("a key").to_owned();
        assert_eq!(refused(&owner, &tenant).await, [(key, "UNAUTHORIZED".to_owned(), 2)]);
        test.finish().await;
    }

    async fn refused_calls_are_forgotten_after_a_day_and_with_their_key(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        let owner = test.person(&test.session(&tenant.owner).await);
        let body = json!({ "name": "Tool", "guild_id": tenant.guild.as_str(), "groups": ["lookup"] }).to_string();
        let made = owner.post(&format!("/orgs/{}/keys", tenant.org), &body).await.json();
        let (id, tool) = (made["id"].as_str().expect("an id"), made["key"].as_str().expect("a key"));
        for key in [tool, &tenant.key] {
            assert_eq!(test.plugin(key).get("/api?action=nope").await.code(), "UNKNOWN_ACTION");
        }
        flush(&test).await;
        assert_eq!(refused(&owner, &tenant).await.len(), 2);
        let path = format!("/orgs/{}/keys/{id}", tenant.org);
        assert_eq!(owner.post(&format!("{path}/revoke"), "").await.status, 204);
        assert_eq!(test.plugin(tool).get("/api?action=count").await.code(), "KEY_REVOKED");
        assert_eq!(owner.send(Method::DELETE, &path, Body::empty()).await.status, 204);
        // What was counted for it before it went is in nobody's way.
        flush(&test).await;
        assert_eq!(refused(&owner, &tenant).await.len(), 1);
        test.clock.advance_ms(23 * HOUR_MS);
        let owner = test.person(&test.session(&tenant.owner).await);
        assert_eq!(refused(&owner, &tenant).await.len(), 1);
        test.clock.advance_ms(HOUR_MS);
        assert_eq!(refused(&owner, &tenant).await, []);
        app::background::keep_house(&test.app).await.expect("a tidy house");
        assert_eq!(test.db.count("key_refusals").await, 0);
        test.finish().await;
    }
}
