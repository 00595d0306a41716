//! What waits: for operators, for metrics, and for the housekeeping.

use std::collections::{BTreeMap, BTreeSet};

use domain::job::{JobKind, LaneKind};

use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row, Tx};
use crate::jobs::{Changed, Moment, lanes};
use crate::params;
use crate::scope::OrgScope;

/// Jobs that are purged in one unit of work.
const PURGED_AT_ONCE: i64 = 500;

statements! {
    BY_KIND: WaitingJob = "
        SELECT {columns}
        FROM jobs
        WHERE kind = $1
        ORDER BY num
        LIMIT 1000";
    COUNT_LANES: Waiting = "
        SELECT {columns}
        FROM job_lanes
        GROUP BY kind
        ORDER BY kind";
    OLDEST = "
        SELECT created_at
        FROM jobs
        WHERE kind = $1
        ORDER BY created_at
        LIMIT 1";
    COUNT_BUSY = "
        SELECT CAST(COUNT(*) AS BIGINT)
        FROM job_lanes
        WHERE kind = $1 AND (run_at <= $2 OR lease_owner IS NOT NULL)";
    ALL: ListedJob = "
        SELECT {columns}
        FROM jobs j
        JOIN job_lanes l ON l.lane = j.lane
        LEFT JOIN orgs o ON o.num = j.org_num
        ORDER BY j.num
        LIMIT $1";
    FIND: Found = "
        SELECT {columns}
        FROM jobs
        WHERE num = $1";
    LOCK: LaneNow = "
        SELECT {columns}
        FROM job_lanes
        WHERE lane = $1
        FOR UPDATE";
    IS_THERE = "
        SELECT num
        FROM jobs
        WHERE num = $1";
    CANCEL = "
        UPDATE jobs
        SET cancelled = 1
        WHERE num = $1 AND cancelled = 0";
    HEAD = "
        SELECT num
        FROM jobs
        WHERE lane = $1
        ORDER BY num
        LIMIT 1";
    REMOVE_SLICE = "
        DELETE FROM jobs
        WHERE num IN (SELECT num FROM jobs WHERE lane = $1 ORDER BY num LIMIT $2)";
    EXPIRED = "
        SELECT j.lane
        FROM jobs j
        JOIN job_lanes l ON l.lane = j.lane
        WHERE j.give_up_at <= $1 AND l.lease_owner IS NULL
        ORDER BY j.give_up_at
        LIMIT 500";
    /// A lane that somebody is at is left to them: they look at the time too.
    LOCK_FREE = "
        SELECT lane
        FROM job_lanes
        WHERE lane = $1 AND lease_owner IS NULL
        FOR UPDATE SKIP LOCKED";
    EXPIRED_OF: Expired = "
        SELECT {columns}
        FROM jobs
        WHERE lane = $1 AND give_up_at <= $2
        ORDER BY num
        LIMIT $3";
    PURGE = "
        DELETE FROM jobs
        WHERE lane = $1 AND give_up_at <= $2 AND num <= $3";
    /// What it waited for may be gone.
    NOT_LATER = "
        UPDATE job_lanes
        SET run_at = MIN(run_at, $2)
        WHERE lane = $1" postgres "
        UPDATE job_lanes
        SET run_at = LEAST(run_at, $2)
        WHERE lane = $1";
}

/// A job as it waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitingJob {
    /// Its key: the kind and whose it is.
    pub lane: String,
    /// A second job of this name would not have been written.
    pub dedupe: String,
    /// JSON with our own ids only.
    pub payload: String,
}

impl FromRow for WaitingJob {
    const COLUMNS: &'static str = "lane, dedupe, payload";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            lane: row.text(0)?,
            dedupe: row.text(1)?,
            payload: row.text(2)?,
        })
    }
}

/// The oldest thousand waiting jobs of a kind.
pub async fn list_waiting(db: &Db, kind: &str) -> Result<Vec<WaitingJob>, DbError> {
    db.list_heavy(&BY_KIND, params![kind]).await
}

/// How many jobs wait in lanes of a kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    /// A name of `LaneKind`, or of a newer version's.
    pub lanes: String,
    /// Those under way count too.
    pub jobs: i64,
}

impl FromRow for Waiting {
    const COLUMNS: &'static str = "kind, CAST(SUM(jobs) AS BIGINT)";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            lanes: row.text(0)?,
            jobs: row.int(1)?,
        })
    }
}

/// What waits, by the kind of its lane. It reads the lanes and none of the jobs, of which there may be very many.
pub async fn count_waiting(db: &Db) -> Result<Vec<Waiting>, DbError> {
    db.list_heavy(&COUNT_LANES, params![]).await
}

/// When the oldest job of a kind was written; none when there is no such job.
pub async fn find_oldest(db: &Db, kind: JobKind) -> Result<Option<i64>, DbError> {
    db.find(&OLDEST, params![kind.as_str()]).await
}

/// Lanes of a kind that can be taken now or are being worked on.
pub async fn count_busy(db: &Db, kind: LaneKind, now_ms: i64) -> Result<i64, DbError> {
    let found = db.find(&COUNT_BUSY, params![kind.as_str(), now_ms]).await?;
    Ok(found.unwrap_or(0))
}

/// A job as operators see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedJob {
    /// The name by which operators retry and drop it.
    pub num: i64,
    /// Jobs of a lane wait for each other.
    pub lane: String,
    /// A name of `JobKind`, or of a newer version's.
    pub kind: String,
    /// The public id; none for jobs of the installation.
    pub org: Option<String>,
    /// When the change was committed that it follows from.
    pub created_at_ms: i64,
    /// Failed ones since the last step that worked.
    pub attempts: i64,
    /// Steps behind it.
    pub done: i64,
    /// Steps in all, as far as that is known.
    pub total: i64,
    /// It ends before its next step.
    pub cancelled: bool,
    /// In words for operators, without secrets.
    pub last_error: Option<String>,
    /// When its lane may be taken next.
    pub run_at_ms: i64,
    /// Whether a worker has its lane.
    pub is_taken: bool,
}

impl FromRow for ListedJob {
    const COLUMNS: &'static str = "\
        j.num, j.lane, j.kind, o.id, j.created_at, j.attempts, j.done, j.total, j.cancelled, j.last_error, \
        l.run_at, l.lease_owner";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            num: row.int(0)?,
            lane: row.text(1)?,
            kind: row.text(2)?,
            org: row.opt_text(3)?,
            created_at_ms: row.int(4)?,
            attempts: row.int(5)?,
            done: row.int(6)?,
            total: row.int(7)?,
            cancelled: row.flag(8)?,
            last_error: row.opt_text(9)?,
            run_at_ms: row.int(10)?,
            is_taken: row.opt_text(11)?.is_some(),
        })
    }
}

/// The oldest jobs, so many.
pub async fn list(db: &Db, limit: u32) -> Result<Vec<ListedJob>, DbError> {
    db.list_heavy(&ALL, params![i64::from(limit)]).await
}

/// What has to be known about a job before it is changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// What has to be locked before the job is changed.
    pub lane: String,
    /// Decides whether it may be dropped.
    pub kind: String,
    /// Whose audit log tells of it.
    pub org: Option<OrgScope>,
}

impl FromRow for Found {
    const COLUMNS: &'static str = "lane, kind, org_num";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            lane: row.text(0)?,
            kind: row.text(1)?,
            org: row.opt_int(2)?.map(OrgScope::new),
        })
    }
}

/// Without a lock: the job may be done by the time somebody acts.
pub async fn find(db: &Db, num: i64) -> Result<Option<Found>, DbError> {
    db.find(&FIND, params![num]).await
}

/// When a lane may be taken, and whether somebody has it.
struct LaneNow {
    run_at_ms: i64,
    is_taken: bool,
}

impl FromRow for LaneNow {
    const COLUMNS: &'static str = "run_at, lease_owner";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            run_at_ms: row.int(0)?,
            is_taken: row.opt_text(1)?.is_some(),
        })
    }
}

/// Whether somebody works on the lane of a job, with the lane locked; none when the job is gone.
async fn lock_of(tx: &mut Tx<'_>, lane: &str, num: i64, moment: Moment) -> Result<Option<bool>, DbError> {
    let Some(found) = tx.find::<LaneNow>(&LOCK, params![lane]).await? else {
        return Ok(None);
    };
    let there: Option<i64> = tx.find(&IS_THERE, params![num]).await?;
    let now_ms = moment.read(tx).await?;
    Ok(there.map(|_| found.is_taken && found.run_at_ms > now_ms))
}

/// Lets a job's lane be taken at once instead of after its pause.
pub async fn retry_now(tx: &mut Tx<'_>, lane: &str, num: i64, moment: Moment) -> Result<Changed, DbError> {
    match lock_of(tx, lane, num, moment).await? {
        None => Ok(Changed::Missing),
        Some(true) => Ok(Changed::Soon),
        Some(false) => {
            let now_ms = moment.read(tx).await?;
            tx.execute_one(&NOT_LATER, params![lane, now_ms]).await?;
            Ok(Changed::Done)
        }
    }
}

/// Lets a lane that nobody is at be taken at once instead of after its pause.
pub async fn wake(tx: &mut Tx<'_>, lane: &str, moment: Moment) -> Result<(), DbError> {
    let found: Option<LaneNow> = tx.find(&LOCK, params![lane]).await?;
    if found.is_some_and(|found| !found.is_taken) {
        let now_ms = moment.read(tx).await?;
        tx.execute_one(&NOT_LATER, params![lane, now_ms]).await?;
    }
    Ok(())
}

/// Lets a lane that nobody is at be taken after this time at the latest. Less than that is no time that it is put off by.
pub async fn hurry(tx: &mut Tx<'_>, lane: &str, within_ms: i64, moment: Moment) -> Result<(), DbError> {
    let found: Option<LaneNow> = tx.find(&LOCK, params![lane]).await?;
    let at_ms = moment.read(tx).await? + within_ms;
    if found.is_some_and(|found| !found.is_taken && found.run_at_ms > at_ms) {
        tx.execute_one(&NOT_LATER, params![lane, at_ms]).await?;
    }
    Ok(())
}

/// Takes a job away. One that is being worked on is marked, and dropped by its worker before its next step.
pub async fn drop_job(tx: &mut Tx<'_>, lane: &str, num: i64, moment: Moment) -> Result<Changed, DbError> {
    match lock_of(tx, lane, num, moment).await? {
        None => Ok(Changed::Missing),
        Some(true) => {
            let cancelled = tx.execute(&CANCEL, params![num]).await? == 1;
            Ok(if cancelled { Changed::Soon } else { Changed::Before })
        }
        Some(false) => {
            let head: Option<i64> = tx.find(&HEAD, params![lane]).await?;
            let _ = lanes::remove(tx, lane, num).await?;
            if head == Some(num) {
                // Those behind it need not wait for its pause.
                let now_ms = moment.read(tx).await?;
                tx.execute(&NOT_LATER, params![lane, now_ms]).await?;
            }
            Ok(Changed::Done)
        }
    }
}

/// Removes the oldest jobs of a lane, so many at most, because what they are about is gone. Whoever is at one of them
/// finds it lost. Returns how many there were.
pub async fn remove_slice(tx: &mut Tx<'_>, lane: &str, limit: i64) -> Result<u64, DbError> {
    if tx.find::<LaneNow>(&LOCK, params![lane]).await?.is_none() {
        return Ok(0);
    }
    let removed = tx.execute(&REMOVE_SLICE, params![lane, limit]).await?;
    let _ = lanes::leave(tx, lane, removed.cast_signed()).await?;
    Ok(removed)
}

/// Removes up to 500 jobs whose time is over, and counts them by kind. Lanes that are taken or locked are left to the
/// others, so it never waits.
pub async fn purge(tx: &mut Tx<'_>, now_ms: i64) -> Result<BTreeMap<String, u64>, DbError> {
    let expired: Vec<String> = tx.list(&EXPIRED, params![now_ms]).await?;
    let mut purged = BTreeMap::new();
    let mut room = PURGED_AT_ONCE;
    for lane in BTreeSet::from_iter(expired) {
        if room == 0 {
            break;
        }
        if tx.find::<String>(&LOCK_FREE, params![&lane]).await?.is_none() {
            continue;
        }
        let over: Vec<Expired> = tx.list(&EXPIRED_OF, params![&lane, now_ms, room]).await?;
        let Some(last) = over.last() else {
            continue;
        };
        tx.execute(&PURGE, params![&lane, now_ms, last.num]).await?;
        let _ = lanes::leave(tx, &lane, over.len() as i64).await?;
        tx.execute(&NOT_LATER, params![&lane, now_ms]).await?;
        room -= over.len() as i64;
        for job in over {
            *purged.entry(job.kind).or_default() += 1;
        }
    }
    Ok(purged)
}

struct Expired {
    num: i64,
    kind: String,
}

impl FromRow for Expired {
    const COLUMNS: &'static str = "num, kind";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            num: row.int(0)?,
            kind: row.text(1)?,
        })
    }
}
