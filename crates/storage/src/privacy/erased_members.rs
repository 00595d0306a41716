//! Members of whom something is still to be taken off after they were erased.

use domain::erased::Tombstone;

use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row, Tx};
use crate::params;
use crate::scope::{GuildNum, OrgScope};

statements! {
    INSERT = "
        INSERT INTO erased_members (guild_num, org_num, tombstone, sealed, sealed_kid, ends_at)
        VALUES ($2, $1, $3, $4, $5, $6)";
    NEXT: ErasedMember = "
        SELECT {columns}
        FROM erased_members
        WHERE guild_num = $1 AND num > $2 AND ends_at > $3
        ORDER BY num
        LIMIT $4";
    OF_MEMBER: ErasedMember = "
        SELECT {columns}
        FROM erased_members
        WHERE guild_num = $1 AND tombstone = $2
        ORDER BY num";
    PUT_BEHIND = "
        INSERT INTO erased_members (guild_num, org_num, tombstone, sealed, sealed_kid, ends_at)
        SELECT guild_num, org_num, tombstone, sealed, sealed_kid, ends_at
        FROM erased_members
        WHERE num = $1";
    DELETE = "
        DELETE FROM erased_members
        WHERE num = $1";
    DELETE_OF_GUILD = "
        DELETE FROM erased_members
        WHERE guild_num = $1";
    PURGE = "
        DELETE FROM erased_members
        WHERE num IN (SELECT num FROM erased_members WHERE ends_at <= $1 ORDER BY ends_at LIMIT 500)";
}

/// What is left to be done for somebody.
#[derive(Debug, Clone)]
pub struct ErasedMember {
    /// The row.
    pub num: i64,
    /// What it was sealed for.
    pub tombstone: String,
    /// Who it is and what is to be taken off.
    pub sealed: String,
}

impl FromRow for ErasedMember {
    const COLUMNS: &'static str = "num, tombstone, sealed";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            num: row.int(0)?,
            tombstone: row.text(1)?,
            sealed: row.text(2)?,
        })
    }
}

/// Leaves something to be done, until `ends_at_ms` at the latest. Under the Org's lock.
pub async fn insert(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: GuildNum,
    tombstone: &Tombstone,
    (sealed, kid): (&str, &str),
    ends_at_ms: i64,
) -> Result<(), DbError> {
    let values = params![scope.num(), guild, tombstone.as_str(), sealed, kid, ends_at_ms];
    tx.execute_one(&INSERT, values).await
}

/// The next ones of a Guild.
pub async fn list_next(
    db: &Db,
    guild: GuildNum,
    after: i64,
    now_ms: i64,
    limit: i64,
) -> Result<Vec<ErasedMember>, DbError> {
    db.list(&NEXT, params![guild, after, now_ms, limit]).await
}

/// Takes away what was left to be done for somebody who came back, and tells what it was.
pub async fn take_of(
    tx: &mut Tx<'_>,
    guild: GuildNum,
    tombstone: &Tombstone,
) -> Result<Vec<ErasedMember>, DbError> {
    let found: Vec<ErasedMember> = tx.list(&OF_MEMBER, params![guild, tombstone.as_str()]).await?;
    for one in &found {
        delete(tx, one.num).await?;
    }
    Ok(found)
}

/// Leaves the same to be done after all others; the row itself is the caller's to delete.
pub async fn put_behind(tx: &mut Tx<'_>, num: i64) -> Result<(), DbError> {
    tx.execute(&PUT_BEHIND, params![num]).await.map(drop)
}

/// It is done, or never will be.
pub async fn delete(tx: &mut Tx<'_>, num: i64) -> Result<(), DbError> {
    tx.execute(&DELETE, params![num]).await.map(drop)
}

/// The Guild is gone, and our bot's say there with it.
pub async fn delete_of_guild(tx: &mut Tx<'_>, guild: GuildNum) -> Result<(), DbError> {
    tx.execute(&DELETE_OF_GUILD, params![guild]).await.map(drop)
}

/// Removes up to 500 that could not be done in time.
pub async fn purge(tx: &mut Tx<'_>, now_ms: i64) -> Result<u64, DbError> {
    tx.execute(&PURGE, params![now_ms]).await
}
