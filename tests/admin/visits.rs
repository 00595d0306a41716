//! Operators who look into somebody else's Org.

use domain::plan::Tier;
use http::Method;
use serde_json::json;
use testkit::{TestApp, both_databases};

use super::{operator, own_log};
use crate::secrecy::rows;
use crate::support::{call, new_server, refusal, refused, server_of, servers_of};

const HOUR_MS: i64 = 60 * 60_000;

both_databases! {
    async fn a_visit_lets_an_operator_look_until_it_ends_by_itself(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let (account, me) = operator(&test, 21).await;
        assert_eq!(me.get(&servers_of(&tenant)).await.status, 404);
        let visit = format!("/admin/orgs/{}/visit", tenant.org);
        for reason in ["", "why", "for 123456789012345678", "a@b.example wrote"] {
            let reply = call(&me, Method::POST, &visit, &json!({ "reason": reason })).await;
            assert_eq!(reply.json()["parameter"], "reason", "{reason}");
        }
        let begun = call(&me, Method::POST, &visit, &json!({ "reason": "Ticket 4711" })).await;
        assert_eq!((begun.status.as_u16(), begun.json()["ends_at_ms"].as_i64()), (201, Some(test.app.now_ms() + HOUR_MS)));
        assert_eq!(me.get(&servers_of(&tenant)).await.status, 200);
        let shown = me.get("/account").await.json()["orgs"][0].clone();
        assert_eq!((&shown["id"], &shown["visit"]["write"], &shown["role"]), (&json!(tenant.org.as_str()), &json!(false), &json!("staff")));
        let create = call(&me, Method::POST, &servers_of(&tenant), &serde_json::from_str(&new_server(&tenant, "Mine")).unwrap()).await;
        assert_eq!(refusal(&create), refused(403, "MISSING_PERMISSION"));
        let reveal = me.post(&format!("{}/key/reveal", server_of(&tenant)), "").await;
        assert_eq!(refusal(&reveal), refused(403, "MISSING_PERMISSION"));
        let leave = me.send(Method::DELETE, &format!("/account/memberships/{}", tenant.org), axum::body::Body::empty()).await;
        assert_eq!(refusal(&leave), refused(404, "NOT_FOUND"));

        // The Org sees it in its own log.
        let owner = test.person(&test.session(&tenant.owner).await);
        let log = owner.get(&format!("/orgs/{}/audit?action=visit.began", tenant.org)).await.json();
        assert_eq!((&log["entries"][0]["actor_id"], &log["entries"][0]["detail"]["reason"]), (&json!(account.id.as_str()), &json!("Ticket 4711")));
        assert_eq!(me.get("/admin/visits").await.json()["visits"][0]["yours"], true);
        test.clock.advance_ms(HOUR_MS);
        assert_eq!(me.get(&servers_of(&tenant)).await.status, 404);
        assert_eq!(me.get("/account").await.json()["orgs"], json!([]));
        assert_eq!(me.get("/admin/visits").await.json()["visits"], json!([]));
        test.finish().await;
    }

    async fn a_writing_visit_changes_what_support_is_asked_for_and_never_team_money_or_keys(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let (account, me) = operator(&test, 21).await;
        let visit = format!("/admin/orgs/{}/visit", tenant.org);
        let body = json!({ "reason": "Ticket 4711", "write": true, "minutes": 5 });
        assert_eq!(call(&me, Method::POST, &visit, &body).await.status, 201);
        let off = call(&me, Method::PATCH, &server_of(&tenant), &json!({ "active": false })).await;
        assert_eq!(off.status, 204, "{}", off.text());
        let by = "SELECT actor_id FROM audit WHERE action = 'server.deactivated'";
        assert_eq!(rows::texts(&test.db.db, by).await, [account.id.to_string()]);
        for uri in ["team", "invites"] {
            assert_eq!(me.get(&format!("/orgs/{}/{uri}", tenant.org)).await.code(), "MISSING_PERMISSION");
        }
        let remove = call(&me, Method::DELETE, &format!("/orgs/{}", tenant.org), &json!({ "confirm": "org-1" })).await;
        assert_eq!(refusal(&remove), refused(403, "OWNER_ONLY"));
        for _ in 0..2 {
            assert_eq!(me.send(Method::DELETE, &visit, axum::body::Body::empty()).await.status, 204);
        }
        assert_eq!(me.get(&servers_of(&tenant)).await.status, 404);
        let words: Vec<String> = own_log(&test).await.iter().map(|line| line.split(' ').next().unwrap().to_owned()).collect();
        assert_eq!(words, ["visit.began", "visit.ended"]);
        let theirs = format!("SELECT action FROM audit WHERE chain = {} AND action LIKE 'visit.%' ORDER BY seq", tenant.scope.num());
        assert_eq!(rows::texts(&test.db.db, &theirs).await, ["visit.began", "visit.ended"]);
        test.finish().await;
    }

    async fn a_visit_ends_with_the_right_to_make_one(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let (account, me) = operator(&test, 21).await;
        let visit = format!("/admin/orgs/{}/visit", tenant.org);
        assert_eq!(call(&me, Method::POST, &visit, &json!({ "reason": "Ticket 4711" })).await.status, 201);
        let granted = app::identity::accounts::get(&test.app, &account.id).await.unwrap();
        app::identity::accounts::revoke_operator(&test.app, granted).await.unwrap();
        assert_eq!(me.get(&servers_of(&tenant)).await.status, 404);
        assert_eq!(me.get("/account").await.json()["orgs"], json!([]));
        test.finish().await;
    }
}
