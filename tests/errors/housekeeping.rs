//! Housekeeping goes on whatever fails in it.

use std::sync::Arc;

use app::background;
use app::identity::sessions;
use domain::plan::Tier;
use storage::players::server_players;
use testkit::{START_MS, Tenant, TestApp, both_databases, steam};
use web::metrics::More;

const HOUR_MS: i64 = 60 * 60_000;

/// Something for every round to clear away.
async fn leave_a_session(test: &TestApp, tenant: &Tenant) {
    sessions::start(&test.app, &tenant.owner, 1)
        .await
        .expect("a session");
    test.clock.advance_ms(2);
}

async fn when_seen(test: &TestApp, tenant: &Tenant) -> Option<i64> {
    let server = app::tenancy::servers::get(&test.app, tenant.scope, &tenant.server)
        .await
        .expect("the Server");
    let seen = server_players::find_last_seen(&test.app.db, server.num, &steam(1)).await;
    seen.expect("an answer")
}

/// What operators see.
fn numbers(test: &TestApp) -> String {
    web::metrics::render(&test.app, &(Arc::new(|_: &mut _| {}) as More))
}

both_databases! {
    async fn a_step_that_fails_stops_no_other_and_is_counted(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        tenant.link(&test.app, 1).await;
        test.settle().await;
        for (table, step) in [("server_players", "seen"), ("flows", "flows"), ("jobs", "jobs"), ("error_log", "error_log")] {
            leave_a_session(&test, &tenant).await;
            test.clock.advance_ms(HOUR_MS);
            test.plugin(&tenant.key).get(&format!("/api?action=findBySteam&id={}", steam(1))).await;
            test.db.damage(&format!("ALTER TABLE {table} RENAME TO away")).await;
            assert!(background::keep_house(&test.app).await.is_err(), "{table}");
            test.db.damage(&format!("ALTER TABLE away RENAME TO {table}")).await;
            assert_eq!(test.db.count("sessions").await, 0, "the step after {step} was done");
            let counted = format!("symbolon_housekeeping_failures_total{{step=\"{step}\"}} 1");
            let shown = numbers(&test);
            assert!(shown.lines().any(|line| line == counted), "{counted} is not in\n{shown}");
        }
        background::keep_house(&test.app).await.expect("a sound round");
        let shown = numbers(&test);
        let failures = shown.lines().filter(|line| line.starts_with("symbolon_housekeeping_failures_total{"));
        assert_eq!(failures.count(), 4, "nothing else failed:\n{shown}");
        test.finish().await;
    }

    async fn who_was_seen_outlives_a_store_that_fails_for_a_while(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        tenant.link(&test.app, 1).await;
        test.plugin(&tenant.key).get(&format!("/api?action=findBySteam&id={}", steam(1))).await;
        test.db.damage("ALTER TABLE server_players RENAME TO away").await;
        assert!(background::flush_seen(&test.app).await.is_err());
        test.clock.advance_ms(2 * HOUR_MS);
        assert!(background::flush_seen(&test.app).await.is_err());
        test.db.damage("ALTER TABLE away RENAME TO server_players").await;
        assert_eq!(when_seen(&test, &tenant).await, None);
        background::flush_seen(&test.app).await.expect("written marks");
        assert_eq!(when_seen(&test, &tenant).await, Some(START_MS));
        test.finish().await;
    }

    async fn failures_wait_for_a_store_that_is_away(engine) {
        let test = TestApp::start(engine).await;
        test.client().get("/orgs/nothing").await;
        // Nothing is taken any more, as when the disk is full.
        test.db.db.close().await;
        assert!(background::flush_errors(&test.app).await.is_err());
        test.client().get("/orgs/nothing").await;
        assert!(background::flush_errors(&test.app).await.is_err());
        assert_eq!(test.app.memories.errors.waiting(), 1, "one group, counted on");
        let TestApp { app, db, .. } = test;
        drop(app);
        drop(db);
    }
}
