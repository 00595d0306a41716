//! Calls made to services that allow only so many a day.

use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row, Tx};
use crate::params;

statements! {
    ADD = "
        INSERT INTO daily_calls (provider, day, org_num, calls)
        VALUES ($1, $2, $3, $4)
        ON CONFLICT (provider, day, org_num) DO UPDATE
        SET calls = daily_calls.calls + excluded.calls";
    OF_DAY: Calls = "
        SELECT {columns}
        FROM daily_calls
        WHERE provider = $1 AND day = $2
        ORDER BY org_num
        LIMIT 1000000";
    PURGE = "
        DELETE FROM daily_calls
        WHERE day < $1
          AND org_num IN (SELECT org_num FROM daily_calls WHERE day < $1 ORDER BY org_num LIMIT 500)";
}

/// Calls of one day. Org 0 stands for people who wait for an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Calls {
    /// On whose account they were made.
    pub org_num: i64,
    /// Added up over all nodes.
    pub calls: i64,
}

impl FromRow for Calls {
    const COLUMNS: &'static str = "org_num, calls";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            org_num: row.int(0)?,
            calls: row.int(1)?,
        })
    }
}

/// Adds to what is written down for the day, by whichever node.
pub async fn add(tx: &mut Tx<'_>, provider: &str, day: i64, more: Calls) -> Result<(), DbError> {
    let values = params![provider, day, more.org_num, more.calls];
    tx.execute_one(&ADD, values).await
}

/// Everybody's calls of a day, by Org.
pub async fn list(db: &Db, provider: &str, day: i64) -> Result<Vec<Calls>, DbError> {
    db.list_heavy(&OF_DAY, params![provider, day]).await
}

/// Removes some hundred rows of days that are over.
pub async fn purge(tx: &mut Tx<'_>, before_day: i64) -> Result<u64, DbError> {
    tx.execute(&PURGE, params![before_day]).await
}
