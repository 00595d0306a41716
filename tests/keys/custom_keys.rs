//! Custom keys: what they are made of, how many there may be, and how they go.

use domain::action::ActionSet;
use domain::plan::Tier;
use http::Method;
use serde_json::{Value, json};
use testkit::{Client, Reply, Tenant, TestApp, both_databases};

fn keys_of(tenant: &Tenant) -> String {
    format!("/orgs/{}/keys", tenant.org)
}

fn key_of(tenant: &Tenant, id: &str) -> String {
    format!("/orgs/{}/keys/{id}", tenant.org)
}

async fn make(person: &Client, tenant: &Tenant, mut body: Value) -> Reply {
    body["name"] = "A key".into();
    body["guild_id"] = tenant.guild.as_str().into();
    person.post(&keys_of(tenant), &body.to_string()).await
}

async fn listed(person: &Client, tenant: &Tenant) -> Vec<Value> {
    let list = person.get(&keys_of(tenant)).await.json();
    list["keys"].as_array().expect("keys").clone()
}

both_databases! {
    async fn a_key_is_made_of_groups_or_of_single_actions_or_of_both(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Standard).await;
        let owner = test.person(&test.session(&tenant.owner).await);
        let bodies = [
            (json!({ "groups": ["server"] }), vec!["getServerConfig", "getPlayer"]),
            (json!({ "actions": ["count"] }), vec!["count"]),
            (json!({ "groups": ["server"], "actions": ["count"] }), vec!["count", "getServerConfig", "getPlayer"]),
        ];
        for (number, (body, actions)) in bodies.into_iter().enumerate() {
            let made = make(&owner, &tenant, body.clone()).await;
            assert_eq!(made.status, 201, "{}", made.text());
            assert_eq!(listed(&owner, &tenant).await[number]["actions"], json!(actions));
            let mut edit = body;
            edit["name"] = "Edited".into();
            let uri = key_of(&tenant, made.json()["id"].as_str().unwrap());
            assert_eq!(owner.send(Method::PUT, &uri, edit.to_string().into()).await.status, 204);
        }
        for nothing in [json!({}), json!({ "groups": [] }), json!({ "actions": [] })] {
            let refused = make(&owner, &tenant, nothing).await;
            assert_eq!((refused.status.as_u16(), refused.code().as_str()), (400, "INVALID_PARAMETER"));
        }
        test.finish().await;
    }

    async fn a_revoked_key_can_be_removed_and_is_unknown_from_then_on(engine) {
        let test = TestApp::start(engine).await;
        let (tenant, other) = (test.tenant(1, Tier::Standard).await, test.tenant(2, Tier::Standard).await);
        let owner = test.person(&test.session(&tenant.owner).await);
        let (id, key) = test.custom_key(&tenant, ActionSet::ALL, false).await;
        let (uri, calling) = (key_of(&tenant, id.as_str()), test.plugin(&key));
        let count = || calling.get("/api?action=count");
        let remove = |person: Client| { let uri = uri.clone(); async move { person.send(Method::DELETE, &uri, "".into()).await } };

        let early = remove(owner.clone()).await;
        assert_eq!((early.status.as_u16(), early.code().as_str()), (409, "CONFLICT"), "a key in force stays");
        assert_eq!(count().await.status, 200);
        assert_eq!(owner.post(&format!("{uri}/revoke"), "").await.status, 204);
        assert_eq!(count().await.code(), "KEY_REVOKED");
        let edit = json!({ "name": "Renamed", "groups": [], "actions": ["count"] }).to_string();
        let late = owner.send(Method::PUT, &uri, edit.into()).await;
        assert_eq!((late.status.as_u16(), late.code().as_str()), (409, "CONFLICT"), "who had it open is told so");
        assert!(late.text().contains("revoked") && !listed(&owner, &tenant).await[0].to_string().contains("Renamed"));
        let stranger = test.person(&test.session(&other.owner).await);
        assert_eq!(remove(stranger.clone()).await.status, 404);
        let foreign = key_of(&other, id.as_str());
        assert_eq!(stranger.send(Method::DELETE, &foreign, "".into()).await.status, 404);
        assert_eq!(listed(&owner, &tenant).await.len(), 1);

        assert_eq!(remove(owner.clone()).await.status, 204);
        assert_eq!(count().await.code(), "UNAUTHORIZED");
        assert_eq!(listed(&owner, &tenant).await, Vec::<Value>::new());
        assert_eq!(remove(owner.clone()).await.status, 404, "it is gone");
        test.settle().await;
        let log = owner.get(&format!("/orgs/{}/audit?target={id}", tenant.org)).await.json();
        let actions: Vec<&str> = log["entries"].as_array().unwrap().iter().map(|entry| entry["action"].as_str().unwrap()).collect();
        assert_eq!(actions, ["key.retired_used", "key.removed", "key.revoked", "key.created"]);
        test.finish().await;
    }

    async fn only_living_keys_count_and_they_are_listed_first(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Standard).await;
        let owner = test.person(&test.session(&tenant.owner).await);
        let (first, _) = test.custom_key(&tenant, ActionSet::ALL, false).await;
        for _ in 1..50 {
            test.custom_key(&tenant, ActionSet::ALL, false).await;
        }
        let surplus = make(&owner, &tenant, json!({ "groups": ["lookup"] })).await;
        assert_eq!((surplus.status.as_u16(), surplus.code().as_str()), (409, "CONFLICT"));
        assert_eq!(owner.post(&format!("{}/revoke", key_of(&tenant, first.as_str())), "").await.status, 204);
        assert_eq!(make(&owner, &tenant, json!({ "groups": ["lookup"] })).await.status, 201);
        let all = listed(&owner, &tenant).await;
        assert_eq!(all.len(), 51);
        assert_eq!((&all[50]["id"], &all[50]["revoked"]), (&first.as_str().into(), &true.into()));
        assert_eq!(make(&owner, &tenant, json!({ "groups": ["lookup"] })).await.status, 409);
        test.finish().await;
    }

    async fn revoked_keys_do_not_pile_up_without_end(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Standard).await;
        let owner = test.person(&test.session(&tenant.owner).await);
        let columns = "org_num, guild_num, kind, name, actions, tier, prefix, sealed, sealed_kid, version, created_at, rotated_at";
        let (id, _) = test.custom_key(&tenant, ActionSet::ALL, false).await;
        for number in 0..200 {
            test.db.damage(&format!(
                "INSERT INTO api_keys (id, hash, revoked_at, {columns}) SELECT 'key_{number}', 'hash-{number}', 1, {columns} FROM api_keys WHERE id = '{id}'"
            )).await;
        }
        let refused = make(&owner, &tenant, json!({ "groups": ["lookup"] })).await;
        assert_eq!((refused.status.as_u16(), refused.code().as_str()), (409, "CONFLICT"));
        assert!(refused.text().contains("Remove some first"));
        test.db.damage("DELETE FROM api_keys WHERE id = 'key_7'").await;
        assert_eq!(make(&owner, &tenant, json!({ "groups": ["lookup"] })).await.status, 201);
        test.db.damage("DELETE FROM api_keys WHERE hash LIKE 'hash-%'").await;
        test.finish().await;
    }
}
