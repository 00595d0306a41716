//! Operators who look into somebody else's Org.

use domain::permission::Permission;
use domain::plan::Tier;
use http::Method;
use serde_json::{Value, json};
use testkit::{Client, TestApp, both_databases};

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
        let by = "SELECT actor_id FROM audit WHERE chain > 0 AND action = 'server.deactivated'";
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
        assert_eq!(words, ["visit.began", "server.deactivated", "visit.ended"]);
        let theirs = format!("SELECT action FROM audit WHERE chain = {} AND action LIKE 'visit.%' ORDER BY seq", tenant.scope.num());
        assert_eq!(rows::texts(&test.db.db, &theirs).await, ["visit.began", "visit.ended"]);
        test.finish().await;
    }

    async fn a_visit_ends_with_the_right_to_make_one_and_does_not_come_back_with_it(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let ((account, me), (_, other)) = (operator(&test, 21).await, operator(&test, 22).await);
        let visit = format!("/admin/orgs/{}/visit", tenant.org);
        assert_eq!(call(&me, Method::POST, &visit, &json!({ "reason": "Ticket 4711", "write": true })).await.status, 201);
        let granted = app::identity::accounts::get(&test.app, &account.id).await.unwrap();
        app::identity::accounts::revoke_operator(&test.app, granted).await.unwrap();
        assert_eq!(me.get(&servers_of(&tenant)).await.status, 404);
        assert_eq!(me.get("/account").await.json()["orgs"], json!([]));
        assert_eq!(other.get("/admin/visits").await.json()["visits"], json!([]));

        app::identity::accounts::grant_operator(&test.app, account.clone()).await.unwrap();
        assert_eq!(me.get("/admin/visits").await.status, 200, "an operator again");
        assert_eq!(me.get(&servers_of(&tenant)).await.status, 404, "without a new reason there is no visit");
        let ended = format!(r#"visit.ended {} {{"account":"{}"}}"#, tenant.org, account.id);
        assert!(own_log(&test).await.contains(&ended), "{:?}", own_log(&test).await);
        let theirs = format!("audit WHERE chain = {} AND action = 'visit.ended'", tenant.scope.num());
        assert_eq!(test.db.count(&theirs).await, 1);
        test.finish().await;
    }

    async fn any_operator_can_end_a_visit(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let ((account, me), (_, other)) = (operator(&test, 21).await, operator(&test, 22).await);
        let visit = format!("/admin/orgs/{}/visit", tenant.org);
        assert_eq!(call(&me, Method::POST, &visit, &json!({ "reason": "Ticket 4711" })).await.status, 201);
        let end = async |id: &str| {
            let uri = format!("/admin/orgs/{}/visits/{id}", tenant.org);
            other.send(Method::DELETE, &uri, axum::body::Body::empty()).await.status.as_u16()
        };
        assert_eq!(end("usr_01ARZ3NDEKTSV4RRFFQ69G5FAV").await, 404);
        for _ in 0..2 {
            assert_eq!(end(account.id.as_str()).await, 204);
        }
        assert_eq!(me.get(&servers_of(&tenant)).await.status, 404);
        let log = own_log(&test).await;
        assert_eq!(log.iter().filter(|line| line.starts_with("visit.ended")).count(), 1);
        assert!(log.last().unwrap().contains(account.id.as_str()), "whose visit it was: {log:?}");
        test.finish().await;
    }

    async fn what_is_changed_on_a_visit_stands_in_both_logs_as_such(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let (_, me) = operator(&test, 21).await;
        let visit = format!("/admin/orgs/{}/visit", tenant.org);
        assert_eq!(call(&me, Method::POST, &visit, &json!({ "reason": "Ticket 4711", "write": true })).await.status, 201);
        assert_eq!(call(&me, Method::PATCH, &server_of(&tenant), &json!({ "active": false })).await.status, 204);
        let owner = test.person(&test.session(&tenant.owner).await);
        assert_eq!(call(&owner, Method::PATCH, &server_of(&tenant), &json!({ "active": true })).await.status, 204);
        let of = async |chain: i64, action: &str| {
            let sql = format!("SELECT detail FROM audit WHERE chain = {chain} AND action = '{action}'");
            rows::texts(&test.db.db, &sql).await
        };
        let theirs = of(tenant.scope.num(), "server.deactivated").await;
        assert!(theirs.len() == 1 && theirs[0].contains(r#""visit":true"#), "{theirs:?}");
        let ours = of(0, "server.deactivated").await;
        assert!(ours.len() == 1 && ours[0].contains(tenant.org.as_str()), "{ours:?}");
        assert!(!of(tenant.scope.num(), "server.activated").await[0].contains("visit"), "the owner visits nobody");
        assert_eq!(of(0, "server.activated").await, Vec::<String>::new());
        test.finish().await;
    }

    async fn a_writing_visit_leaves_to_the_team_what_cannot_be_put_back(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        let (_, me) = operator(&test, 21).await;
        let visit = format!("/admin/orgs/{}/visit", tenant.org);
        assert_eq!(call(&me, Method::POST, &visit, &json!({ "reason": "Ticket 4711", "write": true })).await.status, 201);
        let org = format!("/orgs/{}", tenant.org);
        let guild = format!("{org}/guilds/{}", tenant.guild);
        let cleanup = json!({ "enabled": true, "days": 30, "grace_days": 7 });
        for (method, uri, body) in [
            (Method::DELETE, guild.clone(), json!({ "confirm": "guild-1" })),
            (Method::POST, format!("{org}/guilds"), json!({ "discord_guild_id": "800000000000000099", "slug": "claimed" })),
            (Method::DELETE, server_of(&tenant), json!({})),
            (Method::PUT, format!("{org}/cleanup"), cleanup),
            (Method::POST, format!("{guild}/bot/token"), json!({ "token": "one.of.twenty.characters" })),
            (Method::DELETE, format!("{guild}/bot"), json!({})),
        ] {
            let reply = call(&me, method, &uri, &body).await;
            assert_eq!(refusal(&reply), refused(403, "MISSING_PERMISSION"), "{uri}");
        }
        let upload = format!("{org}/imports?guild_id={}&kind=users", tenant.guild);
        let sent = me.clone().sending_file().send(Method::POST, &upload, axum::body::Body::from("a,b")).await;
        assert_eq!(refusal(&sent), refused(403, "MISSING_PERMISSION"));
        assert_eq!(test.plugin(&tenant.key).get("/api?action=count").await.status, 200);
        test.finish().await;
    }

    async fn the_team_is_told_that_somebody_visits_while_they_do(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let (_, me) = operator(&test, 21).await;
        let owner = test.person(&test.session(&tenant.owner).await);
        let blind = test.person(&test.member(&tenant, 31, &[Permission::ServersView]).await);
        let visits = async |reader: &Client| {
            let shown = reader.get(&format!("/orgs/{}/overview", tenant.org)).await.json();
            let all = shown["attention"].as_array().unwrap().clone();
            all.into_iter().filter(|one| one["kind"] == "visit").collect::<Vec<_>>()
        };
        assert_eq!(visits(&owner).await, Vec::<Value>::new());
        let visit = format!("/admin/orgs/{}/visit", tenant.org);
        assert_eq!(call(&me, Method::POST, &visit, &json!({ "reason": "Ticket 4711" })).await.status, 201);
        let told = visits(&owner).await;
        assert!(told[0]["text"].as_str().unwrap().contains("Ticket 4711"), "{told:?}");
        assert_eq!(visits(&blind).await, Vec::<Value>::new(), "whoever does not read the log reads nothing of it here");
        assert_eq!(me.send(Method::DELETE, &visit, axum::body::Body::empty()).await.status, 204);
        assert_eq!(visits(&owner).await, Vec::<Value>::new());
        test.finish().await;
    }
}
