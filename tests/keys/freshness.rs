//! A change counts from the very next request on, at every node.

use app::App;
use axum::body::Body;
use domain::permission::{Permission, PermissionSet};
use domain::plan::Tier;
use http::Method;
use testkit::{Client, TestApp, both_databases, rounds};
use web::WebState;

use crate::support::server_of;

/// The same application twice on one database, as two nodes are.
async fn second_node(test: &TestApp) -> Client {
    let app = App::start(test.parts()).await.expect("a second node");
    let state = WebState {
        app,
        ..test.state.clone()
    };
    test.client_of(web::service(state))
}

async fn count(node: &Client, key: &str) -> (u16, String) {
    let reply = node
        .clone()
        .header("x-api-key", key)
        .get("/api?action=count")
        .await;
    let code = if reply.status == 200 {
        String::new()
    } else {
        reply.code()
    };
    (reply.status.as_u16(), code)
}

both_databases! {
    async fn key_and_server_changes_count_on_the_next_request_everywhere(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        let owner = test.person(&test.session(&tenant.owner).await);
        let nodes = [test.client(), second_node(&test).await];
        let (server, mut key) = (server_of(&tenant), tenant.key.clone());
        for _ in 0..rounds(10, 2_000) {
            for (active, expected) in [(false, (403, "SERVER_INACTIVE")), (true, (200, ""))] {
                let body = Body::from(format!(r#"{{"active":{active}}}"#));
                assert_eq!(owner.send(Method::PATCH, &server, body).await.status, 204);
                for node in &nodes {
                    let (status, code) = count(node, &key).await;
                    assert_eq!((status, code.as_str()), expected);
                }
            }
            assert_eq!(owner.post(&format!("{server}/key/revoke"), "").await.status, 204);
            for node in &nodes {
                assert_eq!(count(node, &key).await, (403, "KEY_REVOKED".to_owned()));
            }
            let new = owner.post(&format!("{server}/key/regenerate"), "").await.json();
            let old = std::mem::replace(&mut key, new["key"].as_str().unwrap().to_owned());
            for node in &nodes {
                assert_eq!(count(node, &old).await, (401, "UNAUTHORIZED".to_owned()));
                assert_eq!(count(node, &key).await, (200, String::new()));
            }
            test.clock.advance_ms(10_000);
        }
        test.finish().await;
    }

    async fn permission_changes_count_on_the_next_request_everywhere(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let token = test.member(&tenant, 5, &[]).await;
        let account = test.account(5).await;
        let second = second_node(&test)
            .await
            .header("cookie", &format!("symbolon={token}"))
            .header("content-type", "application/json");
        let nodes = [test.person(&token), second];
        let reveal = format!("{}/key/reveal", server_of(&tenant));
        let only: PermissionSet = [Permission::ServersKeys].into_iter().collect();
        for _ in 0..rounds(10, 2_000) {
            for (set, expected) in [
                (only, 200),
                (PermissionSet::ALL.without(Permission::ServersKeys), 403),
            ] {
                test.set_permissions(&tenant, &account, set).await;
                for node in &nodes {
                    assert_eq!(node.post(&reveal, "").await.status.as_u16(), expected);
                }
            }
            test.clock.advance_ms(5_000);
        }
        test.finish().await;
    }

    async fn an_ended_session_is_refused_on_the_next_request_everywhere(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let token = app::identity::sessions::start(&test.app, &tenant.owner, 60_000)
            .await
            .unwrap();
        let second = second_node(&test)
            .await
            .header("cookie", &format!("symbolon={}", token.expose()));
        let nodes = [test.person(token.expose()), second];
        for node in &nodes {
            assert_eq!(node.get(&server_of(&tenant)).await.status, 200);
        }
        app::identity::sessions::end(&test.app, &token).await.unwrap();
        for node in &nodes {
            assert_eq!(node.get(&server_of(&tenant)).await.code(), "SIGN_IN_REQUIRED");
        }
        test.finish().await;
    }
}
