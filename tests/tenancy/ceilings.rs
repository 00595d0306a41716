//! How many Servers a plan allows.

use axum::body::Body;
use domain::plan::Tier;
use http::Method;
use testkit::{Reply, TestApp, both_databases};

use crate::secrecy::rows::Rows;
use crate::support::{new_server, servers_of};

fn assert_full(reply: &Reply, limit: i64) {
    assert_eq!(
        (reply.status.as_u16(), reply.code().as_str()),
        (409, "LIMIT_REACHED")
    );
    assert_eq!(reply.json()["limit"], limit);
    assert!(!reply.text().contains("svc_live_"));
}

both_databases! {
    async fn the_third_server_of_a_free_org_is_refused(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let owner = test.person(&test.session(&tenant.owner).await);
        let add = || async {
            owner
                .post(&servers_of(&tenant), &new_server(&tenant, "More"))
                .await
        };
        assert_eq!(add().await.status, 201);
        let rows = Rows::of(&test.db.db).await;
        let before = rows.all(&test.db.db).await;
        assert_full(&add().await, 2);
        assert_eq!(before, rows.all(&test.db.db).await);
        test.finish().await;
    }

    async fn after_a_downgrade_what_exists_stays_and_nothing_is_added(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Standard).await;
        let owner = test.person(&test.session(&tenant.owner).await);
        let add = || async {
            owner
                .post(&servers_of(&tenant), &new_server(&tenant, "More"))
                .await
        };
        let mut added = Vec::new();
        for _ in 0..3 {
            added.push(add().await.json());
        }
        app::billing::grants::set_tier(&test.app, tenant.scope, Tier::Free, domain::audit::Actor::System).await.unwrap();
        assert_full(&add().await, 2);
        let listed = owner.get(&servers_of(&tenant)).await.json();
        assert_eq!(listed["servers"].as_array().unwrap().len(), 4);
        for server in &added {
            let key = server["key"].as_str().unwrap();
            assert_eq!(test.plugin(key).get("/api?action=count").await.status, 200);
            let reveal = format!(
                "{}/{}/key/reveal",
                servers_of(&tenant),
                server["server_id"].as_str().unwrap()
            );
            assert_eq!(owner.post(&reveal, "").await.json()["key"], *key);
        }
        for (server, left_full) in added.iter().zip([true, true, false]) {
            let one = format!(
                "{}/{}",
                servers_of(&tenant),
                server["server_id"].as_str().unwrap()
            );
            assert_eq!(owner.send(Method::DELETE, &one, Body::empty()).await.status, 204);
            if left_full {
                assert_full(&add().await, 2);
            } else {
                assert_eq!(add().await.status, 201);
            }
        }
        test.finish().await;
    }

    async fn two_people_racing_for_the_last_place_do_not_both_get_it(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let owner = test.person(&test.session(&tenant.owner).await);
        let mut racing = tokio::task::JoinSet::new();
        for _ in 0..6 {
            let (owner, address, body) = (owner.clone(), servers_of(&tenant), new_server(&tenant, "Last"));
            racing.spawn(async move { owner.post(&address, &body).await.status.as_u16() });
        }
        let mut answers = racing.join_all().await;
        answers.sort();
        assert_eq!(answers, [201, 409, 409, 409, 409, 409]);
        test.finish().await;
    }
}
