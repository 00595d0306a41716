//! Accounts and networks that cannot sign in.

use domain::blocklist::BlockEntry;
use domain::id::BlockId;
use domain::platform_id::DiscordId;

use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row, Tx};
use crate::params;

statements! {
    ANY_OF = "
        SELECT b.entry
        FROM json_each($1) asked
        JOIN blocklist b ON b.entry = asked.value
        WHERE b.expires_at IS NULL OR b.expires_at > $2
        LIMIT 1" postgres "
        SELECT b.entry
        FROM blocklist b
        WHERE b.entry = ANY (ARRAY(SELECT value COLLATE \"C\" FROM jsonb_array_elements_text(CAST(CAST($1 AS TEXT) AS JSONB)) value))
          AND (b.expires_at IS NULL OR b.expires_at > $2)
        LIMIT 1";
    LOCK: Until = "
        SELECT {columns}
        FROM blocklist
        WHERE entry = $1 AND (expires_at IS NULL OR expires_at > $2)
        FOR UPDATE";
    PUT = "
        INSERT INTO blocklist (entry, id, reason, created_at, expires_at)
        VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (entry) DO UPDATE SET
            id = COALESCE(NULLIF(blocklist.id, ''), excluded.id),
            reason = excluded.reason,
            created_at = excluded.created_at,
            expires_at = excluded.expires_at
        RETURNING id";
    /// A node of the version before may have blocked it without an id.
    DELETE = "
        DELETE FROM blocklist
        WHERE entry = $1
        RETURNING COALESCE(NULLIF(id, ''), 'blk_00000000000000000000000000')";
    ENTRY_OF = "
        SELECT entry
        FROM blocklist
        WHERE id = $1 AND id <> ''";
    /// Those whose entries begin like this, and go on behind the given one.
    PAGE: Blocked = "
        SELECT {columns}
        FROM blocklist
        WHERE entry > $1 AND entry >= $2 AND entry < $3
        ORDER BY entry
        LIMIT $4";
    LIST: Blocked = "
        SELECT {columns}
        FROM blocklist
        WHERE entry > $1
        ORDER BY entry
        LIMIT 500";
    END_SESSIONS = "
        DELETE FROM sessions
        WHERE account_num IN (SELECT num FROM accounts WHERE discord_id = $1)";
    PURGE = "
        DELETE FROM blocklist
        WHERE entry IN (SELECT entry FROM blocklist WHERE expires_at <= $1 ORDER BY expires_at LIMIT 500)";
}

/// Whether any of these is blocked now.
pub async fn is_any_blocked(db: &Db, entries: &[BlockEntry], now_ms: i64) -> Result<bool, DbError> {
    if entries.is_empty() {
        return Ok(false);
    }
    let list = json_list(entries)?;
    Ok(db
        .find::<String>(&ANY_OF, params![&list, now_ms])
        .await?
        .is_some())
}

/// The same in the transaction that is to bind something to them.
pub async fn is_any_blocked_in(
    tx: &mut Tx<'_>,
    entries: &[BlockEntry],
    now_ms: i64,
) -> Result<bool, DbError> {
    let list = json_list(entries)?;
    Ok(tx
        .find::<String>(&ANY_OF, params![&list, now_ms])
        .await?
        .is_some())
}

fn json_list(entries: &[BlockEntry]) -> Result<String, DbError> {
    let texts: Vec<&str> = entries.iter().map(BlockEntry::as_str).collect();
    serde_json::to_string(&texts).map_err(|error| DbError::Bug(error.to_string()))
}

/// A block to be set; an entry that is blocked already keeps its id.
pub struct NewBlock<'a> {
    /// `discord:…`, `steam:…` or a network.
    pub entry: &'a BlockEntry,
    /// What the audit log calls it, since it is kept for ever and names nobody.
    pub id: &'a BlockId,
    /// For operators; never shown to the blocked.
    pub reason: &'a str,
    /// When the block began; a repeated one begins anew.
    pub now_ms: i64,
    /// None blocks for good.
    pub expires_at_ms: Option<i64>,
}

impl FromRow for BlockId {
    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        row.parse(0, BlockId::parse)
    }
}

/// When a block ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Until {
    /// None for one that stays.
    pub expires_at_ms: Option<i64>,
}

impl FromRow for Until {
    const COLUMNS: &'static str = "expires_at";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            expires_at_ms: row.opt_int(0)?,
        })
    }
}

/// Until when an entry is blocked already, locked until the unit ends; nothing for one that is not.
pub async fn lock(tx: &mut Tx<'_>, entry: &BlockEntry, now_ms: i64) -> Result<Option<Until>, DbError> {
    tx.find(&LOCK, params![entry.as_str(), now_ms]).await
}

/// Blocks an entry; one that is there keeps its id and gets the new reason and end. The answer is the id it has now.
pub async fn put(tx: &mut Tx<'_>, new: &NewBlock<'_>) -> Result<BlockId, DbError> {
    let values = params![
        new.entry.as_str(),
        new.id.as_str(),
        new.reason,
        new.now_ms,
        new.expires_at_ms
    ];
    tx.get(&PUT, values).await
}

/// The id of what was lifted; nothing when it was not there.
pub async fn delete(tx: &mut Tx<'_>, entry: &BlockEntry) -> Result<Option<BlockId>, DbError> {
    tx.find(&DELETE, params![entry.as_str()]).await
}

/// Ends what a blocked account has open.
pub async fn end_sessions(tx: &mut Tx<'_>, discord_id: &DiscordId) -> Result<u64, DbError> {
    tx.execute(&END_SESSIONS, params![discord_id.as_str()]).await
}

/// A block as operators see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blocked {
    /// Whom or what it keeps out, in the form it is looked up by.
    pub entry: String,
    /// A fixed one for entries that a version without ids made.
    pub id: BlockId,
    /// As an operator wrote it.
    pub reason: String,
    /// Since when, by the last time it was set.
    pub created_at_ms: i64,
    /// Past ones stay until they are purged and keep nobody out.
    pub expires_at_ms: Option<i64>,
}

impl FromRow for Blocked {
    const COLUMNS: &'static str = "\
        entry, COALESCE(NULLIF(id, ''), 'blk_00000000000000000000000000'), reason, created_at, expires_at";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            entry: row.text(0)?,
            id: row.parse(1, BlockId::parse)?,
            reason: row.text(2)?,
            created_at_ms: row.int(3)?,
            expires_at_ms: row.opt_int(4)?,
        })
    }
}

/// What a block keeps out; none when it was lifted.
pub async fn find_entry(db: &Db, id: &BlockId) -> Result<Option<BlockEntry>, DbError> {
    let stored: Option<String> = db.find(&ENTRY_OF, params![id.as_str()]).await?;
    Ok(stored.as_deref().map(BlockEntry::read))
}

/// Entries that begin with a text, behind the given one, in order. All of them are ASCII.
pub async fn list_beginning(
    db: &Db,
    beginning: &str,
    after: &str,
    limit: i64,
) -> Result<Vec<Blocked>, DbError> {
    let end = [beginning, "\u{7f}"].concat();
    db.list_heavy(&PAGE, params![after, beginning, &end, limit]).await
}

/// Up to 500 entries after the given one, in order.
pub async fn list(db: &Db, after: &str) -> Result<Vec<Blocked>, DbError> {
    db.list_heavy(&LIST, params![after]).await
}

/// Removes up to 500 entries whose time is over.
pub async fn purge(tx: &mut Tx<'_>, now_ms: i64) -> Result<u64, DbError> {
    tx.execute(&PURGE, params![now_ms]).await
}
