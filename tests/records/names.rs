//! What the audit log is about, by the names that people know.

use app::linking::links::{self, LinkRequest, Linked};
use app::tenancy::servers;
use axum::body::Body;
use domain::audit::Actor;
use domain::name::DisplayName;
use domain::permission::Permission;
use domain::plan::Tier;
use http::Method;
use serde_json::{Value, json};
use testkit::{Client, Engine, Tenant, TestApp, both_databases, discord, steam};

use crate::support::{server_of, servers_of};

async fn log(person: &Client, tenant: &Tenant, query: &str) -> Value {
    let reply = person.get(&format!("/orgs/{}/audit{query}", tenant.org)).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    reply.json()
}

/// What an id of a page is called.
fn called(page: &Value, id: &str) -> Option<Value> {
    let names = page["names"].as_array().unwrap();
    names.iter().find(|one| one["id"] == id).cloned()
}

fn seqs(page: &Value) -> Vec<i64> {
    let entries = page["entries"].as_array().unwrap().iter();
    entries.map(|entry| entry["seq"].as_i64().unwrap()).collect()
}

fn actions(page: &Value) -> Vec<&str> {
    let entries = page["entries"].as_array().unwrap().iter();
    entries.map(|entry| entry["action"].as_str().unwrap()).collect()
}

async fn change(person: &Client, method: Method, path: &str, body: Value) {
    let reply = person.send(method, path, Body::from(body.to_string())).await;
    assert!(reply.status.is_success(), "{path}: {}", reply.text());
}

/// A player with names on both sides.
async fn link(test: &TestApp, tenant: &Tenant, number: u64, name: &str) -> String {
    let request = LinkRequest {
        guild: tenant.guild.clone(),
        discord_id: discord(number),
        steam_id: steam(number),
        country: None,
    };
    let linked = links::link_named(
        &test.app,
        tenant.scope,
        request,
        name.to_owned(),
        "On Steam".to_owned(),
        Actor::Player,
    );
    match linked.await.unwrap() {
        Linked::Created { id, .. } | Linked::Already { id } => id.to_string(),
    }
}

both_databases! {
    async fn everything_in_the_log_has_the_name_it_has_now(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.full_tenant(1, Tier::Pro).await;
        let owner = test.person(&test.session(&tenant.owner).await);
        let player = link(&test, &tenant, 60, "rivercrow59").await;
        assert_eq!(test.plugin(&tenant.key).get(&format!("/api?action=remove&id={}", steam(60))).await.status, 200);
        change(&owner, Method::POST, &format!("{}/key/regenerate", server_of(&tenant)), json!({})).await;
        change(&owner, Method::PATCH, &server_of(&tenant), json!({ "name": "EU Main" })).await;
        let page = log(&owner, &tenant, "").await;
        let entry = |action: &str| page["entries"].as_array().unwrap().iter().find(|entry| entry["action"] == action).unwrap();

        let removed = entry("link.removed");
        let (key, server) = (removed["actor_id"].as_str().unwrap(), tenant.server.as_str());
        assert_eq!(called(&page, key).unwrap(), json!({ "id": key, "kind": "plugin_key", "name": "EU Main", "server_id": server, "gone": false }));
        assert_eq!(called(&page, &player).unwrap(), json!({ "id": player, "kind": "link", "name": "rivercrow59", "server_id": null, "gone": false }));
        let regenerated = entry("key.regenerated");
        assert_eq!((regenerated["target"].as_str(), regenerated["detail"]["server"].as_str()), (Some(key), Some(server)));
        assert_eq!(called(&page, server).unwrap()["name"], "EU Main");
        let owner_id = regenerated["actor_id"].as_str().unwrap();
        assert_eq!(called(&page, owner_id).unwrap(), json!({ "id": owner_id, "kind": "account", "name": tenant.owner.name, "server_id": null, "gone": false }));
        assert_eq!(called(&page, tenant.guild.as_str()).unwrap()["name"], "Guild 1");
        let custom = tenant.custom_key.as_ref().unwrap().as_str();
        assert_eq!(called(&page, custom).unwrap(), json!({ "id": custom, "kind": "custom_key", "name": "Key 1", "server_id": server, "gone": false }));
        let invite = tenant.invite.as_ref().unwrap().0.as_str();
        assert_eq!(called(&page, invite).unwrap()["name"], "staff");
        test.finish().await;
    }

    async fn what_is_deleted_keeps_the_name_of_its_end_and_an_erased_player_has_none(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.full_tenant(1, Tier::Pro).await;
        let owner = test.person(&test.session(&tenant.owner).await);
        let player = link(&test, &tenant, 60, "rivercrow59").await;
        let key = format!("/orgs/{}/keys/{}", tenant.org, tenant.custom_key.as_ref().unwrap());
        change(&owner, Method::POST, &format!("{key}/revoke"), json!({})).await;
        change(&owner, Method::DELETE, &key, json!({})).await;
        change(&owner, Method::POST, &format!("{}/key/reveal", server_of(&tenant)), json!({})).await;
        change(&owner, Method::DELETE, &server_of(&tenant), json!({})).await;
        change(&owner, Method::DELETE, &format!("/orgs/{}/guilds/{}", tenant.org, tenant.guild), json!({ "confirm": "guild-1" })).await;
        test.drain_jobs().await;
        test.db.damage("UPDATE links SET discord_id = 'x:1', steam_id = 'x:2', discord_name = NULL, steam_name = NULL").await;
        test.db.damage("DELETE FROM people").await;

        let page = log(&owner, &tenant, "?limit=100").await;
        let custom = tenant.custom_key.as_ref().unwrap().as_str();
        for (id, kind, name) in [
            (tenant.server.as_str(), "server", json!("Server 1")),
            (custom, "custom_key", json!("Key 1")),
            (tenant.guild.as_str(), "guild", json!("Guild 1")),
        ] {
            let found = called(&page, id).unwrap();
            assert_eq!((&found["kind"], &found["name"], &found["gone"]), (&json!(kind), &name, &json!(true)), "{found}");
        }
        assert_eq!(called(&page, &player).unwrap()["name"], Value::Null);
        assert!(!page.to_string().contains("rivercrow59") && !page.to_string().contains("x:1"));
        test.finish().await;
    }

    async fn what_went_with_its_guild_keeps_its_name_and_can_be_looked_for(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.full_tenant(1, Tier::Pro).await;
        let owner = test.person(&test.session(&tenant.owner).await);
        let plugin_key = owner.get(&server_of(&tenant)).await.json()["key"]["id"].as_str().unwrap().to_owned();
        link(&test, &tenant, 60, "rivercrow59").await;
        assert_eq!(test.plugin(&tenant.key).get(&format!("/api?action=remove&id={}", steam(60))).await.status, 200);
        change(&owner, Method::DELETE, &format!("/orgs/{}/guilds/{}", tenant.org, tenant.guild), json!({ "confirm": "guild-1" })).await;
        test.drain_jobs().await;
        let page = log(&owner, &tenant, "?limit=100").await;
        for (id, kind) in [(tenant.server.as_str(), "server"), (plugin_key.as_str(), "plugin_key")] {
            let found = called(&page, id).unwrap();
            assert_eq!((&found["kind"], &found["name"], &found["gone"]), (&json!(kind), &json!("Server 1"), &json!(true)), "{found}");
        }
        let choices = owner.get(&format!("/orgs/{}/audit/choices", tenant.org)).await.json();
        let offered = |list: &str, id: &str| choices[list].as_array().unwrap().iter().any(|one| one["id"] == id && one["name"] == "Server 1");
        assert!(offered("things", tenant.server.as_str()) && offered("actors", &plugin_key), "{choices}");
        test.finish().await;
    }

    async fn what_is_there_is_offered_before_what_is_gone(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.full_tenant(1, Tier::Pro).await;
        let owner = test.person(&test.session(&tenant.owner).await);
        let chain = tenant.scope.num();
        // Tools that made and removed a key each day, and used each of them once.
        let rows: Vec<String> = (0..1_100).map(|number| {
            let key = format!("key_{number:026}");
            format!("({chain}, {}, 1, 'key', '{key}', 'key.removed', '{key}', '{{\"name\":\"Key {number}\"}}', '')", 1_000 + number)
        }).collect();
        test.db.damage(&format!("INSERT INTO audit (chain, seq, at, actor_kind, actor_id, action, target, detail, hash) VALUES {}", rows.join(", "))).await;
        let choices = owner.get(&format!("/orgs/{}/audit/choices", tenant.org)).await.json();
        let offered = |list: &str, id: &str| choices[list].as_array().unwrap().iter().any(|one| one["id"] == id);
        for id in [tenant.server.as_str(), tenant.guild.as_str(), tenant.custom_key.as_ref().unwrap().as_str()] {
            assert!(offered("things", id), "{id}");
        }
        assert!(offered("actors", tenant.owner.id.as_str()));
        for (number, is_offered) in [(1_099, true), (0, false)] {
            assert_eq!(offered("things", &format!("key_{number:026}")), is_offered, "{number}");
            assert_eq!(offered("actors", &format!("key_{number:026}")), is_offered, "{number}");
        }
        assert_eq!((choices["things"].as_array().unwrap().len(), choices["actors"].as_array().unwrap().len()), (1_000, 1_000));
        test.settle().await;
        test.finish().await;
    }

    async fn nobody_reads_a_name_of_another_org_or_a_player_without_seeing_links(engine) {
        let test = TestApp::start(engine).await;
        let (ours, theirs) = (test.full_tenant(1, Tier::Pro).await, test.full_tenant(2, Tier::Pro).await);
        let owner = test.person(&test.session(&ours.owner).await);
        let player = link(&test, &ours, 60, "rivercrow59").await;
        // Entries that name things of another Org, as no entry ever does. Nobody looks beyond the head of a chain.
        let chain = ours.scope.num();
        for (place, (target, field)) in [
            (theirs.server.as_str(), "server"),
            (theirs.guild.as_str(), "guild"),
            (theirs.custom_key.as_ref().unwrap().as_str(), "key"),
            (theirs.invite.as_ref().unwrap().0.as_str(), "invite"),
        ].into_iter().enumerate() {
            let seq = 1_000 + place;
            test.db.damage(&format!(
                "INSERT INTO audit (chain, seq, at, actor_kind, action, target, detail, hash)
                 VALUES ({chain}, {seq}, 1, 'system', 'server.created', '{target}', '{{\"{field}\":\"{target}\"}}', '')"
            )).await;
        }
        let page = log(&owner, &ours, "?limit=100").await;
        assert_eq!(page["entries"][0]["target"], theirs.invite.as_ref().unwrap().0.as_str());
        for foreign in ["Server 2", "Guild 2", "Org 2"] {
            assert!(!page["names"].to_string().contains(foreign), "{foreign}");
        }
        for foreign in [theirs.server.as_str(), theirs.guild.as_str(), theirs.custom_key.as_ref().unwrap().as_str(), theirs.invite.as_ref().unwrap().0.as_str()] {
            assert_eq!(called(&page, foreign), None);
        }

        let auditor = test.person(&test.member(&ours, 5, &[Permission::AuditView]).await);
        let both = test.person(&test.member(&ours, 6, &[Permission::AuditView, Permission::LinksView]).await);
        assert_eq!(called(&log(&auditor, &ours, "?limit=100").await, &player), None);
        assert_eq!(called(&log(&both, &ours, "?limit=100").await, &player).unwrap()["name"], "rivercrow59");
        let stranger = test.person(&test.member(&ours, 7, &[Permission::LinksView]).await);
        for path in ["audit", "audit/choices"] {
            assert_eq!(stranger.get(&format!("/orgs/{}/{path}", ours.org)).await.status, 403, "{path}");
        }
        test.settle().await;
        test.finish().await;
    }

    async fn the_log_is_filtered_by_what_it_offers(engine) {
        let test = TestApp::start(engine).await;
        let (ours, theirs) = (test.full_tenant(1, Tier::Pro).await, test.full_tenant(2, Tier::Pro).await);
        let owner = test.person(&test.session(&ours.owner).await);
        let session = test.member(&ours, 5, &[Permission::ServersKeys]).await;
        let leaving = test.person(&session);
        change(&leaving, Method::POST, &format!("{}/key/reveal", server_of(&ours)), json!({})).await;
        change(&leaving, Method::DELETE, &format!("/account/memberships/{}", ours.org), json!({})).await;
        link(&test, &ours, 60, "rivercrow59").await;
        assert_eq!(test.plugin(&ours.key).get(&format!("/api?action=remove&id={}", steam(60))).await.status, 200);
        let spare = servers::create(&test.app, ours.scope, ours.guild.clone(), DisplayName::parse("Spare").unwrap(), Actor::System).await.unwrap();
        let of_spare = format!("{}/{}", servers_of(&ours), spare.id);
        change(&owner, Method::POST, &format!("{of_spare}/key/reveal"), json!({})).await;
        change(&owner, Method::DELETE, &of_spare, json!({})).await;

        let reply = owner.get(&format!("/orgs/{}/audit/choices", ours.org)).await;
        let choices = reply.json();
        let listed = |list: &str| -> Vec<(String, String, bool)> {
            let listed = choices[list].as_array().unwrap().iter();
            let mut listed: Vec<_> = listed
                .map(|one| (one["kind"].as_str().unwrap().to_owned(), one["name"].as_str().unwrap().to_owned(), one["gone"].as_bool().unwrap()))
                .collect();
            listed.sort();
            listed
        };
        let (is_here, is_gone) = (false, true);
        let helper = test.account(950_001).await.name;
        let mut people = vec![("account".to_owned(), "Person 5".to_owned(), is_gone), ("account".to_owned(), helper, is_here), ("account".to_owned(), ours.owner.name.clone(), is_here)];
        people.push(("plugin_key".to_owned(), "Server 1".to_owned(), is_here));
        people.sort();
        assert_eq!(listed("actors"), people, "the team, who left it, and what acted for itself");
        let thing = |kind: &str, name: &str, gone| (kind.to_owned(), name.to_owned(), gone);
        assert_eq!(
            listed("things"),
            [thing("custom_key", "Key 1", is_here), thing("guild", "Guild 1", is_here), thing("server", "Server 1", is_here), thing("server", "Spare", is_gone)]
        );
        for foreign in [theirs.server.as_str(), theirs.guild.as_str(), theirs.owner.id.as_str()] {
            assert!(!reply.text().contains(foreign));
        }

        let who = test.account(5).await.id;
        let page = log(&owner, &ours, &format!("?actor={who}")).await;
        assert_eq!(actions(&page), ["member.left", "key.revealed"]);
        let page = log(&owner, &ours, &format!("?target={}", ours.server)).await;
        assert_eq!(actions(&page), ["key.revealed", "server.created"], "a Server with its key");
        let page = log(&owner, &ours, &format!("?target={}", spare.id)).await;
        assert_eq!(actions(&page), ["server.deleted", "key.revealed", "server.created"], "and when both are gone");
        let page = log(&owner, &ours, &format!("?target={}&actor={who}&action=key.revealed", ours.server)).await;
        assert_eq!(actions(&page), ["key.revealed"]);
        assert_eq!(actions(&log(&owner, &ours, &format!("?target={}&actor={who}&action=key.revoked", ours.server)).await), Vec::<&str>::new());
        assert_eq!(actions(&log(&owner, &ours, &format!("?target={}", theirs.server)).await), Vec::<&str>::new());
        test.finish().await;
    }

    async fn filtered_pages_go_on_where_the_last_one_ended(engine) {
        let test = TestApp::start_with(engine, |limits| limits.dashboard.burst = 10_000, |_| {}).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        let owner = test.person(&test.session(&tenant.owner).await);
        let member = test.person(&test.member(&tenant, 5, &[Permission::ServersKeys]).await);
        for turn in 0..12 {
            let who = if turn % 2 == 0 { &member } else { &owner };
            change(who, Method::POST, &format!("{}/key/reveal", server_of(&tenant)), json!({})).await;
            change(&owner, Method::PATCH, &server_of(&tenant), json!({ "name": format!("Server {turn}") })).await;
        }
        let who = test.account(5).await.id;
        for filter in [
            String::new(),
            "&action=key.revealed".to_owned(),
            format!("&actor={who}"),
            format!("&target={}", tenant.server),
            format!("&target={}&actor={who}", tenant.server),
            format!("&actor={who}&action=key.revealed"),
            "&from_ms=1".to_owned(),
        ] {
            let whole = seqs(&log(&owner, &tenant, &format!("?limit=100{filter}")).await);
            assert!(whole.len() >= 6 && whole.is_sorted_by(|newer, older| newer > older), "{filter}: {whole:?}");
            let (mut paged, mut before) = (Vec::new(), String::new());
            loop {
                let page = log(&owner, &tenant, &format!("?limit=4{filter}{before}")).await;
                paged.extend(seqs(&page));
                match page["next_before"].as_i64() {
                    Some(seq) => before = format!("&before={seq}"),
                    None => break,
                }
            }
            assert_eq!(paged, whole, "{filter}");
        }
        test.finish().await;
    }

    async fn settings_are_noted_before_and_after_and_only_where_they_differ(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.full_tenant(1, Tier::Pro).await;
        let owner = test.person(&test.session(&tenant.owner).await);
        let org = format!("/orgs/{}", tenant.org);
        let guild = format!("{org}/guilds/{}", tenant.guild);
        let role = discord(820_000_001).to_string();
        let key = format!("{org}/keys/{}", tenant.custom_key.as_ref().unwrap());
        for again in 0..2 {
            change(&owner, Method::PATCH, &format!("{org}/settings"), json!({ "name": "Ashfall", "refuse_query_keys": true })).await;
            change(&owner, Method::PATCH, &guild, json!({ "name": "EU", "verified_roles": [role], "relink_cooldown_ms": 3_600_000 })).await;
            change(&owner, Method::PATCH, &server_of(&tenant), json!({ "name": "EU Main", "poll_seconds": 90 })).await;
            change(&owner, Method::PUT, &key, json!({ "name": "Website", "groups": [], "actions": ["count"] })).await;
            let page = log(&owner, &tenant, "?limit=4").await;
            assert_eq!(actions(&page), ["key.edited", "server.changed", "guild.changed", "org.changed"], "{again}");
        }
        let page = log(&owner, &tenant, "?limit=4").await;
        let detail = |at: usize| &page["entries"][at]["detail"];
        let from_to = |from: Value, to: Value| json!({ "from": from, "to": to });
        assert_eq!(detail(0)["name"], from_to(json!("Key 1"), json!("Website")));
        assert_eq!(detail(0)["actions"]["to"], json!(["count"]));
        assert!(detail(0)["actions"]["from"].as_array().unwrap().len() > 1);
        let polled = detail(1)["poll_seconds"]["from"].clone();
        assert_eq!(*detail(1), json!({ "name": from_to(json!("Server 1"), json!("EU Main")), "poll_seconds": from_to(polled, json!(90)) }));
        let waited = detail(2)["relink_cooldown_ms"]["from"].clone();
        assert_eq!(
            *detail(2),
            json!({ "name": from_to(json!("Guild 1"), json!("EU")), "verified_roles": from_to(json!([]), json!([role])), "relink_cooldown_ms": from_to(waited, json!(3_600_000)) })
        );
        assert_eq!(*detail(3), json!({ "name": from_to(json!("Org 1"), json!("Ashfall")), "refuse_query_keys": from_to(json!(false), json!(true)) }));
        test.finish().await;
    }
}

/// One statement for the entries and one for the names, however much they are about.
#[tokio::test]
async fn a_page_of_the_log_and_its_names_are_two_reads() {
    let test = TestApp::start_with(Engine::Sqlite, |limits| limits.dashboard.burst = 10_000, |_| {}).await;
    let tenant = test.full_tenant(1, Tier::Pro).await;
    let owner = test.person(&test.session(&tenant.owner).await);
    for number in 0..40 {
        link(&test, &tenant, 100 + number, &format!("player {number}")).await;
        change(
            &owner,
            Method::POST,
            &servers_of(&tenant),
            json!({ "guild_id": tenant.guild.as_str(), "name": format!("EU {number}") }),
        )
        .await;
    }
    let before = log(&owner, &tenant, "?limit=1").await;
    assert_eq!(
        before["names"].as_array().unwrap().len(),
        3,
        "who, the Server and its key"
    );
    let counted = || -> Vec<(&'static str, i32)> {
        let all = storage::catalogue::statements();
        let reads =
            all.filter(|one| one.name().starts_with("storage::records::") || one.name().contains("::BY_ID"));
        reads
            .map(|one| (one.name(), test.db.db.times_run(one).unwrap()))
            .collect()
    };
    let earlier = counted();
    let page = log(&owner, &tenant, "?limit=100").await;
    let later = counted();
    assert!(page["names"].as_array().unwrap().len() > 100, "{}", page["names"]);
    let run: Vec<(&str, i32)> = earlier
        .iter()
        .zip(later)
        .filter(|(old, new)| old.1 != new.1)
        .map(|(old, new)| (new.0, new.1 - old.1))
        .collect();
    assert_eq!(
        run,
        [
            ("storage::records::audit_names::NAMES", 1),
            ("storage::records::audit_pages::BEFORE", 1)
        ]
    );
    test.finish().await;
}
