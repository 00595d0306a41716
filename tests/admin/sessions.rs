//! Ending everybody's sessions, and those of nobody's.

use app::{App, background};
use http::Method;
use serde_json::json;
use testkit::{Client, TestApp, both_databases};
use web::WebState;

use super::{operator, own_log};
use crate::secrecy::rows;
use crate::support::call;

const DAY_MS: i64 = 24 * 60 * 60_000;

async fn is_in(person: &Client) -> bool {
    let reply = person.get("/account").await;
    assert!(
        reply.status == 200 || reply.code() == "SIGN_IN_REQUIRED",
        "{}",
        reply.text()
    );
    reply.status == 200
}

both_databases! {
    async fn signing_out_everyone_spares_nobody_but_the_one_who_asks_on_every_node(engine) {
        let test = TestApp::start(engine).await;
        let (account, me) = operator(&test, 21).await;
        let mut others = vec![test.person(&test.session(&account).await)];
        for number in 30..40 {
            others.push(test.person(&test.session(&test.account(number).await).await));
        }
        let second = App::start(test.parts()).await.unwrap();
        let service = web::service(WebState { app: second, ..test.state.clone() });

        let wrong = call(&me, Method::POST, "/admin/sessions/end-all", &json!({ "confirm": "no" })).await;
        assert_eq!((wrong.status.as_u16(), wrong.json()["parameter"].as_str()), (400, Some("confirm")));
        for person in &others {
            assert!(is_in(person).await);
        }
        let body = json!({ "confirm": "sign out everyone" });
        assert_eq!(call(&me, Method::POST, "/admin/sessions/end-all", &body).await.status, 204);
        for person in &others {
            assert!(!is_in(person).await);
        }
        assert!(is_in(&me).await);
        let there = test.client_of(service).header("content-type", "application/json");
        let newcomer = test.session(&test.account(30).await).await;
        let cookie = format!("symbolon={newcomer}");
        assert!(is_in(&there.clone().header("cookie", &cookie)).await, "whoever signs in after that is in, everywhere");
        assert!(is_in(&me).await);

        // What has ended goes, and what counts stays.
        background::keep_house(&test.app).await.unwrap();
        assert_eq!(rows::numbers(&test.db.db, "SELECT COUNT(*) FROM sessions").await, [2]);
        assert!(is_in(&me).await);
        assert_eq!(own_log(&test).await, ["sessions.ended - {}"]);
        test.finish().await;
    }

    async fn two_operators_who_sign_out_everyone_leave_one_of_them(engine) {
        let test = TestApp::start(engine).await;
        let ((_, one), (_, other)) = (operator(&test, 21).await, operator(&test, 22).await);
        let body = json!({ "confirm": "sign out everyone" });
        let (first, second) = tokio::join!(
            call(&one, Method::POST, "/admin/sessions/end-all", &body),
            call(&other, Method::POST, "/admin/sessions/end-all", &body),
        );
        let mut told = [first.status.as_u16(), second.status.as_u16()];
        told.sort_unstable();
        assert_eq!(told, [204, 401], "{} {}", first.text(), second.text());
        assert_ne!(is_in(&one).await, is_in(&other).await);
        test.finish().await;
    }

    async fn dropping_idle_sessions_ends_those_that_nobody_used_for_a_week(engine) {
        let test = TestApp::start(engine).await;
        let idle = test.person(&test.session(&test.account(30).await).await);
        test.clock.advance_ms(1);
        let busy = test.person(&test.session(&test.account(31).await).await);
        test.clock.advance_ms(7 * DAY_MS - 1);
        let (_, me) = operator(&test, 21).await;
        let counted = me.get("/admin/sessions").await.json();
        assert_eq!(counted, json!({ "living": 3, "idle": 1, "idle_days": 7 }));
        assert_eq!(me.post("/admin/sessions/drop-idle", "").await.status, 204);
        assert!(!is_in(&idle).await);
        assert!(is_in(&busy).await && is_in(&me).await);
        test.settle().await;
        let counted = me.get("/admin/sessions").await.json();
        assert_eq!(counted, json!({ "living": 2, "idle": 0, "idle_days": 7 }));
        background::keep_house(&test.app).await.unwrap();
        assert_eq!(rows::numbers(&test.db.db, "SELECT COUNT(*) FROM sessions").await, [2]);
        assert_eq!(own_log(&test).await, [r#"sessions.idle_dropped - {"days":7}"#]);
        test.finish().await;
    }

    async fn what_was_dropped_with_a_clock_that_was_ahead_keeps_nobody_out(engine) {
        let test = TestApp::start(engine).await;
        let today_ms = test.app.now_ms();
        test.clock.set_ms(today_ms + 30 * DAY_MS);
        let (_, me) = operator(&test, 21).await;
        assert_eq!(me.post("/admin/sessions/drop-idle", "").await.status, 204);
        test.clock.set_ms(today_ms);
        let newcomer = test.person(&test.session(&test.account(30).await).await);
        assert!(is_in(&newcomer).await, "what lies ahead ends nothing");
        // Dropping them again puts right what was written down.
        let (_, me) = operator(&test, 22).await;
        assert_eq!(me.post("/admin/sessions/drop-idle", "").await.status, 204);
        let stored = "SELECT CAST(value AS BIGINT) FROM settings WHERE name = 'sessions_seen_after'";
        assert_eq!(rows::numbers(&test.db.db, stored).await, [today_ms - 7 * DAY_MS]);
        assert!(is_in(&newcomer).await && is_in(&me).await);
        background::keep_house(&test.app).await.unwrap();
        assert!(is_in(&newcomer).await);
        test.finish().await;
    }
}
