//! Jobs that fail: panics, refusals, patience and its end.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use app::error::PlayersError;
use app::jobs::operate::{self, Soon};
use app::jobs::{Claimed, Outcome};
use domain::audit::Actor;
use domain::plan::Tier;
use testkit::{TestApp, both_databases};
use web::metrics::More;

use super::stage::{Ledger, engine, tell, worker};

const HOUR_MS: i64 = 60 * 60_000;

/// Longer than any first pause.
const A_WHILE_MS: i64 = 6_001;

/// What operators see.
fn numbers(test: &TestApp) -> String {
    web::metrics::render(&test.app, &(Arc::new(|_: &mut _| {}) as More))
}

fn counted(kind: &str, outcome: &str, times: u64) -> String {
    format!("symbolon_jobs_total{{kind=\"{kind}\",outcome=\"{outcome}\"}} {times}")
}

both_databases! {
    async fn a_panic_is_contained_counted_and_tried_again(engine_of) {
        let test = TestApp::start(engine_of).await;
        for number in 1..=2 {
            tell(&test.app, &test.tenant(number, Tier::Pro).await, 1).await;
        }
        let (ledger, times) = (Ledger::default(), AtomicUsize::new(0));
        let panicking = engine(&test.app, ledger.worker(move |claimed: &Claimed| {
            assert!(claimed.held.num != 1 || times.fetch_add(1, Ordering::SeqCst) > 0, "a worker with a mistake");
            Outcome::Done
        }));
        panicking.drain().await.unwrap();
        assert_eq!(test.db.count("jobs WHERE num = 1 AND attempts = 1 AND last_error = 'PANICKED'").await, 1);
        assert_eq!(test.db.count("jobs").await, 1, "the other Guild's was done");
        test.clock.advance_ms(A_WHILE_MS);
        panicking.drain().await.unwrap();
        assert_eq!(test.db.count("jobs").await, 0);
        let shown = numbers(&test);
        for (outcome, times) in [("panicked", 1), ("retried", 1), ("done", 2)] {
            let line = counted("log.linked", outcome, times);
            assert!(shown.lines().any(|shown| shown == line), "{line} is not in\n{shown}");
        }
        test.finish().await;
    }

    async fn a_failure_is_tried_again_and_the_other_sides_patience_is_kept(engine_of) {
        let test = TestApp::start(engine_of).await;
        tell(&test.app, &test.tenant(1, Tier::Pro).await, 1).await;
        let tries = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&tries);
        let failing = engine(&test.app, worker(move |_, _| {
            let number = counted.fetch_add(1, Ordering::SeqCst);
            Box::pin(async move {
                match number {
                    0 => Err(PlayersError::SteamUnavailable.into()),
                    1 => Ok(Outcome::Retry { after: Some(Duration::from_secs(90)), code: "ASKED_TO_WAIT" }),
                    _ => Ok(Outcome::Done),
                }
            })
        }));
        let tries_after = |ms: i64| {
            test.clock.advance_ms(ms);
            let (failing, tries) = (failing.clone(), Arc::clone(&tries));
            async move {
                failing.drain().await.unwrap();
                tries.load(Ordering::SeqCst)
            }
        };
        assert_eq!(tries_after(0).await, 1);
        assert_eq!(test.db.count("jobs WHERE last_error = 'STEAM_UNAVAILABLE'").await, 1);
        assert_eq!(tries_after(3_999).await, 1, "not at once");
        assert_eq!(tries_after(A_WHILE_MS).await, 2);
        assert_eq!(tries_after(89_999).await, 2, "not before it was asked for");
        assert_eq!(tries_after(1).await, 3);
        assert_eq!(test.db.count("jobs").await, 0);
        test.finish().await;
    }

    async fn who_asks_does_not_have_to_wait(engine_of) {
        let test = TestApp::start(engine_of).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        tell(&test.app, &tenant, 1).await;
        let ledger = Ledger::default();
        let failing = engine(&test.app, ledger.worker(|_| Outcome::Retry { after: None, code: "NO" }));
        failing.drain().await.unwrap();
        failing.drain().await.unwrap();
        assert_eq!(ledger.numbers(), [1]);
        assert_eq!(operate::retry(&test.app, 1, Actor::Operator).await.unwrap(), Soon::Now);
        let noted = format!("audit WHERE chain = {} AND action = 'job.retried' AND actor_kind = 'operator_cli'", tenant.scope.num());
        assert_eq!(test.db.count(&noted).await, 1);
        failing.drain().await.unwrap();
        assert_eq!(ledger.numbers(), [1, 1]);
        assert_eq!(operate::retry(&test.app, 2, Actor::Operator).await.unwrap_err().code(), "NOT_FOUND");
        assert_eq!(test.db.count("audit WHERE action = 'job.retried' AND chain = 0").await, 1, "operators see what they did");
        test.finish().await;
    }

    async fn a_message_is_given_up_after_a_day_and_counted(engine_of) {
        let test = TestApp::start(engine_of).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        tell(&test.app, &tenant, 1).await;
        let ledger = Ledger::default();
        let failing = engine(&test.app, ledger.worker(|_| Outcome::Retry { after: None, code: "NO" }));
        failing.drain().await.unwrap();
        test.clock.advance_ms(12 * HOUR_MS);
        tell(&test.app, &tenant, 2).await;
        failing.drain().await.unwrap();
        test.clock.advance_ms(12 * HOUR_MS);
        failing.drain().await.unwrap();
        assert_eq!(ledger.numbers(), [1, 1, 2], "the one behind it has its turn");
        assert_eq!(test.db.count("jobs").await, 1);
        // What nobody tries any more ends too.
        test.clock.advance_ms(12 * HOUR_MS);
        app::background::keep_house(&test.app).await.unwrap();
        assert_eq!((test.db.count("jobs").await, test.db.count("job_lanes").await), (0, 0));
        let shown = numbers(&test);
        let line = counted("log.linked", "dropped", 2);
        assert!(shown.lines().any(|shown| shown == line), "{line} is not in\n{shown}");
        test.finish().await;
    }

    async fn what_can_never_work_is_dropped_at_once(engine_of) {
        let test = TestApp::start(engine_of).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        tell(&test.app, &tenant, 1).await;
        tell(&test.app, &tenant, 2).await;
        let ledger = Ledger::default();
        let refused = engine(&test.app, ledger.worker(|claimed| match claimed.held.num {
            1 => Outcome::Drop { code: "UNKNOWN_CHANNEL" },
            _ => Outcome::Done,
        }));
        refused.drain().await.unwrap();
        assert_eq!(ledger.numbers(), [1, 2]);
        assert_eq!(test.db.count("jobs").await, 0);
        test.finish().await;
    }

    /// Left by a newer version, which other nodes may run already.
    async fn a_job_of_an_unknown_kind_waits_for_who_knows_it(engine_of) {
        let test = TestApp::start(engine_of).await;
        tell(&test.app, &test.tenant(1, Tier::Pro).await, 1).await;
        test.db.damage("UPDATE jobs SET kind = 'log.sung'").await;
        let ledger = Ledger::default();
        engine(&test.app, ledger.worker(|_| Outcome::Done)).drain().await.unwrap();
        assert!(ledger.numbers().is_empty());
        assert_eq!(test.db.count("jobs WHERE last_error = 'UNKNOWN_JOB'").await, 1);
        test.finish().await;
    }
}
