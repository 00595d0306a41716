//! How far one job is, for those who wait for it.

use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row, Tx};
use crate::params;

statements! {
    RUNNING: Running = "
        SELECT {columns}
        FROM jobs
        WHERE dedupe = $1";
}

/// A job that waits or is under way.
#[derive(Debug, Clone)]
pub struct Running {
    /// Its row.
    pub num: i64,
    /// Its lane.
    pub lane: String,
    /// How much of it is done.
    pub done: i64,
    /// Of how much.
    pub total: i64,
    /// When it was asked for.
    pub started_at_ms: i64,
    /// Where it goes on.
    pub cursor: Option<String>,
    /// It ends before its next step.
    pub is_cancelled: bool,
}

impl FromRow for Running {
    const COLUMNS: &'static str = "num, lane, done, total, created_at, cursor, cancelled";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            num: row.int(0)?,
            lane: row.text(1)?,
            done: row.int(2)?,
            total: row.int(3)?,
            started_at_ms: row.int(4)?,
            cursor: row.opt_text(5)?,
            is_cancelled: row.flag(6)?,
        })
    }
}

/// By the text that tells a job apart; nothing when there is none.
pub async fn find_running(db: &Db, dedupe: &str) -> Result<Option<Running>, DbError> {
    db.find(&RUNNING, params![dedupe]).await
}

/// The same inside a unit of work.
pub async fn find_running_in(tx: &mut Tx<'_>, dedupe: &str) -> Result<Option<Running>, DbError> {
    tx.find(&RUNNING, params![dedupe]).await
}
