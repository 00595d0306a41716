//! The plugin key of a Server, from its first showing to its end.

use domain::plan::Tier;
use testkit::{Reply, TestApp, both_databases};

use crate::secrecy::rows;
use crate::support::{new_server, server_of, servers_of};

fn key_in(reply: &Reply) -> String {
    assert_eq!(reply.header("cache-control"), Some("no-store"));
    let key = reply.json()["key"].as_str().expect("a key").to_owned();
    let hex = key.strip_prefix("svc_live_").expect("the mark of a key");
    assert!(hex.len() == 48 && hex.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')));
    key
}

both_databases! {
    async fn a_new_servers_key_works_and_is_shown_by_its_creation_alone(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Standard).await;
        let owner = test.person(&test.session(&tenant.owner).await);
        let created = owner
            .post(&servers_of(&tenant), &new_server(&tenant, "  Main 🦀 "))
            .await;
        assert_eq!(created.status, 201);
        let (key, id) = (
            key_in(&created),
            created.json()["server_id"].as_str().unwrap().to_owned(),
        );
        assert_eq!(test.plugin(&key).get("/api?action=count").await.status, 200);

        let one = owner.get(&format!("{}/{id}", servers_of(&tenant))).await;
        let list = owner.get(&servers_of(&tenant)).await;
        for reply in [&one, &list] {
            assert_eq!(reply.status, 200);
            assert!(!reply.text().contains(&key[..13]), "{}", reply.text());
        }
        let shown = one.json();
        assert_eq!(shown["name"], "Main 🦀");
        assert_eq!(shown["guild_id"], tenant.guild.as_str());
        assert_eq!(shown["active"], true);
        assert_eq!(shown["key"]["prefix"], key[..12]);
        assert_eq!(shown["key"]["revoked"], false);
        assert_eq!(list.json()["servers"].as_array().unwrap().len(), 2);
        assert_eq!(list.json()["servers"][1], shown);
        test.finish().await;
    }

    async fn revealing_shows_the_same_key_again_and_leaves_an_entry_each_time(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let owner = test.person(&test.session(&tenant.owner).await);
        for times in 1..=3 {
            let reply = owner
                .post(&format!("{}/key/reveal", server_of(&tenant)), "")
                .await;
            assert_eq!((reply.status.as_u16(), key_in(&reply)), (200, tenant.key.clone()));
            let entries = rows::texts(
                &test.db.db,
                "SELECT detail FROM audit WHERE action = 'key.revealed'",
            )
            .await;
            assert_eq!(entries.len(), times);
            assert!(
                entries
                    .iter()
                    .all(|entry| entry.contains(&tenant.key[..12]) && !entry.contains(&tenant.key[..13]))
            );
        }
        test.finish().await;
    }

    async fn regenerating_replaces_the_key_and_its_readable_copy_at_once(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let owner = test.person(&test.session(&tenant.owner).await);
        let sealed = "SELECT sealed FROM api_keys";
        let old_copy = rows::texts(&test.db.db, sealed).await;
        test.clock.advance_ms(1_000);
        let new = key_in(
            &owner
                .post(&format!("{}/key/regenerate", server_of(&tenant)), "")
                .await,
        );
        assert_ne!(new, tenant.key);
        let refused = test.plugin(&tenant.key).get("/api?action=count").await;
        assert_eq!(
            (refused.status.as_u16(), refused.code().as_str()),
            (401, "UNAUTHORIZED")
        );
        assert_eq!(test.plugin(&new).get("/api?action=count").await.status, 200);
        let revealed = owner
            .post(&format!("{}/key/reveal", server_of(&tenant)), "")
            .await;
        assert_eq!(key_in(&revealed), new);
        let copies = rows::texts(&test.db.db, sealed).await;
        assert!(copies.len() == 1 && copies != old_copy);
        let shown = owner.get(&server_of(&tenant)).await.json();
        assert_eq!(shown["key"]["prefix"], new[..12]);
        assert_eq!(shown["key"]["rotated_at_ms"], test.app.now_ms());
        test.finish().await;
    }

    async fn a_revoked_key_is_refused_until_it_is_regenerated(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let owner = test.person(&test.session(&tenant.owner).await);
        for _ in 0..2 {
            assert_eq!(
                owner
                    .post(&format!("{}/key/revoke", server_of(&tenant)), "")
                    .await
                    .status,
                204
            );
            let refused = test.plugin(&tenant.key).get("/api?action=count").await;
            assert_eq!(
                (refused.status.as_u16(), refused.code().as_str()),
                (403, "KEY_REVOKED")
            );
        }
        assert_eq!(
            owner.get(&server_of(&tenant)).await.json()["key"]["revoked"],
            true
        );
        let entries = rows::texts(
            &test.db.db,
            "SELECT detail FROM audit WHERE action = 'key.revoked'",
        )
        .await;
        assert_eq!(entries.len(), 1, "revoking twice is revoking once");
        // A revoked key can still be looked at: its holder may have to find where it is used.
        let revealed = owner
            .post(&format!("{}/key/reveal", server_of(&tenant)), "")
            .await;
        assert_eq!(key_in(&revealed), tenant.key);
        let new = key_in(
            &owner
                .post(&format!("{}/key/regenerate", server_of(&tenant)), "")
                .await,
        );
        assert_eq!(test.plugin(&new).get("/api?action=count").await.status, 200);
        assert_eq!(
            test.plugin(&tenant.key).get("/api?action=count").await.status,
            401
        );
        assert_eq!(
            owner.get(&server_of(&tenant)).await.json()["key"]["revoked"],
            false
        );
        test.finish().await;
    }

    async fn a_regenerated_away_key_that_is_tried_again_is_reported_once_an_hour(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let owner = test.person(&test.session(&tenant.owner).await);
        key_in(
            &owner
                .post(&format!("{}/key/regenerate", server_of(&tenant)), "")
                .await,
        );
        let count = "SELECT detail FROM audit WHERE action = 'key.retired_used'";
        for (advance_ms, entries) in [(0, 1), (60_000, 1), (60 * 60_000, 2)] {
            test.clock.advance_ms(advance_ms);
            for _ in 0..3 {
                assert_eq!(
                    test.plugin(&tenant.key).get("/api?action=count").await.status,
                    401
                );
                test.settle().await;
            }
            assert_eq!(rows::texts(&test.db.db, count).await.len(), entries);
        }
        test.finish().await;
    }
}
