//! What is remembered about who did what.

use app::background;
use axum::body::Body;
use domain::permission::Permission;
use domain::plan::Tier;
use http::Method;
use testkit::{TestApp, both_databases, discord, steam};

use crate::secrecy::rows::Rows;
use crate::support::{new_server, server_of, servers_of};

/// What is done to a Server and its key, newest first, and what was there before.
const ALL_OPERATIONS: [&str; 15] = [
    "server.deleted",
    "server.created",
    "access.denied",
    "server.activated",
    "server.deactivated",
    "key.revoked",
    "key.regenerated",
    "key.revealed",
    "member.changed",
    "member.added",
    "server.created",
    "guild.created",
    "org.tier_changed",
    "org.tier_granted",
    "org.created",
];

both_databases! {
    async fn what_a_list_or_an_export_cannot_obey_is_refused(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let owner = test.person(&test.session(&tenant.owner).await);
        for (path, parameter) in [("/export?limit=5", "limit"), ("/export?format=json&limit=5", "limit"), ("?format=csv", "format")] {
            let refused = owner.get(&format!("/orgs/{}/audit{path}", tenant.org)).await;
            assert_eq!((refused.status.as_u16(), refused.code().as_str()), (400, "INVALID_PARAMETER"), "{path}");
            assert_eq!(refused.json()["parameter"], parameter, "{path}");
        }
        test.settle().await;
        let exported = owner.get(&format!("/orgs/{}/audit?action=audit.exported", tenant.org)).await.json();
        assert_eq!(exported["entries"].as_array().map(Vec::len), Some(0), "a refused export is none");
        test.finish().await;
    }

    async fn every_operation_on_a_server_and_its_key_is_listed_with_its_actor_newest_first(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Standard).await;
        let all = [Permission::ServersManage, Permission::ServersKeys];
        let member = test.person(&test.member(&tenant, 5, &all).await);
        let owner = test.person(&test.session(&tenant.owner).await);
        let server = server_of(&tenant);
        for what in ["reveal", "regenerate", "revoke"] {
            let done = member.post(&format!("{server}/key/{what}"), "").await;
            assert!(done.status.is_success());
            test.clock.advance_ms(1_000);
        }
        for active in ["false", "true"] {
            let body = Body::from(format!(r#"{{"active":{active}}}"#));
            assert_eq!(member.send(Method::PATCH, &server, body).await.status, 204);
        }
        assert_eq!(member.get(&servers_of(&tenant)).await.status, 403);
        test.settle().await;
        let made = member.post(&servers_of(&tenant), &new_server(&tenant, "Second")).await;
        assert_eq!(made.status, 201);
        assert_eq!(member.send(Method::DELETE, &server, Body::empty()).await.status, 204);

        let reply = owner.get(&format!("/orgs/{}/audit", tenant.org)).await.json();
        let entries = reply["entries"].as_array().unwrap();
        let actions: Vec<&str> = entries.iter().map(|entry| entry["action"].as_str().unwrap()).collect();
        assert_eq!(actions, ALL_OPERATIONS);
        let numbers: Vec<i64> = entries.iter().map(|entry| entry["seq"].as_i64().unwrap()).collect();
        assert!(numbers.is_sorted_by(|newer, older| newer > older));
        let who = test.account(5).await.id;
        for entry in &entries[..8] {
            assert_eq!(
                (&entry["actor_kind"], &entry["actor_id"]),
                (&"account".into(), &who.as_str().into())
            );
        }
        for entry in entries {
            let target = entry["target"].as_str().unwrap_or("org_");
            assert!(["org_", "gld_", "srv_", "key_", "usr_"].contains(&&target[..4]), "{entry}");
        }
        assert_eq!(entries[2]["detail"]["permission"], "servers.view");
        test.finish().await;
    }

    async fn an_org_reads_its_own_entries_and_at_most_the_newest_hundred(engine) {
        let test = TestApp::start(engine).await;
        let (ours, theirs) = (test.tenant(1, Tier::Free).await, test.tenant(2, Tier::Free).await);
        let owner = test.person(&test.session(&ours.owner).await);
        let reveal = format!("{}/key/reveal", server_of(&ours));
        for _ in 0..105 {
            assert_eq!(owner.post(&reveal, "").await.status, 200);
            test.clock.advance_ms(1_000);
        }
        let reply = owner.get(&format!("/orgs/{}/audit?limit=100", ours.org)).await;
        let listed = reply.json();
        let entries = listed["entries"].as_array().unwrap();
        assert_eq!((entries.len(), entries[0]["seq"].as_i64()), (100, Some(108)));
        for foreign in [theirs.org.as_str(), theirs.guild.as_str(), theirs.server.as_str()] {
            assert!(!reply.text().contains(foreign));
        }
        test.finish().await;
    }

    async fn what_is_remembered_names_nobody_by_platform_id_or_name(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Standard).await;
        let member = test.person(&test.member(&tenant, 5, &[Permission::ServersManage]).await);
        tenant.link(&test.app, 1).await;
        tenant.link_pair(&test.app, 1, 2).await.unwrap();
        let steam_id = steam(2).to_string();
        assert_eq!(
            test.plugin(&tenant.key)
                .get(&format!("/api?action=remove&id={steam_id}"))
                .await
                .status,
            200
        );
        member
            .post(&servers_of(&tenant), &new_server(&tenant, "Named Second"))
            .await;
        member.post(&servers_of(&tenant), &new_server(&tenant, "")).await;
        member
            .post(&format!("{}/key/reveal", server_of(&tenant)), "")
            .await;
        member
            .get(&format!("/orgs/{}/servers/{}", discord(5), steam(1)))
            .await;
        test.settle().await;
        background::flush_errors(&test.app).await.unwrap();
        let rows = Rows::of(&test.db.db).await;
        let kept = rows.of_tables(&test.db.db, &["audit", "jobs", "error_log"]).await;
        assert!(kept.len() > 10, "{kept:#?}");
        let platform_ids = [
            discord(1),
            discord(5),
            discord(900_001),
            discord(800_000_001),
            discord(810_000_001),
        ];
        let mut words: Vec<String> = platform_ids.iter().map(ToString::to_string).collect();
        words.extend([steam(1).to_string(), steam_id]);
        words.extend(["Org 1", "Guild 1", "Server 1", "Named Second", "Person"].map(str::to_owned));
        for line in &kept {
            for word in &words {
                assert!(!line.contains(word.as_str()), "{word} in {line}");
            }
        }
        test.finish().await;
    }
}
