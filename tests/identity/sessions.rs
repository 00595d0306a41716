//! How long a session lasts, and what is stored of it.

use app::identity::sessions;
use app::{App, background};
use domain::plan::Tier;
use testkit::{TestApp, both_databases};

use crate::secrecy::rows;
use crate::secrecy::search::{Secrets, everything_stored};
use crate::support::servers_of;

const MINUTE_MS: i64 = 60_000;
const DAY_MS: i64 = 24 * 60 * MINUTE_MS;

both_databases! {
    async fn an_unused_session_ends_after_thirty_days(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let (used, unused) = (
            test.session(&tenant.owner).await,
            test.session(&tenant.owner).await,
        );
        test.clock.advance_ms(30 * DAY_MS - 1);
        assert_eq!(test.person(&used).get(&servers_of(&tenant)).await.status, 200);
        test.settle().await;
        test.clock.advance_ms(1);
        let refused = test.person(&unused).get(&servers_of(&tenant)).await;
        assert_eq!(
            (refused.status.as_u16(), refused.code().as_str()),
            (401, "SIGN_IN_REQUIRED")
        );
        assert_eq!(test.person(&used).get(&servers_of(&tenant)).await.status, 200);
        test.finish().await;
    }

    async fn a_session_in_daily_use_ends_after_ninety_days(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let person = test.person(&test.session(&tenant.owner).await);
        for _ in 0..89 {
            test.clock.advance_ms(DAY_MS);
            assert_eq!(person.get(&servers_of(&tenant)).await.status, 200);
            test.settle().await;
        }
        test.clock.advance_ms(DAY_MS - 1);
        assert_eq!(person.get(&servers_of(&tenant)).await.status, 200);
        test.clock.advance_ms(1);
        assert_eq!(person.get(&servers_of(&tenant)).await.code(), "SIGN_IN_REQUIRED");
        test.finish().await;
    }

    async fn an_operator_can_have_sessions_end_sooner(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let mut parts = test.parts();
        (parts.retention.session_idle_days, parts.retention.session_days) = (1, 2);
        let strict = App::start(parts).await.unwrap();
        let token = sessions::start(&strict, &tenant.owner, sessions::ABSOLUTE_MS).await.unwrap();
        let is_known = async || sessions::recognise(&strict, Some(&token), None).await.is_ok();
        test.clock.advance_ms(DAY_MS - 1);
        assert!(is_known().await);
        strict.tasks.finish(std::time::Duration::from_secs(60)).await;
        test.clock.advance_ms(DAY_MS - 1);
        assert!(is_known().await, "it was used within a day");
        strict.tasks.finish(std::time::Duration::from_secs(60)).await;
        test.clock.advance_ms(2);
        assert!(!is_known().await, "two days are over");
        let idle = sessions::start(&strict, &tenant.owner, sessions::ABSOLUTE_MS).await.unwrap();
        test.clock.advance_ms(DAY_MS);
        assert!(sessions::recognise(&strict, Some(&idle), None).await.is_err());
        test.finish().await;
    }

    async fn no_session_can_be_started_for_longer_than_ninety_days(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        sessions::start(&test.app, &tenant.owner, i64::MAX).await.unwrap();
        let lifetimes = rows::numbers(&test.db.db, "SELECT expires_at - created_at FROM sessions").await;
        assert_eq!(lifetimes, [90 * DAY_MS]);
        test.finish().await;
    }

    async fn the_time_of_last_use_is_written_at_most_once_a_minute(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let person = test.person(&test.session(&tenant.owner).await);
        let start = test.app.now_ms();
        for (advance_ms, seen_ms) in [
            (30_000, 0),
            (30_000, 0),
            (1_000, 61_000),
            (59_000, 61_000),
            (1_001, 121_001),
        ] {
            test.clock.advance_ms(advance_ms);
            for _ in 0..3 {
                assert_eq!(person.get(&servers_of(&tenant)).await.status, 200);
                test.settle().await;
            }
            let seen = rows::numbers(&test.db.db, "SELECT seen_at FROM sessions").await;
            assert_eq!(seen, [start + seen_ms]);
        }
        test.finish().await;
    }

    async fn housekeeping_removes_expired_sessions_and_no_others(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        for _ in 0..3 {
            sessions::start(&test.app, &tenant.owner, DAY_MS).await.unwrap();
        }
        let kept = sessions::start(&test.app, &tenant.owner, 2 * DAY_MS)
            .await
            .unwrap();
        test.clock.advance_ms(DAY_MS);
        background::keep_house(&test.app).await.unwrap();
        let hashes = rows::texts(&test.db.db, "SELECT hash FROM sessions").await;
        assert_eq!(hashes, [kept.hash()]);
        assert_eq!(
            test.person(kept.expose()).get(&servers_of(&tenant)).await.status,
            200
        );
        test.finish().await;
    }

    async fn what_is_stored_of_a_session_cannot_be_used_as_one(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let mut secrets = Secrets::default();
        for _ in 0..3 {
            let token = test.session(&tenant.owner).await;
            assert_eq!(test.person(&token).get(&servers_of(&tenant)).await.status, 200);
            secrets.token(&token);
        }
        secrets.assert_absent("the database", &everything_stored(&test, engine).await);
        for hash in rows::texts(&test.db.db, "SELECT hash FROM sessions").await {
            for stolen in [hash.as_str(), &hash[..43]] {
                let refused = test.person(stolen).get(&servers_of(&tenant)).await;
                assert_eq!(refused.code(), "SIGN_IN_REQUIRED");
            }
        }
        test.finish().await;
    }

    async fn reading_without_a_session_stores_nothing(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let rows = rows::Rows::of(&test.db.db).await;
        let before = rows.all(&test.db.db).await;
        for uri in [
            "/",
            "/healthz",
            "/readyz",
            "/api",
            "/nothing",
            &servers_of(&tenant),
        ] {
            let reply = test.client().get(uri).await;
            assert_eq!(reply.header("set-cookie"), None);
        }
        test.settle().await;
        assert_eq!(before, rows.all(&test.db.db).await);
        test.finish().await;
    }

    async fn the_cookie_has_the_protected_name_wherever_pages_are_served_over_tls(engine) {
        for (url, right, wrong) in [
            ("https://symbolon.example", "__Host-symbolon", "symbolon"),
            ("http://127.0.0.1:8080", "symbolon", "__Host-symbolon"),
        ] {
            let test =
                TestApp::start_with(engine, |_| {}, |settings| settings.public_url = url.to_owned()).await;
            let tenant = test.tenant(1, Tier::Free).await;
            let token = test.session(&tenant.owner).await;
            let with = |cookie: String| test.client().header("cookie", &cookie);
            assert_eq!(test.state.settings.session_cookie(), right);
            for cookie in [format!("{right}={token}"), format!("a=b; {right}={token}; c=d")] {
                assert_eq!(with(cookie).get(&servers_of(&tenant)).await.status, 200);
            }
            for cookie in [
                format!("{wrong}={token}"),
                format!("x{right}={token}"),
                token.clone(),
                format!("{right}={token}x"),
            ] {
                assert_eq!(
                    with(cookie).get(&servers_of(&tenant)).await.code(),
                    "SIGN_IN_REQUIRED"
                );
            }
            test.finish().await;
        }
    }
}
