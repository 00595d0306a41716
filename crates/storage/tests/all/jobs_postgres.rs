//! Lanes where several nodes share a PostgreSQL.

use std::sync::Arc;

use domain::clock::{Clock, SystemClock};
use domain::job::{Job, LaneKind};
use storage::OrgScope;
use storage::jobs::{self, Claim, Moment};
use storage::testing::Engine;

use crate::jobs::{LEASE_MS, Stage, linked};
use crate::support::{NOW, eventually};

unit!(Take { owner: &'static str, moment: Moment } -> Vec<Claim>, |it, tx| {
    jobs::claim(tx, LaneKind::Log, &Arc::from(it.owner), 9, it.moment).await
});
unit!(EnqueueAt { scope: OrgScope, job: Job, now: i64 } -> (), |it, tx| { jobs::enqueue(tx, it.scope, &it.job, it.now).await });

#[tokio::test]
async fn on_postgres_numbers_in_a_lane_follow_the_order_of_commits() {
    let stage = Stage::open(Engine::Postgres).await;
    let (early, late) = (linked(1, 1), linked(1, 2));
    let beside = format!(
        "INSERT INTO job_lanes (lane, kind, jobs, run_at) VALUES ('{lane}', 'log', 1, 1);
         INSERT INTO jobs (lane, kind, dedupe, payload, created_at) VALUES ('{lane}', 'log.linked', '{}', '{}', 1)",
        early.dedupe(),
        early.payload(),
        lane = early.lane()
    );
    let beside = stage.test.begin_beside(&beside).await;
    let first = async {
        eventually("the second waits for the first", || beside.is_awaited()).await;
        beside.run("COMMIT").await;
    };
    tokio::join!(stage.enqueue(&late), first);
    let waiting = jobs::list_waiting(&stage.test.db, "log.linked").await.unwrap();
    let order: Vec<String> = waiting.into_iter().map(|job| job.dedupe).collect();
    assert_eq!(order, [early.dedupe(), late.dedupe()]);
    stage.done().await;
}

#[tokio::test]
async fn on_postgres_a_lane_that_somebody_holds_is_passed_by() {
    let stage = Stage::open(Engine::Postgres).await;
    for number in 1..=2 {
        stage.enqueue(&linked(number, number)).await;
    }
    let held = linked(1, 1).lane();
    let sql = format!("SELECT 1 FROM job_lanes WHERE lane = '{held}' FOR UPDATE");
    let beside = stage.test.begin_beside(&sql).await;
    let claims = stage.take("a", 9, NOW).await;
    assert_eq!(claims.len(), 1, "nobody waits");
    assert_eq!(claims[0].lane, linked(2, 2).lane());
    beside.commit().await;
    stage.done().await;
}

/// Ten minutes ahead, a node neither takes what another one has, nor puts off what it leaves to be done.
#[tokio::test]
async fn on_postgres_leases_go_by_the_databases_clock() {
    let stage = Stage::open(Engine::Postgres).await;
    let ahead = SystemClock.now_ms() + 600_000;
    let (scope, job) = (stage.scope, linked(1, 1));
    stage
        .test
        .db
        .write(EnqueueAt {
            scope,
            job,
            now: ahead,
        })
        .await
        .unwrap();
    let right = Moment {
        here_ms: SystemClock.now_ms(),
        ahead_ms: Some(0),
    };
    let wrong = Moment {
        here_ms: ahead,
        ahead_ms: Some(0),
    };
    assert!(
        jobs::is_any_due(&stage.test.db, LaneKind::Log, right)
            .await
            .unwrap()
    );
    let take = |owner, moment| Take { owner, moment };
    assert_eq!(stage.test.db.write(take("a", right)).await.unwrap().len(), 1);
    assert!(
        !jobs::is_any_due(&stage.test.db, LaneKind::Log, wrong)
            .await
            .unwrap()
    );
    assert!(stage.test.db.write(take("b", wrong)).await.unwrap().is_empty());
    let moved = Moment {
        here_ms: 0,
        ahead_ms: Some(LEASE_MS + 1_000),
    };
    assert_eq!(
        stage.test.db.write(take("c", moved)).await.unwrap().len(),
        1,
        "a clock that is set ahead on purpose"
    );
    stage.done().await;
}
