//! Switching Servers off and on, and deleting them.

use axum::body::Body;
use domain::permission::Permission;
use domain::plan::Tier;
use http::Method;
use testkit::{TestApp, both_databases};

use crate::secrecy::rows::{self, Rows};
use crate::support::{new_server, server_of, servers_of};

both_databases! {
    async fn a_server_that_is_switched_off_refuses_its_key_until_it_is_on_again(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let owner = test.person(&test.session(&tenant.owner).await);
        let address = server_of(&tenant);
        let (off, on) = (r#"{"active":false}"#, r#"{"active":true}"#);
        let set = |body: &'static str| owner.send(Method::PATCH, &address, Body::from(body));
        for _ in 0..2 {
            assert_eq!(set(off).await.status, 204);
            assert_eq!(owner.get(&server_of(&tenant)).await.json()["active"], false);
            let refused = test.plugin(&tenant.key).get("/api?action=count").await;
            assert_eq!(
                (refused.status.as_u16(), refused.code().as_str()),
                (403, "SERVER_INACTIVE")
            );
        }
        assert_eq!(set(on).await.status, 204);
        assert_eq!(
            test.plugin(&tenant.key).get("/api?action=count").await.status,
            200
        );
        let entries = rows::texts(
            &test.db.db,
            "SELECT action FROM audit WHERE action IN ('server.activated', 'server.deactivated') ORDER BY seq",
        );
        assert_eq!(entries.await, ["server.deactivated", "server.activated"]);
        test.finish().await;
    }

    async fn a_new_server_answers_with_its_key_only_to_holders_of_servers_keys(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Standard).await;
        let maker = test.person(&test.member(&tenant, 5, &[Permission::ServersManage]).await);
        let made = maker.post(&servers_of(&tenant), &new_server(&tenant, "Second")).await;
        assert_eq!(made.status, 201);
        let (server, text) = (made.json()["server_id"].as_str().unwrap().to_owned(), made.text());
        assert!(made.json()["key"].is_null() && !text.contains("svc_live_"), "{text}");
        let both = [Permission::ServersManage, Permission::ServersKeys];
        let holder = test.person(&test.member(&tenant, 6, &both).await);
        let made = holder.post(&servers_of(&tenant), &new_server(&tenant, "Third")).await.json();
        let key = made["key"].as_str().unwrap();
        assert_eq!(test.plugin(key).get("/api?action=count").await.status, 200);
        // The first one has a key all the same, and its reveal is a matter of that permission.
        let reveal = format!("{}/{server}/key/reveal", servers_of(&tenant));
        assert_eq!(maker.post(&reveal, "").await.code(), "MISSING_PERMISSION");
        let shown = holder.post(&reveal, "").await.json();
        assert_eq!(test.plugin(shown["key"].as_str().unwrap()).get("/api?action=count").await.status, 200);
        test.finish().await;
    }

    async fn deleting_a_server_ends_its_key_and_keeps_the_links(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Standard).await;
        let owner = test.person(&test.session(&tenant.owner).await);
        for player in 0..3 {
            tenant.link(&test.app, player).await;
        }
        let created = owner
            .post(&servers_of(&tenant), &new_server(&tenant, "Second"))
            .await
            .json();
        let second = created["key"].as_str().unwrap();
        // A use that is written down only after the key is gone is no failure.
        assert_eq!(
            test.plugin(&tenant.key).get("/api?action=count").await.status,
            200
        );
        let rows = Rows::of(&test.db.db).await;
        let links = rows.of_tables(&test.db.db, &["links"]).await;

        let address = server_of(&tenant);
        let delete = || owner.send(Method::DELETE, &address, Body::empty());
        assert_eq!(delete().await.status, 204);
        assert_eq!(delete().await.status, 404);
        assert_eq!(owner.get(&server_of(&tenant)).await.status, 404);
        for what in ["reveal", "regenerate", "revoke"] {
            assert_eq!(
                owner
                    .post(&format!("{}/key/{what}", server_of(&tenant)), "")
                    .await
                    .status,
                404
            );
        }
        assert_eq!(
            test.plugin(&tenant.key).get("/api?action=count").await.status,
            401
        );
        app::background::flush_uses(&test.app).await.unwrap();
        assert_eq!(links, rows.of_tables(&test.db.db, &["links"]).await);
        let count = test.plugin(second).get("/api?action=count").await;
        assert_eq!(count.text(), r#"{"Total":3}"#);
        assert_eq!(
            rows::numbers(&test.db.db, "SELECT num FROM api_keys").await.len(),
            1
        );
        test.finish().await;
    }
}
