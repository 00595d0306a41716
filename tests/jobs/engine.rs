//! Order, fairness, and what happens to those who are late, cancelled or stopped.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use app::AppError;
use app::jobs::operate::{self, Soon};
use app::jobs::{Engine, Outcome, Pace, carry};
use domain::audit::Actor;
use domain::job::LaneKind;
use domain::plan::Tier;
use testkit::{Tenant, TestApp, both_databases, rounds, wait_until};
use tokio::sync::{Notify, watch};
use tokio::task::JoinSet;

use super::stage::{Ledger, engine, tell, worker};
use crate::secrecy::rows::Rows;
use crate::torture::race::{Nodes, report};

both_databases! {
    async fn jobs_of_a_lane_are_done_once_and_in_order_whoever_does_them(engine_of) {
        let nodes = Nodes::start(engine_of).await;
        let mut wanted = 0;
        for number in 1..=3 {
            let tenant = nodes.test.tenant(number, Tier::Pro).await;
            for player in 0..12 {
                tell(&nodes.app(player), &tenant, player).await;
                wanted += 1;
            }
        }
        let ledger = Ledger::default();
        let work = |number| {
            let app = nodes.app(number);
            let engine = engine(&app, ledger.worker(|_| Outcome::Done));
            async move { engine.drain().await.unwrap() }
        };
        let (one, other) = tokio::join!(work(0), work(1));
        assert!(one + other > 0);
        let lines = ledger.lines();
        assert_eq!(lines.len(), wanted, "each once");
        for (lane, _) in &lines {
            let of_lane: Vec<i64> = lines.iter().filter(|line| line.0 == *lane).map(|line| line.1).collect();
            assert!(of_lane.is_sorted(), "{lane}: {of_lane:?}");
        }
        assert_eq!(nodes.test.db.count("jobs").await, 0);
        assert_eq!(nodes.test.db.count("job_lanes").await, 0);
        nodes.finish(engine_of).await;
    }

    async fn guilds_with_all_they_may_have_waiting_do_not_hold_up_another(engine_of) {
        let test = TestApp::start(engine_of).await;
        let waiting = rounds(200, 5_000);
        for number in 1..=20 {
            let tenant = test.tenant(number, Tier::Pro).await;
            tell(&test.app, &tenant, 1).await;
        }
        test.db.damage(&format!(
            "INSERT INTO jobs (lane, kind, dedupe, org_num, payload, give_up_at, created_at)
             WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < {waiting})
             SELECT lane, kind, dedupe || CAST(i AS TEXT), org_num, payload, give_up_at, created_at FROM jobs, n;
             UPDATE job_lanes SET jobs = {waiting}")).await;
        let engine = engine(&test.app, Ledger::default().worker(|_| Outcome::Done));
        for _ in 0..7 {
            test.clock.advance_ms(1);
            assert_eq!(engine.turn_once(4).await.unwrap().len(), 4);
        }
        let late = test.tenant(21, Tier::Pro).await;
        test.clock.advance_ms(1);
        tell(&test.app, &late, 1).await;
        let (lane, mut before, begun) = (format!("log:{}", late.guild), 0, Instant::now());
        while test.db.count(&format!("job_lanes WHERE lane = '{lane}'")).await > 0 {
            before += engine.turn_once(4).await.unwrap().len();
            assert!(before <= 24, "every other lane has one turn at most before it");
            test.clock.advance_ms(1);
        }
        let took_ms = begun.elapsed().as_millis();
        assert!(test.db.count("jobs").await > 0, "the others still wait");
        report(engine_of, &format!(
            "a job beside 20 Guilds with {waiting} each was done after {before} turns of others and {took_ms} ms"
        ));
        test.db.damage("DELETE FROM jobs; DELETE FROM job_lanes").await;
        test.finish().await;
    }

    /// The late worker's step took longer than its lease, and somebody else did the job meanwhile.
    async fn who_is_late_changes_nothing(engine_of) {
        let test = TestApp::start(engine_of).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        tell(&test.app, &tenant, 1).await;
        tell(&test.app, &tenant, 2).await;
        let (done, clock) = (Ledger::default(), Arc::clone(&test.clock));
        let quick = done.worker(|claimed| match claimed.done {
            0 if claimed.held.num % 2 == 1 => Outcome::Done,
            _ => Outcome::Retry { after: None, code: "LATER" },
        });
        let quick = engine(&test.app, quick);
        let rows = Rows::of(&test.db.db).await;
        let (state, late_rows) = (Arc::new(tokio::sync::Mutex::new(Vec::new())), Arc::new(rows));
        let (seen, looking, db) = (Arc::clone(&state), Arc::clone(&late_rows), test.db.db.clone());
        let late = engine(&test.app, worker(move |_, claimed| {
            let (quick, clock, seen) = (quick.clone(), Arc::clone(&clock), Arc::clone(&seen));
            let (rows, db) = (Arc::clone(&looking), db.clone());
            Box::pin(async move {
                assert_eq!(claimed.held.claim.fence, 1, "it has the lane once");
                clock.advance_ms(15_001);
                assert_eq!(quick.turn_once(9).await?.len(), 1);
                *seen.lock().await = rows.of_tables(&db, &["jobs", "job_lanes"]).await;
                Ok(Outcome::Done)
            })
        }));
        assert_eq!(late.turn_once(9).await.unwrap().len(), 1);
        assert_eq!(*state.lock().await, late_rows.of_tables(&test.db.db, &["jobs", "job_lanes"]).await);
        assert_eq!(done.numbers(), [1, 2]);
        assert_eq!(test.db.count("jobs WHERE last_error = 'LATER'").await, 1);
        test.finish().await;
    }

    /// Its step takes twice as long as a lease, and it is heard of all the time.
    async fn who_is_slow_and_gives_signs_of_life_keeps_the_lane(engine_of) {
        let test = TestApp::start(engine_of).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        tell(&test.app, &tenant, 1).await;
        let (ledger, go_on) = (Ledger::default(), Arc::new(Notify::new()));
        let (noted, waiting) = (ledger.clone(), Arc::clone(&go_on));
        let slow = engine(&test.app, worker(move |_, claimed| {
            noted.note(&claimed);
            let waiting = Arc::clone(&waiting);
            Box::pin(async move {
                waiting.notified().await;
                Ok(Outcome::Done)
            })
        })).at(Pace { renew_every: Duration::from_millis(5), ..Pace::default() });
        let meanwhile = async {
            for _ in 0..3 {
                test.clock.advance_ms(10_000);
                let renewed = format!("job_lanes WHERE run_at >= {}", test.app.now_ms() + 15_000);
                wait_until("the lane is kept", || async { test.db.count(&renewed).await == 1 }).await;
                let other = engine(&test.app, Ledger::default().worker(|_| Outcome::Done));
                assert!(other.turn_once(9).await.unwrap().is_empty(), "it is taken");
            }
            go_on.notify_one();
        };
        let (taken, ()) = tokio::join!(slow.turn_once(9), meanwhile);
        assert_eq!(taken.unwrap().len(), 1);
        assert_eq!(ledger.numbers(), [1], "begun once");
        assert_eq!(test.db.count("jobs").await, 0, "and its end was written");
        test.finish().await;
    }

    async fn a_step_that_does_not_end_is_tried_again_later(engine_of) {
        let test = TestApp::start(engine_of).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        tell(&test.app, &tenant, 1).await;
        let quick = Pace { longest_step: Duration::from_millis(5), ..Pace::default() };
        let hanging = engine(&test.app, worker(|_, _| Box::pin(std::future::pending()))).at(quick);
        assert_eq!(hanging.turn_once(9).await.unwrap().len(), 1);
        assert_eq!(test.db.count("jobs WHERE attempts = 1 AND last_error = 'TOO_SLOW'").await, 1);
        assert_eq!(test.db.count("job_lanes WHERE lease_owner IS NULL").await, 1);
        test.finish().await;
    }

    async fn a_step_that_does_not_end_does_not_keep_its_lane_from_others_after_a_stop(engine_of) {
        let test = TestApp::start(engine_of).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        tell(&test.app, &tenant, 1).await;
        let (stopper, stop) = watch::channel(false);
        let hanging = worker(|_, _| Box::pin(std::future::pending()));
        let quick = Pace { last_step: Duration::from_millis(5), ..Pace::default() };
        test.app.tasks.spawn(Engine::new(&test.app, LaneKind::Log, hanging, stop).at(quick).run());
        let taken = "job_lanes WHERE lease_owner IS NOT NULL";
        wait_until("the job has begun", || async { test.db.count(taken).await == 1 }).await;
        stopper.send(true).unwrap();
        test.settle().await;
        assert_eq!(test.db.count(taken).await, 0);
        assert_eq!(test.db.count("jobs WHERE attempts = 0").await, 1, "that was no failure");
        test.finish().await;
    }

    async fn a_cancelled_job_ends_before_its_next_step(engine_of) {
        let test = TestApp::start(engine_of).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        tell(&test.app, &tenant, 1).await;
        tell(&test.app, &tenant, 2).await;
        let ledger = Ledger::default();
        let noted = ledger.clone();
        let cancelling = engine(&test.app, worker(move |app, claimed| {
            noted.note(&claimed);
            Box::pin(async move {
                if claimed.held.num == 2 {
                    return Ok(Outcome::Done);
                }
                assert_eq!(operate::retry(&app, 1, Actor::Operator).await?, Soon::Running);
                for _ in 0..2 {
                    assert_eq!(operate::drop_job(&app, 1, Actor::Operator).await?, Soon::Running);
                }
                Ok(Outcome::Again)
            })
        }));
        cancelling.drain().await.unwrap();
        assert_eq!(ledger.numbers(), [1, 2], "the cancelled one had one step, and the next one its turn");
        assert_eq!(test.db.count("jobs").await, 0);
        let noted = format!("audit WHERE chain = {} AND action = 'job.dropped' AND actor_kind = 'operator_cli'", tenant.scope.num());
        assert_eq!(test.db.count(&noted).await, 1, "asked for twice, done once");
        let own = format!("audit WHERE chain = 0 AND action = 'job.dropped' AND detail LIKE '%{}%'", tenant.org);
        assert_eq!(test.db.count(&own).await, 1, "operators see what they did");
        assert_eq!(test.db.count("audit WHERE action = 'job.retried'").await, 0, "it was being tried already");
        assert_eq!(operate::drop_job(&test.app, 1, Actor::Operator).await.unwrap_err().code(), "NOT_FOUND");
        test.finish().await;
    }

    async fn a_job_that_got_on_counts_its_failures_anew(engine_of) {
        let test = TestApp::start(engine_of).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        tell(&test.app, &tenant, 1).await;
        let steps = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&steps);
        let failing = engine(&test.app, worker(move |_, _| {
            let step = counted.fetch_add(1, Ordering::SeqCst);
            let retry = Outcome::Retry { after: None, code: "TOO_SLOW" };
            // Fails, fails, gets on, fails.
            let outcome = if step == 2 { Outcome::Again } else { retry };
            Box::pin(async move { Ok::<_, AppError>(outcome) })
        }));
        for expected in [1, 2, 1] {
            test.clock.advance_ms(60 * 60_000);
            failing.drain().await.unwrap();
            assert_eq!(test.db.count(&format!("jobs WHERE attempts = {expected}")).await, 1, "{expected}");
        }
        assert_eq!(steps.load(Ordering::SeqCst), 4);
        engine(&test.app, worker(|_, _| Box::pin(async { Ok(Outcome::Done) }))).drain().await.unwrap();
        test.finish().await;
    }

    async fn an_engine_finds_work_by_itself_and_gives_its_lanes_back_when_it_is_stopped(engine_of) {
        let test = TestApp::start(engine_of).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        let (begun, go_on) = (Arc::new(AtomicUsize::new(0)), Arc::new(Notify::new()));
        let (stopper, stop) = watch::channel(false);
        let (counted, waiting) = (Arc::clone(&begun), Arc::clone(&go_on));
        let slow = worker(move |_, _| {
            let (counted, waiting) = (Arc::clone(&counted), Arc::clone(&waiting));
            Box::pin(async move {
                counted.fetch_add(1, Ordering::SeqCst);
                waiting.notified().await;
                Ok::<_, AppError>(Outcome::Again)
            })
        });
        let running = Engine::new(&test.app, LaneKind::Log, slow, stop);
        test.app.tasks.spawn(running.run());
        // Nobody rings: another node may have written it.
        tell(&test.app, &tenant, 1).await;
        wait_until("the job has begun", || async { begun.load(Ordering::SeqCst) == 1 }).await;
        assert_eq!(test.db.count("job_lanes WHERE lease_owner IS NOT NULL").await, 1);
        tell(&test.app, &tenant, 2).await;
        stopper.send(true).unwrap();
        go_on.notify_one();
        test.settle().await;
        assert_eq!(begun.load(Ordering::SeqCst), 1, "nothing new was begun");
        assert_eq!(test.db.count("job_lanes WHERE lease_owner IS NULL AND jobs = 2").await, 1);
        let ledger = Ledger::default();
        engine(&test.app, ledger.worker(|_| Outcome::Done)).drain().await.unwrap();
        assert_eq!(ledger.numbers(), [1, 2], "the next one goes on at once");
        test.finish().await;
    }
}

/// Also after its connection was lost.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_hears_that_another_one_left_work() {
    let nodes = Nodes::start(testkit::Engine::Postgres).await;
    let (here, afar) = (nodes.app(0), nodes.app(1));
    let (_stopper, stop) = watch::channel(false);
    let mut carrying = JoinSet::new();
    for app in [&here, &afar] {
        carrying.spawn(carry(app.clone(), stop.clone()));
    }
    let mut heard = afar.bell.listen();
    for _ in 0..2 {
        wait_until("the other node hears it", || {
            here.bell.ring();
            let is_heard = heard.has_changed().unwrap();
            async move { is_heard }
        })
        .await;
        let lose = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE datname = current_database()
              AND (query LIKE 'LISTEN%' || md5(current_schema()) OR query LIKE 'NOTIFY%' || md5(current_schema()))";
        nodes.test.db.damage(lose).await;
        heard.borrow_and_update();
    }
    carrying.shutdown().await;
    nodes.finish(testkit::Engine::Postgres).await;
}

/// Nobody sends log messages yet, and their lanes cost nothing meanwhile.
#[tokio::test]
async fn lanes_that_nobody_works_off_are_left_alone() {
    let test = TestApp::start(testkit::Engine::Sqlite).await;
    let tenant: Tenant = test.tenant(1, Tier::Pro).await;
    tell(&test.app, &tenant, 1).await;
    let left = app::work::drain(&test.app).await.unwrap();
    assert_eq!(left, [("log".to_owned(), 1)]);
    assert_eq!(test.db.count("job_lanes WHERE fence = 0").await, 1);
    test.finish().await;
}
