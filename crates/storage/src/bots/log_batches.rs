//! The log message that each Guild is being sent. Its body names players: it goes when it was sent, and after a day at
//! the latest, and it names nobody who was erased.

use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row, Tx};
use crate::params;
use crate::scope::{GuildNum, OrgScope};

statements! {
    FIND: LogBatch = "
        SELECT {columns}
        FROM log_batches
        WHERE guild_num = $2 AND org_num = $1";
    INSERT = "
        INSERT INTO log_batches (guild_num, org_num, body, last_job, created_at)
        VALUES ($2, $1, $3, $4, $5)
        RETURNING num";
    UNSURE = "
        UPDATE log_batches
        SET unsure_at = COALESCE(unsure_at, $3)
        WHERE guild_num = $2 AND org_num = $1";
    RESENT = "
        UPDATE log_batches
        SET unsure_at = $3, resent = 1
        WHERE guild_num = $2 AND org_num = $1";
    DELETE = "
        DELETE FROM log_batches
        WHERE guild_num = $2 AND org_num = $1";
    SET_BODY = "
        UPDATE log_batches
        SET body = $3
        WHERE guild_num = $2 AND org_num = $1";
    PURGE = "
        DELETE FROM log_batches
        WHERE num IN (SELECT num FROM log_batches WHERE created_at < $1 ORDER BY created_at LIMIT 500)";
}

/// A message that was put together and may have been sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogBatch {
    /// The nonce of the message; never given twice.
    pub num: i64,
    /// The message as JSON.
    pub body: String,
    /// The jobs of the Guild's lane up to this number are in it.
    pub last_job: i64,
    /// When it was put together.
    pub created_at_ms: i64,
    /// Since when nobody knows whether it arrived.
    pub unsure_at_ms: Option<i64>,
    /// It was sent again after Discord may have forgotten its number.
    pub resent: bool,
}

impl FromRow for LogBatch {
    const COLUMNS: &'static str = "num, body, last_job, created_at, unsure_at, resent";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            num: row.int(0)?,
            body: row.text(1)?,
            last_job: row.int(2)?,
            created_at_ms: row.int(3)?,
            unsure_at_ms: row.opt_int(4)?,
            resent: row.int(5)? == 1,
        })
    }
}

/// The one that a Guild is being sent.
pub async fn find(db: &Db, scope: OrgScope, guild: GuildNum) -> Result<Option<LogBatch>, DbError> {
    db.find(&FIND, params![scope.num(), guild]).await
}

/// The same inside a unit of work.
pub async fn find_in(tx: &mut Tx<'_>, scope: OrgScope, guild: GuildNum) -> Result<Option<LogBatch>, DbError> {
    tx.find(&FIND, params![scope.num(), guild]).await
}

/// Stores the next message of a Guild, which has none waiting, and tells its number.
pub async fn insert(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: GuildNum,
    body: &str,
    last_job: i64,
    now_ms: i64,
) -> Result<i64, DbError> {
    tx.get(&INSERT, params![scope.num(), guild, body, last_job, now_ms])
        .await
}

/// Notes that the message of a Guild may have arrived or not, if it waits.
pub async fn note_unsure(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: GuildNum,
    now_ms: i64,
) -> Result<(), DbError> {
    tx.execute(&UNSURE, params![scope.num(), guild, now_ms])
        .await
        .map(drop)
}

/// Notes that it is sent again though it may have arrived.
pub async fn note_resent(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: GuildNum,
    now_ms: i64,
) -> Result<(), DbError> {
    tx.execute(&RESENT, params![scope.num(), guild, now_ms])
        .await
        .map(drop)
}

/// What the message says from now on, because somebody whom it may name was erased.
pub async fn set_body(tx: &mut Tx<'_>, scope: OrgScope, guild: GuildNum, body: &str) -> Result<(), DbError> {
    tx.execute(&SET_BODY, params![scope.num(), guild, body])
        .await
        .map(drop)
}

/// Forgets the message of a Guild: it was sent or given up.
pub async fn remove(tx: &mut Tx<'_>, scope: OrgScope, guild: GuildNum) -> Result<u64, DbError> {
    tx.execute(&DELETE, params![scope.num(), guild]).await
}

/// Forgets messages from before a moment, 500 at most.
pub async fn purge(tx: &mut Tx<'_>, created_before_ms: i64) -> Result<u64, DbError> {
    tx.execute(&PURGE, params![created_before_ms]).await
}
