//! What operators switched on or off.

use domain::flag::Flag;

use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row, Tx};
use crate::params;

statements! {
    FIND = "
        SELECT is_on
        FROM flags
        WHERE name = $1";
    ALL: SetFlag = "
        SELECT {columns}
        FROM flags f
        LEFT JOIN accounts a ON a.id = f.set_by
        ORDER BY f.name
        LIMIT 100";
    SET = "
        INSERT INTO flags (name, is_on, set_at, set_by)
        VALUES ($1, $2, $3, $4)
        ON CONFLICT (name) DO UPDATE SET is_on = excluded.is_on, set_at = excluded.set_at, set_by = excluded.set_by";
}

/// A flag that somebody set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetFlag {
    /// A name of `Flag`, or of another version's.
    pub name: String,
    /// What it was set to.
    pub is_on: bool,
    /// When.
    pub set_at_ms: i64,
    /// By whom; none for the command line.
    pub set_by: Option<String>,
    /// None for somebody who is gone.
    pub set_by_name: Option<String>,
}

impl FromRow for SetFlag {
    const COLUMNS: &'static str = "f.name, f.is_on, f.set_at, f.set_by, a.name";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            name: row.text(0)?,
            is_on: row.flag(1)?,
            set_at_ms: row.int(2)?,
            set_by: row.opt_text(3)?,
            set_by_name: row.opt_text(4)?,
        })
    }
}

/// What a flag was set to; none when nobody did.
pub async fn find(db: &Db, flag: Flag) -> Result<Option<bool>, DbError> {
    let found: Option<i64> = db.find(&FIND, params![flag.as_str()]).await?;
    Ok(found.map(|on| on == 1))
}

/// The same inside a unit of work.
pub async fn find_in(tx: &mut Tx<'_>, flag: Flag) -> Result<Option<bool>, DbError> {
    let found: Option<i64> = tx.find(&FIND, params![flag.as_str()]).await?;
    Ok(found.map(|on| on == 1))
}

/// All that were set.
pub async fn list(db: &Db) -> Result<Vec<SetFlag>, DbError> {
    db.list_heavy(&ALL, params![]).await
}

/// Sets one, whatever it was.
pub async fn set(
    tx: &mut Tx<'_>,
    flag: Flag,
    is_on: bool,
    by: Option<&str>,
    now_ms: i64,
) -> Result<(), DbError> {
    tx.execute_one(&SET, params![flag.as_str(), is_on, now_ms, by])
        .await
}
