//! Who is an operator: by the configuration, or by a grant.

use app::identity::accounts;
use app::{App, Parts, instance};
use domain::audit::Actor;
use domain::platform_id::DiscordId;
use http::Method;
use serde_json::json;
use testkit::{Client, TestApp, both_databases};
use web::WebState;

use crate::secrecy::rows;
use crate::support::{call, refusal, refused};

/// The service as it is after a start with this setting.
async fn started_with(test: &TestApp, operators: &[&DiscordId]) -> (App, Client) {
    let operators = operators.iter().map(|id| (*id).clone()).collect();
    let parts = Parts {
        operators,
        ..test.parts()
    };
    let app = App::start(parts).await.expect("a start");
    let state = WebState {
        app: app.clone(),
        ..test.state.clone()
    };
    let client = test.client_of(web::service(state));
    (app, client)
}

/// Whether the dashboard is open for a person although it is closed; then it also tells them that they are an operator.
async fn is_operator(service: &Client, session: &str) -> bool {
    let cookie = format!("symbolon={session}");
    let reply = service.clone().header("cookie", &cookie).get("/account").await;
    let is_open = reply.status == 200;
    assert!(is_open || reply.code() == "MAINTENANCE", "{}", reply.text());
    assert!(!is_open || reply.json()["operator"] == true);
    is_open
}

both_databases! {
    async fn an_operator_stands_in_the_configuration_now_or_was_granted_it(engine) {
        let test = TestApp::start(engine).await;
        let (named, granted, other) = (test.account(21).await, test.account(22).await, test.account(23).await);
        let sessions = [test.session(&named).await, test.session(&granted).await, test.session(&other).await];
        instance::set_maintenance(&test.app, true, None, Actor::Operator).await.unwrap();
        accounts::grant_operator(&test.app, granted.clone()).await.unwrap();
        let all = async |service: &Client| {
            let mut found = Vec::new();
            for session in &sessions {
                found.push(is_operator(service, session).await);
            }
            found
        };
        let (configured, service) = started_with(&test, &[&named.discord_id]).await;
        assert_eq!(all(&service).await, [true, true, false]);
        let refused = accounts::revoke_operator(&configured, named.clone()).await.unwrap_err();
        assert!(refused.public_message().contains("`operators`"), "{}", refused.public_message());
        assert_eq!(all(&service).await, [true, true, false]);

        // Whoever is taken out of the setting is no operator after the next start.
        let (plain, later) = started_with(&test, &[]).await;
        assert_eq!(all(&later).await, [false, true, false]);

        // What was granted ends with the next request, everywhere, and stays ended.
        let granted = accounts::get(&plain, &granted.id).await.unwrap();
        accounts::revoke_operator(&plain, granted.clone()).await.unwrap();
        for service in [&service, &later, &started_with(&test, &[]).await.1] {
            assert!(!is_operator(service, &sessions[1]).await);
        }
        let granted = accounts::get(&plain, &granted.id).await.unwrap();
        assert!(accounts::revoke_operator(&plain, granted.clone()).await.is_err(), "there is nothing left to revoke");
        let entries = rows::texts(&test.db.db, "SELECT action || ' ' || target FROM audit WHERE action LIKE 'operator.%' ORDER BY seq").await;
        assert_eq!(entries, [format!("operator.granted {}", granted.id), format!("operator.revoked {}", granted.id)]);
        test.finish().await;
    }

    async fn whoever_is_an_operator_by_the_setting_gets_no_grant_besides(engine) {
        let test = TestApp::start(engine).await;
        let named = test.account(21).await;
        let cookie = format!("symbolon={}", test.session(&named).await);
        let (_, service) = started_with(&test, &[&named.discord_id]).await;
        let me = service.header("cookie", &cookie).header("content-type", "application/json");
        let body = json!({ "discord_id": named.discord_id.as_str() });
        let granted = call(&me, Method::POST, "/admin/operators", &body).await;
        assert_eq!(refusal(&granted), refused(409, "CONFLICT"), "it would outlive the setting");
        assert_eq!(test.db.count("accounts WHERE operator = 1").await, 0);
        // The setting is enough for everything.
        assert_eq!(call(&me, Method::PUT, "/admin/maintenance", &json!({ "on": true })).await.status, 204);
        test.finish().await;
    }
}
