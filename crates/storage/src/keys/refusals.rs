//! Refused calls, counted by key, hour and code.

use domain::id::KeyId;

use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row, Tx};
use crate::params;
use crate::scope::{KeyNum, OrgScope};

statements! {
    /// A key that was removed meanwhile has no use for it.
    ADD = "
        INSERT INTO key_refusals (key_num, hour, code, calls)
        SELECT k.num, $2, $3, $4
        FROM api_keys k
        WHERE k.num = $1
        ON CONFLICT (key_num, hour, code) DO UPDATE
        SET calls = key_refusals.calls + excluded.calls";
    HOLD = "
        SELECT num
        FROM api_keys
        WHERE num = $1
        FOR KEY SHARE";
    BY_ORG: Refused = "
        SELECT {columns}
        FROM guilds g
        JOIN api_keys k ON k.guild_num = g.num AND k.org_num = g.org_num
        JOIN key_refusals r ON r.key_num = k.num
        WHERE g.org_num = $1 AND r.hour >= $2
        GROUP BY k.num, k.id, r.code
        ORDER BY k.num, SUM(r.calls) DESC, r.code
        LIMIT 2000";
    PURGE = "
        DELETE FROM key_refusals
        WHERE hour < $1
          AND key_num IN (SELECT key_num FROM key_refusals WHERE hour < $1 ORDER BY hour LIMIT 500)";
}

/// What happened so many times in one hour to one key. The order is that of the rows, in which all nodes write.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tally {
    /// Whose call.
    pub key: KeyNum,
    /// Hours since 1970.
    pub hour: i64,
    /// What it was answered with.
    pub code: &'static str,
}

/// Refused calls of a key that were answered alike.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// Whose calls.
    pub key: KeyId,
    /// What they were answered with.
    pub code: String,
    /// How many.
    pub calls: i64,
    /// The hour of the last one, since 1970.
    pub last_hour: i64,
}

impl FromRow for Refused {
    const COLUMNS: &'static str = "k.id, r.code, CAST(SUM(r.calls) AS BIGINT), MAX(r.hour)";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            key: row.parse(0, KeyId::parse)?,
            code: row.text(1)?,
            calls: row.int(2)?,
            last_hour: row.int(3)?,
        })
    }
}

/// Adds to what is written down, by whichever node. The key is held first, so that it is not removed in between.
pub async fn add(tx: &mut Tx<'_>, tally: &Tally, calls: i64) -> Result<(), DbError> {
    if tx.find::<i64>(&HOLD, params![tally.key]).await?.is_some() {
        tx.execute(&ADD, params![tally.key, tally.hour, tally.code, calls])
            .await?;
    }
    Ok(())
}

/// What was refused to the keys of an Org since an hour.
pub async fn list(db: &Db, scope: OrgScope, since_hour: i64) -> Result<Vec<Refused>, DbError> {
    db.list(&BY_ORG, params![scope.num(), since_hour]).await
}

/// Removes hours that nobody looks at any more, of some keys.
pub async fn purge(tx: &mut Tx<'_>, before_hour: i64) -> Result<u64, DbError> {
    tx.execute(&PURGE, params![before_hour]).await
}
