//! Work that follows from a change and is written with it.

use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row, Tx};
use crate::params;
use crate::scope::OrgScope;

statements! {
    ENQUEUE = "
        INSERT INTO jobs (lane, kind, dedupe, org_num, payload, run_at, give_up_at, created_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $6)
        ON CONFLICT (dedupe) DO NOTHING";
    PURGE = "
        DELETE FROM jobs
        WHERE num IN (SELECT num FROM jobs WHERE give_up_at <= $1 ORDER BY give_up_at LIMIT 500)";
    BY_KIND = "
        SELECT lane, dedupe, payload
        FROM jobs
        WHERE kind = $1 AND state = 'ready'
        ORDER BY num
        LIMIT 1000";
    DUE = "
        SELECT COUNT(*)
        FROM jobs
        WHERE state = 'ready' AND run_at <= $1";
}

pub struct NewJob<'a> {
    /// Jobs of one lane run in order.
    pub lane: &'a str,
    pub kind: &'a str,
    /// A second job with the same text is the same job.
    pub dedupe: &'a str,
    /// Our own ids only, as JSON.
    pub payload: &'a str,
    pub now_ms: i64,
    pub give_up_at_ms: i64,
}

pub async fn enqueue(tx: &mut Tx<'_>, scope: OrgScope, job: &NewJob<'_>) -> Result<(), DbError> {
    let values = params![
        job.lane,
        job.kind,
        job.dedupe,
        scope.num(),
        job.payload,
        job.now_ms,
        job.give_up_at_ms
    ];
    tx.execute(&ENQUEUE, values).await.map(drop)
}

/// Removes up to 500 jobs whose time is over.
pub async fn purge(tx: &mut Tx<'_>, now_ms: i64) -> Result<u64, DbError> {
    tx.execute(&PURGE, params![now_ms]).await
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadyJob {
    pub lane: String,
    pub dedupe: String,
    pub payload: String,
}

impl FromRow for ReadyJob {
    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            lane: row.text(0)?,
            dedupe: row.text(1)?,
            payload: row.text(2)?,
        })
    }
}

/// How many jobs could run now. It reads all that wait: for operators and the sandbox.
pub async fn count_due(db: &Db, now_ms: i64) -> Result<i64, DbError> {
    let found: Vec<i64> = db.list_heavy(&DUE, params![now_ms]).await?;
    Ok(found.first().copied().unwrap_or_default())
}

/// The oldest thousand waiting jobs of a kind.
pub async fn list_ready(db: &Db, kind: &str) -> Result<Vec<ReadyJob>, DbError> {
    db.list_heavy(&BY_KIND, params![kind]).await
}
