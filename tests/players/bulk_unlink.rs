//! Many people unlinked at once.

use domain::permission::Permission;
use domain::plan::Tier;
use http::Method;
use serde_json::json;
use testkit::{Engine, TestApp, both_databases, discord, steam};

use super::crowd::{Who, all, call, link, owner, second_guild, users, who};
use crate::secrecy::rows::{Rows, texts};

/// All that a bulk unlink to its end leaves in the audit log.
pub async fn deeds(engine: Engine) -> Vec<String> {
    let test = TestApp::start(engine).await;
    let tenant = test.tenant(1, Tier::Pro).await;
    link(&test, &tenant, &tenant.guild, &who(1, "Somebody")).await;
    let owner = owner(&test, &tenant).await;
    let body = json!({ "users": [discord(1)] }).to_string();
    call(
        &owner,
        Method::POST,
        &format!("{}/unlink", users(&tenant)),
        &body,
        200,
    )
    .await;
    test.drain_jobs().await;
    let db = &test.db.db;
    for line in Rows::of(db).await.of_tables(db, &["audit"]).await {
        assert!(
            !line.contains(discord(1).as_str()) && !line.contains(steam(1).as_str()),
            "{line}"
        );
    }
    let actions = texts(db, "SELECT DISTINCT action FROM audit").await;
    test.finish().await;
    actions
}

both_databases! {
    async fn chosen_people_are_unlinked_once_each_and_nobody_else(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        for number in 1..=130 {
            link(&test, &tenant, &tenant.guild, &who(number, if number <= 120 { "Chosen" } else { "Kept" })).await;
        }
        let staff = test.person(&test.member(&tenant, 955, &[Permission::LinksBulkUnlink, Permission::LinksView]).await);
        let uri = format!("{}/unlink", users(&tenant));
        let started = call(&staff, Method::POST, &uri, r#"{"filter":{"q":"chosen"}}"#, 200).await.json();
        assert_eq!(started["links"], 120);
        let running = call(&staff, Method::GET, &uri, "", 200).await.json();
        assert_eq!((&running["running"]["done"], &running["running"]["total"]), (&0.into(), &120.into()));
        let again = call(&staff, Method::POST, &uri, r#"{"filter":{"q":"kept"}}"#, 409).await;
        assert_eq!(again.code(), "UNLINK_RUNNING");
        // Whoever links anew while it runs is left alone.
        link(&test, &tenant, &tenant.guild, &Who { steam: 999, ..who(5, "Chosen") }).await;
        test.drain_jobs().await;
        let over = call(&staff, Method::GET, &uri, "", 200).await.json();
        let at_ms = test.app.now_ms();
        assert_eq!(over, json!({ "running": null, "last": { "cancelled": false, "done": 119, "total": 120, "at_ms": at_ms } }));
        assert_eq!(test.db.count("audit WHERE action = 'users.unlink_finished'").await, 1);
        assert_eq!(test.db.count("links WHERE end_cause = 'admin'").await, 119);
        assert_eq!(all(&staff, &tenant, "status=active", 200).await.len(), 11, "ten that were not chosen, and the new link");
        assert_eq!(test.db.count("audit WHERE action = 'link.removed'").await, 119);
        assert_eq!(test.db.count("audit WHERE action = 'users.unlink_started'").await, 1);
        assert_eq!(test.db.count("chosen_links").await, 0);
        test.finish().await;
    }

    async fn a_bulk_unlink_can_be_cancelled_and_goes_on_where_it_was(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        for number in 1..=60 {
            link(&test, &tenant, &tenant.guild, &who(number, "Somebody")).await;
        }
        let owner = owner(&test, &tenant).await;
        let uri = format!("{}/unlink", users(&tenant));
        let keys: Vec<String> = (1..=60).map(|n| if n % 2 == 0 { discord(n).to_string() } else { steam(n).to_string() }).collect();
        call(&owner, Method::POST, &uri, &json!({ "users": keys }).to_string(), 200).await;
        call(&owner, Method::DELETE, &uri, "", 204).await;
        call(&owner, Method::DELETE, &uri, "", 204).await;
        let cancelled = json!({ "running": null, "last": { "cancelled": true, "done": 0, "total": 60, "at_ms": test.app.now_ms() } });
        assert_eq!(call(&owner, Method::GET, &uri, "", 200).await.json(), cancelled);
        test.drain_jobs().await;
        assert_eq!(call(&owner, Method::GET, &uri, "", 200).await.json(), cancelled, "it did not finish");
        assert_eq!(test.db.count("links WHERE ended_at IS NULL").await, 60, "it was cancelled before it began");
        assert_eq!(test.db.count("chosen_links").await, 0);
        assert_eq!(test.db.count("audit WHERE action = 'users.unlink_cancelled'").await, 1);
        call(&owner, Method::POST, &uri, &json!({ "users": keys[..10] }).to_string(), 200).await;
        test.drain_jobs().await;
        assert_eq!(test.db.count("links WHERE ended_at IS NULL").await, 50);
        // Of one that went without an end, nobody is told the end of the one before.
        call(&owner, Method::POST, &uri, &json!({ "users": keys[10..20] }).to_string(), 200).await;
        test.db.damage("DELETE FROM jobs WHERE kind = 'people.unlink'; DELETE FROM job_lanes WHERE kind = 'people'").await;
        assert_eq!(call(&owner, Method::GET, &uri, "", 200).await.json(), json!({ "running": null, "last": null }));
        test.finish().await;
    }

    async fn a_server_as_filter_ends_links_in_its_guild_alone(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        let second = second_guild(&test, &tenant).await;
        for guild in [&tenant.guild, &second] {
            link(&test, &tenant, guild, &who(1, "Ash")).await;
        }
        test.plugin(&tenant.key).get(&format!("/api?action=updateOxideGroups&id={}&groups=vip", steam(1))).await;
        test.drain_jobs().await;
        let owner = owner(&test, &tenant).await;
        let uri = format!("{}/unlink", users(&tenant));
        let other = json!({ "filter": { "guild_id": tenant.guild }, "guild_id": second });
        call(&owner, Method::POST, &uri, &other.to_string(), 400).await;
        let nobody = json!({ "filter": { "q": "\u{301}" } });
        assert_eq!(call(&owner, Method::POST, &uri, &nobody.to_string(), 200).await.json()["links"], 0);
        let there = json!({ "filter": { "server_id": tenant.server } });
        assert_eq!(call(&owner, Method::POST, &uri, &there.to_string(), 200).await.json()["links"], 1);
        test.drain_jobs().await;
        assert_eq!(test.db.count("links WHERE ended_at IS NULL").await, 1);
        assert_eq!(all(&owner, &tenant, &format!("guild_id={second}&status=active"), 50).await, [1]);
        test.finish().await;
    }

    async fn whom_to_unlink_has_to_be_said_in_one_way_and_within_bounds(engine) {
        let test = TestApp::start(engine).await;
        let (tenant, other) = (test.tenant(1, Tier::Pro).await, test.tenant(2, Tier::Pro).await);
        link(&test, &other, &other.guild, &who(1, "Ash")).await;
        let owner = owner(&test, &tenant).await;
        let uri = format!("{}/unlink", users(&tenant));
        let many: Vec<String> = (1..=501).map(|n| discord(n).to_string()).collect();
        for body in [
            json!({}),
            json!({ "users": [] }),
            json!({ "users": many }),
            json!({ "users": ["x"] }),
            json!({ "users": [discord(1)], "filter": {} }),
            json!({ "filter": { "tier": "nope" } }),
            json!({ "filter": { "page": 1 } }),
        ] {
            call(&owner, Method::POST, &uri, &body.to_string(), 400).await;
        }
        let foreign = json!({ "users": [discord(1)], "guild_id": other.guild });
        call(&owner, Method::POST, &uri, &foreign.to_string(), 404).await;
        let nobody = call(&owner, Method::POST, &uri, &json!({ "users": [discord(1)] }).to_string(), 200).await.json();
        assert_eq!(nobody["links"], 0, "another Org's people are nobody here");
        test.drain_jobs().await;
        assert_eq!(test.db.count("links WHERE ended_at IS NULL").await, 1);
        test.finish().await;
    }
}
