//! What was made by requests that may be sent again: the id of the thing, never an answer.

use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row, Tx};
use crate::params;
use crate::scope::AccountNum;

statements! {
    /// On PostgreSQL this waits for a unit that claims the same key at the same moment. Nothing is changed when that
    /// one is committed.
    CLAIM = "
        INSERT INTO idempotency_keys (account_num, route, key_hash, request_hash, made, ends_at)
        VALUES ($1, $2, $3, $4, $5, $6)
        ON CONFLICT (account_num, route, key_hash)
        DO UPDATE SET request_hash = excluded.request_hash, made = excluded.made, ends_at = excluded.ends_at
        WHERE idempotency_keys.ends_at <= $7";
    FIND: MadeBefore = "
        SELECT {columns}
        FROM idempotency_keys
        WHERE account_num = $1 AND route = $2 AND key_hash = $3 AND ends_at > $4";
    PURGE = "
        DELETE FROM idempotency_keys
        WHERE (account_num, route, key_hash) IN (
          SELECT account_num, route, key_hash FROM idempotency_keys WHERE ends_at <= $1 ORDER BY ends_at LIMIT 500
        )";
}

/// A request that may be sent again, by whom and to which route.
#[derive(Debug, Clone, Copy)]
pub struct Named<'a> {
    /// A key of somebody else is another key.
    pub account: AccountNum,
    /// A key for another route is another key.
    pub route: &'static str,
    /// The key is somebody's own text, so only its hash is kept.
    pub key_hash: &'a str,
}

/// What an earlier request under the same name made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MadeBefore {
    /// Tells a repetition from another request under the same key.
    pub request_hash: String,
    /// The id of what was made.
    pub made: String,
}

impl FromRow for MadeBefore {
    const COLUMNS: &'static str = "request_hash, made";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            request_hash: row.text(0)?,
            made: row.text(1)?,
        })
    }
}

/// Takes the name for what this unit is about to make; false when it is taken. The first statement of its unit, so that
/// nobody waits for it who holds a lock.
pub async fn claim(
    tx: &mut Tx<'_>,
    named: Named<'_>,
    new: &MadeBefore,
    now_ms: i64,
    ends_at_ms: i64,
) -> Result<bool, DbError> {
    let values = params![
        named.account,
        named.route,
        named.key_hash,
        &new.request_hash,
        &new.made,
        ends_at_ms,
        now_ms
    ];
    Ok(tx.execute(&CLAIM, values).await? == 1)
}

/// What was made under the name, while it is remembered. A look before the unit; `claim` decides.
pub async fn find(db: &Db, named: Named<'_>, now_ms: i64) -> Result<Option<MadeBefore>, DbError> {
    let values = params![named.account, named.route, named.key_hash, now_ms];
    db.find(&FIND, values).await
}

/// The same in the unit whose claim was refused.
pub async fn find_in(tx: &mut Tx<'_>, named: Named<'_>, now_ms: i64) -> Result<Option<MadeBefore>, DbError> {
    let values = params![named.account, named.route, named.key_hash, now_ms];
    tx.find(&FIND, values).await
}

/// Removes up to 500 names whose time is over.
pub async fn purge(tx: &mut Tx<'_>, now_ms: i64) -> Result<u64, DbError> {
    tx.execute(&PURGE, params![now_ms]).await
}
