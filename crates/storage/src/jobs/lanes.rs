//! Lanes: taken by a worker, held by a lease, given back. Who lost a lane changes nothing in it any more.

use std::sync::Arc;

use domain::job::{JobKind, LaneKind};

use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row, Tx};
use crate::jobs::Moment;
use crate::params;
use crate::scope::OrgScope;

/// How long a worker that is not heard of keeps its lane.
const LEASE_MS: i64 = 15_000;

statements! {
    NOW = "
        SELECT CAST(COALESCE($1, $2) AS BIGINT)" postgres "
        SELECT COALESCE(CAST(EXTRACT(EPOCH FROM statement_timestamp()) * 1000 AS BIGINT) + $2, $1)";
    ANY_DUE = "
        SELECT lane
        FROM job_lanes
        WHERE kind = $1 AND run_at <= COALESCE($2, $3)
        LIMIT 1" postgres "
        SELECT lane
        FROM job_lanes
        WHERE kind = $1 AND run_at <= COALESCE(CAST(EXTRACT(EPOCH FROM statement_timestamp()) * 1000 AS BIGINT) + $3, $2)
        LIMIT 1";
    DUE = "
        SELECT lane
        FROM job_lanes
        WHERE kind = $1 AND run_at <= $2
        ORDER BY run_at, fence
        LIMIT $3
        FOR UPDATE SKIP LOCKED";
    TAKE = "
        UPDATE job_lanes
        SET lease_owner = $2, run_at = $3, fence = fence + 1
        WHERE lane = $1
        RETURNING fence";
    HEAD: Head = "
        SELECT {columns}
        FROM jobs
        WHERE lane = $1
        ORDER BY num
        LIMIT 1";
    FIRST: Head = "
        SELECT {columns}
        FROM jobs
        WHERE lane = $1
        ORDER BY num
        LIMIT $2";
    HOLD = "
        SELECT fence
        FROM job_lanes
        WHERE lane = $1 AND fence = $2 AND lease_owner = $3
        FOR UPDATE";
    HELD_JOB = "
        SELECT total
        FROM jobs
        WHERE num = $2 AND lane = $1";
    FREE_LEFT = "
        UPDATE job_lanes
        SET run_at = $2, lease_owner = NULL
        WHERE kind = $1 AND lease_owner IS NOT NULL";
    FREE = "
        UPDATE job_lanes
        SET run_at = $2, lease_owner = NULL
        WHERE lane = $1";
    KEEP = "
        UPDATE job_lanes
        SET run_at = $2
        WHERE lane = $1";
    FAILED = "
        UPDATE jobs
        SET attempts = attempts + 1, last_error = $2
        WHERE num = $1";
    FORGET_FAILURES = "
        UPDATE jobs
        SET attempts = 0, last_error = NULL
        WHERE num = $1";
    /// What is told of changes in sum, and how many of them.
    TOLD = "
        UPDATE jobs
        SET done = total
        WHERE num = $1";
    KINDS_UP_TO = "
        SELECT kind
        FROM jobs
        WHERE lane = $1 AND num <= $2 AND (kind <> $3 OR total <= done)";
    DELETE_UP_TO = "
        DELETE FROM jobs
        WHERE lane = $1 AND num <= $2 AND (kind <> $3 OR total <= done)";
    KEEP_UNTOLD = "
        UPDATE jobs
        SET total = total - done, done = 0
        WHERE lane = $1 AND num <= $2";
    ADVANCE = "
        UPDATE jobs
        SET cursor = $2, done = $3, attempts = 0, last_error = NULL
        WHERE num = $1";
    TAKE_TOTAL = "
        UPDATE jobs
        SET total = total - $2, cursor = NULL, done = 0
        WHERE num = $1";
    DELETE = "
        DELETE FROM jobs
        WHERE num = $1";
    LAST_LEAVES = "
        DELETE FROM job_lanes
        WHERE lane = $1 AND jobs = $2";
    LEAVE = "
        UPDATE job_lanes
        SET jobs = jobs - $2
        WHERE lane = $1";
}

impl Moment {
    /// The time in milliseconds.
    pub(crate) async fn read(self, tx: &mut Tx<'_>) -> Result<i64, DbError> {
        tx.get(&NOW, params![self.here_ms, self.ahead_ms]).await
    }
}

/// The time in milliseconds, outside a unit of work.
pub async fn read_time(db: &Db, moment: Moment) -> Result<i64, DbError> {
    let told = db.find(&NOW, params![moment.here_ms, moment.ahead_ms]).await?;
    told.ok_or_else(|| DbError::Bug("the database tells no time".to_owned()))
}

/// A lane that a worker has taken. The fence counts how often a lane was taken, and begins anew with a lane that was gone
/// for a while; the name of the owner is never used for a second claim. Both together are this claim's alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// Its key: the kind and whose it is.
    pub lane: String,
    /// How often the lane was taken.
    pub fence: i64,
    /// Made for this claim.
    pub owner: Arc<str>,
}

/// The first job of a taken lane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held {
    /// The lane that it is the head of.
    pub claim: Claim,
    /// The job's row number; smaller ones come first.
    pub num: i64,
}

/// Whether a lane is still its worker's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum Grip {
    /// It was its worker's to change, and jobs are left in it.
    Ours,
    /// It was, and that was its last job: the lane is gone.
    Over,
    /// The lease ended and somebody else took the lane, or the job is gone. Nothing was changed.
    Lost,
}

/// Whether a lane of this kind can be taken. A plain read, for a look every second.
pub async fn is_any_due(db: &Db, kind: LaneKind, moment: Moment) -> Result<bool, DbError> {
    let values = params![kind.as_str(), moment.here_ms, moment.ahead_ms];
    Ok(db.find::<String>(&ANY_DUE, values).await?.is_some())
}

/// Takes up to `limit` lanes of a kind, those first that have waited longest. The name of the owner has to be a new one.
pub async fn claim(
    tx: &mut Tx<'_>,
    kind: LaneKind,
    owner: &Arc<str>,
    limit: i64,
    moment: Moment,
) -> Result<Vec<Claim>, DbError> {
    let now_ms = moment.read(tx).await?;
    let due: Vec<String> = tx.list(&DUE, params![kind.as_str(), now_ms, limit]).await?;
    let mut claims = Vec::with_capacity(due.len());
    for lane in due {
        let values = params![&lane, &**owner, now_ms + LEASE_MS];
        let fence = tx.get(&TAKE, values).await?;
        let owner = Arc::clone(owner);
        claims.push(Claim { lane, fence, owner });
    }
    Ok(claims)
}

/// The job whose turn it is in a lane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// The order of jobs in their lane.
    pub num: i64,
    /// A name of `JobKind`, or of a newer version's.
    pub kind: String,
    /// None for jobs of the installation.
    pub org: Option<OrgScope>,
    /// JSON with our own ids only.
    pub payload: String,
    /// How often it failed since it last got on.
    pub attempts: i64,
    /// Where long work goes on; what it means is the job's own matter.
    pub cursor: Option<String>,
    /// Steps behind it, for the progress that is shown.
    pub done: i64,
    /// Steps in all, as far as that is known.
    pub total: i64,
    /// Somebody dropped it while a worker was at it.
    pub cancelled: bool,
    /// None for what has to be done however late.
    pub give_up_at_ms: Option<i64>,
}

impl FromRow for Head {
    const COLUMNS: &'static str = "\
        num, kind, org_num, payload, attempts, cursor, done, total, cancelled, give_up_at";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            num: row.int(0)?,
            kind: row.text(1)?,
            org: row.opt_int(2)?.map(OrgScope::new),
            payload: row.text(3)?,
            attempts: row.int(4)?,
            cursor: row.opt_text(5)?,
            done: row.int(6)?,
            total: row.int(7)?,
            cancelled: row.flag(8)?,
            give_up_at_ms: row.opt_int(9)?,
        })
    }
}

/// The first job of a lane; none when the lane is gone.
pub async fn find_head(db: &Db, lane: &str) -> Result<Option<Head>, DbError> {
    db.find(&HEAD, params![lane]).await
}

/// The first jobs of a lane that is locked, so many.
pub async fn list_first(tx: &mut Tx<'_>, lane: &str, limit: i64) -> Result<Vec<Head>, DbError> {
    tx.list(&FIRST, params![lane, limit]).await
}

/// Locks the lane of a held job, for a unit of work that writes down how far it got. If it is lost, the unit must not
/// write anything.
pub async fn hold(tx: &mut Tx<'_>, held: &Held) -> Result<Grip, DbError> {
    Ok(match find_held(tx, held).await? {
        Some(_) => Grip::Ours,
        None => Grip::Lost,
    })
}

/// The `total` of a job in a unit that holds its lane: one more each time it was asked for again.
pub async fn get_total(tx: &mut Tx<'_>, held: &Held) -> Result<i64, DbError> {
    tx.get(&HELD_JOB, params![&held.claim.lane, held.num]).await
}

/// The `total` of a held job, with its lane locked.
async fn find_held(tx: &mut Tx<'_>, held: &Held) -> Result<Option<i64>, DbError> {
    if lock(tx, &held.claim).await? {
        return tx.find(&HELD_JOB, params![&held.claim.lane, held.num]).await;
    }
    Ok(None)
}

async fn lock(tx: &mut Tx<'_>, claim: &Claim) -> Result<bool, DbError> {
    let values = params![&claim.lane, claim.fence, &*claim.owner];
    Ok(tx.find::<i64>(&HOLD, values).await?.is_some())
}

/// Keeps the lane for another while.
pub async fn renew(tx: &mut Tx<'_>, held: &Held, moment: Moment) -> Result<Grip, DbError> {
    let grip = hold(tx, held).await?;
    if grip == Grip::Ours {
        let until_ms = moment.read(tx).await? + LEASE_MS;
        tx.execute_one(&KEEP, params![&held.claim.lane, until_ms]).await?;
    }
    Ok(grip)
}

/// Writes down how far long work is, in a unit that has called [`hold`].
pub async fn advance(tx: &mut Tx<'_>, held: &Held, cursor: Option<&str>, done: i64) -> Result<(), DbError> {
    tx.execute_one(&ADVANCE, params![held.num, cursor, done]).await
}

/// A job got on: the next failure is the first one. It may be done by now.
pub async fn forget_failures(tx: &mut Tx<'_>, held: &Held) -> Result<Grip, DbError> {
    if !lock(tx, &held.claim).await? {
        return Ok(Grip::Lost);
    }
    tx.execute(&FORGET_FAILURES, params![held.num]).await?;
    Ok(Grip::Ours)
}

/// A job is done. `seen` is how much of its `total` was done: what was added meanwhile stays to be done.
pub async fn finish(tx: &mut Tx<'_>, held: &Held, seen: i64) -> Result<Grip, DbError> {
    match find_held(tx, held).await? {
        None => Ok(Grip::Lost),
        Some(total) if total > seen => {
            tx.execute_one(&TAKE_TOTAL, params![held.num, seen]).await?;
            Ok(Grip::Ours)
        }
        Some(_) => remove(tx, &held.claim.lane, held.num).await,
    }
}

/// Notes that all changes which a job counts so far are about to be told, in a unit that has called [`hold`].
pub async fn note_told(tx: &mut Tx<'_>, num: i64) -> Result<(), DbError> {
    tx.execute_one(&TOLD, params![num]).await
}

/// All jobs of the lane up to this number are done or given up, in a unit that has called [`hold`]. Changes that were
/// counted after [`note_told`] stay to be told. Returns the kinds of those that are gone.
pub async fn remove_up_to(tx: &mut Tx<'_>, lane: &str, last: i64) -> Result<(Grip, Vec<String>), DbError> {
    let values = params![lane, last, JobKind::LogMore.as_str()];
    let kinds: Vec<String> = tx.list(&KINDS_UP_TO, values).await?;
    tx.execute(&DELETE_UP_TO, values).await?;
    tx.execute(&KEEP_UNTOLD, params![lane, last]).await?;
    if kinds.is_empty() {
        return Ok((Grip::Ours, kinds));
    }
    Ok((leave(tx, lane, kinds.len() as i64).await?, kinds))
}

/// Gives a lane that is locked back for a pause.
pub async fn pause(tx: &mut Tx<'_>, lane: &str, pause_ms: i64, moment: Moment) -> Result<(), DbError> {
    free(tx, lane, pause_ms, moment).await
}

/// Gives the lane back for a pause, because it is not the job's turn on the other side. That is no failure.
pub async fn put_off(tx: &mut Tx<'_>, held: &Held, pause_ms: i64, moment: Moment) -> Result<Grip, DbError> {
    let grip = hold(tx, held).await?;
    if grip == Grip::Ours {
        free(tx, &held.claim.lane, pause_ms, moment).await?;
    }
    Ok(grip)
}

/// A job is given up.
pub async fn drop_held(tx: &mut Tx<'_>, held: &Held) -> Result<Grip, DbError> {
    match hold(tx, held).await? {
        Grip::Ours => remove(tx, &held.claim.lane, held.num).await,
        lost @ (Grip::Over | Grip::Lost) => Ok(lost),
    }
}

/// Gives the lane back for a pause, because of a failure with this code.
pub async fn retry(
    tx: &mut Tx<'_>,
    held: &Held,
    pause_ms: i64,
    code: &str,
    moment: Moment,
) -> Result<Grip, DbError> {
    let grip = hold(tx, held).await?;
    if grip == Grip::Ours {
        tx.execute_one(&FAILED, params![held.num, code]).await?;
        free(tx, &held.claim.lane, pause_ms, moment).await?;
    }
    Ok(grip)
}

/// Gives the lane back, behind those that wait already.
pub async fn release(tx: &mut Tx<'_>, claim: &Claim, moment: Moment) -> Result<Grip, DbError> {
    if !lock(tx, claim).await? {
        return Ok(Grip::Lost);
    }
    free(tx, &claim.lane, 0, moment).await?;
    Ok(Grip::Ours)
}

/// Gives back the lanes of a kind that a process took which is gone, for an embedded database: nobody else can have them.
pub async fn free_left(tx: &mut Tx<'_>, kind: LaneKind, moment: Moment) -> Result<u64, DbError> {
    let now_ms = moment.read(tx).await?;
    tx.execute(&FREE_LEFT, params![kind.as_str(), now_ms]).await
}

async fn free(tx: &mut Tx<'_>, lane: &str, pause_ms: i64, moment: Moment) -> Result<(), DbError> {
    let run_at_ms = moment.read(tx).await?.saturating_add(pause_ms);
    tx.execute_one(&FREE, params![lane, run_at_ms]).await
}

/// Removes a job from a lane that is locked.
pub(super) async fn remove(tx: &mut Tx<'_>, lane: &str, num: i64) -> Result<Grip, DbError> {
    tx.execute_one(&DELETE, params![num]).await?;
    leave(tx, lane, 1).await
}

/// Counts jobs out of a lane that is locked. The last one takes the lane along.
pub(super) async fn leave(tx: &mut Tx<'_>, lane: &str, jobs: i64) -> Result<Grip, DbError> {
    if tx.execute(&LAST_LEAVES, params![lane, jobs]).await? == 1 {
        return Ok(Grip::Over);
    }
    tx.execute_one(&LEAVE, params![lane, jobs]).await?;
    Ok(Grip::Ours)
}
