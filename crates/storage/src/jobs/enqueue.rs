//! New jobs, within the bound of their lane.

use domain::job::Job;

use crate::db::statement::statements;
use crate::db::{DbError, Tx};
use crate::jobs::{Moment, lanes};
use crate::params;
use crate::scope::OrgScope;

/// Jobs that may wait in one lane. What comes beyond is told by one job in sum, where that is enough.
pub const MOST_WAITING: i64 = 5_000;

statements! {
    /// A node whose clock is ahead cannot put a lane off.
    JOIN = "
        INSERT INTO job_lanes (lane, kind, jobs, run_at)
        VALUES ($1, $2, 1, $3)
        ON CONFLICT (lane) DO UPDATE SET jobs = job_lanes.jobs + 1
        RETURNING jobs" postgres "
        INSERT INTO job_lanes (lane, kind, jobs, run_at)
        VALUES ($1, $2, 1, LEAST($3, CAST(EXTRACT(EPOCH FROM statement_timestamp()) * 1000 AS BIGINT)))
        ON CONFLICT (lane) DO UPDATE SET jobs = job_lanes.jobs + 1
        RETURNING jobs";
    INSERT = "
        INSERT INTO jobs (lane, kind, dedupe, org_num, payload, total, give_up_at, created_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
        ON CONFLICT (dedupe) DO NOTHING";
    ONE_MORE = "
        UPDATE jobs
        SET total = total + 1
        WHERE dedupe = $1";
}

/// Leaves a job to be done after the commit. One that waits already is not left twice; one that somebody is at is done
/// once more, because they may have looked before this change.
pub async fn enqueue(tx: &mut Tx<'_>, scope: OrgScope, job: &Job, now_ms: i64) -> Result<(), DbError> {
    enqueue_counted(tx, scope, job, 0, now_ms).await.map(drop)
}

/// The same for work that need not be done at once. Whatever waits in the lane already is not put off by it.
pub async fn enqueue_later(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    job: &Job,
    pause_ms: i64,
    moment: Moment,
) -> Result<(), DbError> {
    let now_ms = moment.here_ms;
    if enqueue_counted(tx, scope, job, 0, now_ms).await? && pause_ms > 0 {
        lanes::pause(tx, &job.lane(), pause_ms, moment).await?;
    }
    Ok(())
}

/// The same for long work that knows how much there is to do. True when its lane was made for it.
pub async fn enqueue_counted(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    job: &Job,
    total: i64,
    now_ms: i64,
) -> Result<bool, DbError> {
    let lane = job.lane();
    // First: it is the lane's lock, so that the numbers of its jobs follow the order of commits.
    let values = params![&lane, job.lane_kind().as_str(), now_ms];
    let waiting: i64 = tx.get(&JOIN, values).await?;
    let surplus = job.collapsed().filter(|_| waiting > MOST_WAITING);
    let inserted = match &surplus {
        Some(more) if tx.execute(&ONE_MORE, params![&more.dedupe()]).await? == 1 => false,
        Some(more) => insert(tx, scope, more, 1, now_ms).await?,
        None => {
            let inserted = insert(tx, scope, job, total, now_ms).await?;
            if !inserted {
                // Somebody may be at it who looked before this change: they do it once more.
                tx.execute_one(&ONE_MORE, params![&job.dedupe()]).await?;
            }
            inserted
        }
    };
    if !inserted {
        // Counted in above; the lane has the job that was there before.
        let _ = lanes::leave(tx, &lane, 1).await?;
    }
    Ok(inserted && waiting == 1)
}

async fn insert(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    job: &Job,
    total: i64,
    now_ms: i64,
) -> Result<bool, DbError> {
    let give_up_at = job.lifetime_ms().map(|lifetime| now_ms.saturating_add(lifetime));
    let (lane, dedupe, payload) = (job.lane(), job.dedupe(), job.payload());
    let kind = job.kind().as_str();
    let values = params![
        &lane,
        kind,
        &dedupe,
        scope.num(),
        &payload,
        total,
        give_up_at,
        now_ms
    ];
    Ok(tx.execute(&INSERT, values).await? == 1)
}
