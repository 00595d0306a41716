//! Maintenance, blocks, registration, flags and operators, over HTTP.

use domain::plan::Tier;
use http::Method;
use serde_json::json;
use testkit::{TestApp, both_databases};

use super::{operator, own_log};
use crate::support::{call, refusal, refused};

const DAY_MS: i64 = 24 * 60 * 60_000;

both_databases! {
    async fn an_operator_closes_and_opens_the_dashboard_and_stays_in(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let (owner, (_, me)) = (test.person(&test.session(&tenant.owner).await), operator(&test, 21).await);
        assert_eq!(me.get("/admin/maintenance").await.json(), json!({ "on": false, "message": null }));
        let body = json!({ "on": true, "message": "Back at noon." });
        assert_eq!(call(&me, Method::PUT, "/admin/maintenance", &body).await.status, 204);
        let closed = owner.get("/account").await;
        assert_eq!(refusal(&closed), refused(503, "MAINTENANCE"));
        assert!(closed.header("retry-after").is_some() && closed.text().contains("Back at noon."));
        assert_eq!(owner.get("/announcements").await.code(), "MAINTENANCE");
        assert_eq!(me.get("/admin/maintenance").await.json()["message"], "Back at noon.");
        assert_eq!(me.get("/account").await.status, 200);
        assert_eq!(test.plugin(&tenant.key).get("/api?action=count").await.status, 200);
        assert_eq!(call(&me, Method::PUT, "/admin/maintenance", &json!({ "on": false })).await.status, 204);
        assert_eq!(owner.get("/account").await.status, 200);
        test.finish().await;
    }

    async fn a_block_is_listed_found_and_lifted_by_its_own_id(engine) {
        let test = TestApp::start(engine).await;
        let victim = test.account(40).await;
        let (theirs, (_, me)) = (test.person(&test.session(&victim).await), operator(&test, 21).await);
        let mut made = Vec::new();
        for (kind, value) in [
            ("discord", victim.discord_id.as_str()),
            ("network", "198.51.100.9/24"),
            ("steam", "76561198000000001"),
        ] {
            let body = json!({ "kind": kind, "value": value, "reason": "ban evasion", "days": 7 });
            let reply = call(&me, Method::POST, "/admin/blocks", &body).await;
            assert_eq!(reply.status, 201, "{}", reply.text());
            made.push(reply.json()["id"].as_str().unwrap().to_owned());
        }
        assert_eq!(theirs.get("/account").await.code(), "SIGN_IN_REQUIRED", "what was open has ended");
        let first = me.get("/admin/blocks?limit=2").await.json();
        assert_eq!(first["blocks"].as_array().unwrap().len(), 2);
        let after = first["next_after"].as_str().unwrap();
        let second = me.get(&format!("/admin/blocks?limit=2&after={}", after.replace('/', "%2F"))).await.json();
        assert_eq!((second["blocks"][0]["id"].as_str(), &second["next_after"]), (Some(&*made[2]), &json!(null)));
        let found = me.get("/admin/blocks?q=198.51.100.0%2F24").await.json();
        assert_eq!((&found["blocks"][0]["value"], &found["blocks"][0]["kind"]), (&json!("198.51.100.0/24"), &json!("network")));
        assert_eq!(me.get(&format!("/admin/blocks?q={}", victim.discord_id)).await.json()["blocks"][0]["id"], json!(made[0]));
        assert_eq!(me.get("/admin/blocks?kind=steam").await.json()["blocks"].as_array().unwrap().len(), 1);
        for id in &made {
            assert_eq!(me.send(Method::DELETE, &format!("/admin/blocks/{id}"), axum::body::Body::empty()).await.status, 204);
        }
        let again = me.send(Method::DELETE, &format!("/admin/blocks/{}", made[0]), axum::body::Body::empty()).await;
        assert_eq!(refusal(&again), refused(404, "NOT_FOUND"));
        let log = own_log(&test).await;
        let until_ms = test.app.now_ms() + 7 * DAY_MS;
        assert_eq!(log[0], format!(r#"block.added {} {{"until_ms":{until_ms}}}"#, made[0]));
        assert_eq!(log.len(), 6);
        assert!(!log.concat().contains(victim.discord_id.as_str()), "the log names nobody");
        test.finish().await;
    }

    async fn a_block_that_is_set_again_tells_what_it_was_before(engine) {
        let test = TestApp::start(engine).await;
        let (_, me) = operator(&test, 21).await;
        let mut ids = Vec::new();
        for days in [json!(null), json!(1), json!(null)] {
            let body = json!({ "kind": "network", "value": "198.51.100.0/24", "reason": "attack", "days": days });
            ids.push(call(&me, Method::POST, "/admin/blocks", &body).await.json()["id"].as_str().unwrap().to_owned());
        }
        assert!(ids.iter().all(|id| *id == ids[0]), "it stays one block");
        let until_ms = test.app.now_ms() + DAY_MS;
        let noted = [
            r#"{"until_ms":null}"#.to_owned(),
            format!(r#"{{"before":{{"until_ms":null}},"until_ms":{until_ms}}}"#),
            format!(r#"{{"before":{{"until_ms":{until_ms}}},"until_ms":null}}"#),
        ];
        assert_eq!(own_log(&test).await, noted.map(|detail| format!("block.added {} {detail}", ids[0])));
        // What is over is no block that is made weaker.
        let body = json!({ "kind": "steam", "value": "76561198000000001", "reason": "attack", "days": 1 });
        assert_eq!(call(&me, Method::POST, "/admin/blocks", &body).await.status, 201);
        test.clock.advance_ms(DAY_MS);
        let (_, me) = operator(&test, 21).await;
        assert_eq!(call(&me, Method::POST, "/admin/blocks", &body).await.status, 201);
        assert!(!own_log(&test).await.last().unwrap().contains("before"));
        test.finish().await;
    }

    async fn an_operator_cannot_block_themselves(engine) {
        let test = TestApp::start(engine).await;
        let (account, me) = operator(&test, 21).await;
        for (kind, value) in [("discord", account.discord_id.as_str()), ("network", "203.0.113.0/24"), ("network", "0.0.0.0/0")] {
            let body = json!({ "kind": kind, "value": value, "reason": "a slip" });
            assert_eq!(call(&me, Method::POST, "/admin/blocks", &body).await.json()["parameter"], "value", "{value}");
        }
        assert_eq!(me.get("/admin/blocks").await.json()["blocks"], json!([]));
        assert_eq!(me.get("/account").await.status, 200);
        test.finish().await;
    }

    async fn a_code_is_good_for_as_many_organisations_as_it_says_until_it_is_revoked(engine) {
        let test = TestApp::start(engine).await;
        let (_, me) = operator(&test, 21).await;
        assert_eq!(call(&me, Method::PUT, "/admin/registration", &json!({ "mode": "invite_only" })).await.status, 204);
        let wrong = call(&me, Method::PUT, "/admin/registration", &json!({ "mode": "closed" })).await;
        assert_eq!(wrong.code(), "INVALID_PARAMETER");
        let made = call(&me, Method::POST, "/admin/registration/codes", &json!({ "note": "for Mia", "max_uses": 2, "days": 1 })).await;
        assert_eq!(made.status, 201, "{}", made.text());
        let (id, code) = (made.json()["id"].clone(), made.json()["code"].clone());
        let register = async |number: u64, code: &serde_json::Value| {
            let person = test.person(&test.session(&test.account(number).await).await);
            assert_eq!(person.get("/account").await.json()["registration"], "invite_only");
            let body = json!({ "name": "Made", "slug": format!("made-{number}"), "invite_code": code });
            let reply = call(&person, Method::POST, "/orgs", &body).await;
            (reply.status.as_u16(), reply.code())
        };
        for number in [41, 42] {
            assert_eq!(register(number, &code).await.0, 201);
        }
        assert_eq!(register(43, &code).await, refused(403, "REGISTRATION_CLOSED"));
        assert_eq!(register(43, &json!(null)).await, refused(403, "REGISTRATION_CLOSED"));
        let listed = me.get("/admin/registration").await.json();
        assert_eq!((&listed["mode"], &listed["codes"][0]["state"]), (&json!("invite_only"), &json!("used_up")));
        assert!(!listed.to_string().contains(code.as_str().unwrap()), "a code is shown once");

        let other = call(&me, Method::POST, "/admin/registration/codes", &json!({})).await.json();
        let revoke = format!("/admin/registration/codes/{}/revoke", other["id"].as_str().unwrap());
        for _ in 0..2 {
            assert_eq!(me.post(&revoke, "").await.status, 204);
        }
        assert_eq!(register(43, &other["code"]).await, refused(403, "REGISTRATION_CLOSED"));
        assert_eq!(call(&me, Method::PUT, "/admin/registration", &json!({ "mode": "open" })).await.status, 204);
        let log = own_log(&test).await;
        assert_eq!(log.iter().filter(|line| line.starts_with("registration.code_revoked")).count(), 1);
        assert!(log.contains(&format!("registration.code_made {} {{}}", id.as_str().unwrap())));
        test.clock.advance_ms(DAY_MS);
        test.finish().await;
    }

    async fn a_flag_that_is_off_refuses_what_it_is_about_and_nothing_else(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let (owner, (account, me)) = (test.person(&test.session(&tenant.owner).await), operator(&test, 21).await);
        let send = async || {
            let uri = format!("/orgs/{}/imports?guild_id={}&kind=users", tenant.org, tenant.guild);
            let reply = owner.clone().sending_file().send(Method::POST, &uri, axum::body::Body::from("a,b")).await;
            (reply.status.as_u16(), reply.code())
        };
        let before = send().await;
        assert_ne!(before.1, "FEATURE_OFF");
        for _ in 0..2 {
            assert_eq!(call(&me, Method::PUT, "/admin/flags/imports", &json!({ "on": false })).await.status, 204);
        }
        assert_eq!(send().await, refused(503, "FEATURE_OFF"));
        assert_eq!(owner.get(&format!("/orgs/{}/imports", tenant.org)).await.status, 200);
        let shown = me.get("/admin/flags").await.json();
        let flag = shown["flags"].as_array().unwrap().iter().find(|flag| flag["name"] == "imports").unwrap().clone();
        assert_eq!((&flag["on"], &flag["default"], &flag["set_by"]), (&json!(false), &json!(true), &json!(account.id.as_str())));
        assert_eq!(call(&me, Method::PUT, "/admin/flags/imports", &json!({ "on": true })).await.status, 204);
        assert_eq!(send().await, before);
        assert_eq!(call(&me, Method::PUT, "/admin/flags/nothing", &json!({ "on": true })).await.status, 404);
        assert_eq!(own_log(&test).await, [r#"flag.set - {"flag":"imports","on":false}"#, r#"flag.set - {"flag":"imports","on":true}"#]);
        test.finish().await;
    }

    async fn operators_are_granted_and_revoked_and_somebody_is_always_left(engine) {
        let test = TestApp::start(engine).await;
        let (account, me) = operator(&test, 21).await;
        let helper = test.account(22).await;
        let theirs = test.person(&test.session(&helper).await);
        assert_eq!(theirs.get("/admin/operators").await.status, 404);
        for _ in 0..2 {
            let body = json!({ "discord_id": helper.discord_id.as_str() });
            let made = call(&me, Method::POST, "/admin/operators", &body).await;
            assert_eq!((made.status.as_u16(), made.json()["account_id"].clone()), (201, json!(helper.id.as_str())));
        }
        let listed = theirs.get("/admin/operators").await.json();
        assert_eq!(listed["operators"].as_array().unwrap().len(), 2);
        assert_eq!((&listed["operators"][1]["you"], &listed["operators"][1]["granted"]), (&json!(true), &json!(true)));
        let revoke = async |id: &str| me.send(Method::DELETE, &format!("/admin/operators/{id}"), axum::body::Body::empty()).await;
        assert_eq!(refusal(&revoke(account.id.as_str()).await), refused(409, "CONFLICT"), "nobody revokes their own");
        assert_eq!(revoke(helper.id.as_str()).await.status, 204);
        assert_eq!(theirs.get("/admin/operators").await.status, 404, "from the next request on");
        assert_eq!(refusal(&revoke(helper.id.as_str()).await), refused(409, "CONFLICT"));
        let log = own_log(&test).await;
        assert_eq!(log.iter().filter(|line| line.starts_with("operator.revoked")).count(), 1, "{log:?}");
        test.finish().await;
    }
}
