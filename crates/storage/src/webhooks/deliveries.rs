//! Messages to receivers: those that wait, and for a while what became of the others. A message names a link, whose
//! accounts are read when it is sent: somebody who was erased meanwhile is told to nobody.

use domain::id::{GuildId, LinkId, WebhookId};
use domain::webhook::{LinkNews, WebhookEvent};

use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row, Tx};
use crate::params;
use crate::scope::{GuildNum, OrgScope};

statements! {
    /// The last of those that may wait for a receiver.
    LAST_PLACE = "
        SELECT num
        FROM webhook_deliveries
        WHERE endpoint_num = $1 AND next_at IS NOT NULL
        ORDER BY next_at
        LIMIT 1
        OFFSET 4999";
    INSERT = "
        INSERT INTO webhook_deliveries (endpoint_num, org_num, guild_num, link_id, event, created_at, begun_at, next_at)
        VALUES ($1, $2, $3, $4, $5, $6, $6, $6)";
    DUE: Due = "
        SELECT {columns}
        FROM webhook_deliveries d
        JOIN guilds g ON g.num = d.guild_num
        JOIN links l ON l.id = d.link_id
        WHERE d.endpoint_num = $1 AND d.next_at IS NOT NULL AND d.next_at <= $2 AND g.removed_at IS NULL
        ORDER BY d.next_at, d.num
        LIMIT 1";
    WAITING_FOR: Waiting = "
        SELECT {columns}
        FROM webhook_endpoints e
        WHERE e.num > $1 AND e.removed_at IS NULL AND e.disabled_at IS NULL AND e.rest_until <= $2
          AND EXISTS (SELECT 1 FROM webhook_deliveries d
                      WHERE d.endpoint_num = e.num AND d.next_at IS NOT NULL AND d.next_at <= $2)
        ORDER BY e.num
        LIMIT 200";
    END = "
        UPDATE webhook_deliveries
        SET next_at = NULL, ended_at = $2, dead = $3, result = $4, attempts = attempts + 1
        WHERE num = $1 AND next_at IS NOT NULL";
    TRY_AGAIN = "
        UPDATE webhook_deliveries
        SET next_at = $2, result = $3, attempts = attempts + 1
        WHERE num = $1 AND next_at IS NOT NULL";
    GIVE_UP = "
        UPDATE webhook_deliveries
        SET next_at = NULL, ended_at = $2, dead = 1, result = COALESCE(result, 'too late')
        WHERE num IN (
            SELECT num
            FROM webhook_deliveries
            WHERE next_at IS NOT NULL AND begun_at < $1
            ORDER BY begun_at
            LIMIT 500)
          AND next_at IS NOT NULL AND begun_at < $1";
    REVIVE = "
        UPDATE webhook_deliveries
        SET next_at = $3, ended_at = NULL, dead = 0, attempts = 0, begun_at = $3
        WHERE num IN (
            SELECT num
            FROM webhook_deliveries
            WHERE endpoint_num = $2 AND org_num = $1 AND (dead = 1 OR next_at > $3)
            ORDER BY num
            LIMIT 500)";
    LIST: Delivery = "
        SELECT {columns}
        FROM webhook_deliveries
        WHERE endpoint_num = $2 AND org_num = $1 AND dead >= $3
        ORDER BY num DESC
        LIMIT $4";
    PURGE = "
        DELETE FROM webhook_deliveries
        WHERE num IN (SELECT num FROM webhook_deliveries WHERE ended_at < $1 ORDER BY ended_at LIMIT 500)
          AND ended_at < $1";
    PURGE_REMOVED = "
        DELETE FROM webhook_deliveries
        WHERE num IN (
            SELECT d.num
            FROM webhook_endpoints e
            JOIN webhook_deliveries d ON d.endpoint_num = e.num
            WHERE e.removed_at > 0
            LIMIT 500)";
    FORGET_GUILD = "
        DELETE FROM webhook_deliveries
        WHERE num IN (
            SELECT num
            FROM webhook_deliveries
            WHERE guild_num = $2 AND org_num = $1
            ORDER BY num
            LIMIT $3)";
}

/// A message whose turn it is.
#[derive(Debug, Clone)]
pub struct Due {
    /// Its row.
    pub num: i64,
    /// How often it failed.
    pub attempts: i64,
    /// What it tells.
    pub news: LinkNews,
}

impl FromRow for Due {
    const COLUMNS: &'static str = "\
        d.num, d.attempts, d.event, d.created_at, g.id, l.id, l.discord_id, l.steam_id, l.end_cause";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            num: row.int(0)?,
            attempts: row.int(1)?,
            news: LinkNews {
                event: event(row, 2)?,
                at_ms: row.int(3)?,
                guild: row.parse(4, GuildId::parse)?,
                link: row.parse(5, LinkId::parse)?,
                discord_id: row.text(6)?,
                steam_id: row.text(7)?,
                cause: row.opt_text(8)?,
            },
        })
    }
}

fn event(row: &Row<'_>, column: usize) -> Result<WebhookEvent, DbError> {
    let text = row.str(column)?;
    WebhookEvent::parse(text).ok_or_else(|| DbError::Bug(format!("{text} is no event")))
}

/// A receiver for which a message is due.
#[derive(Debug, Clone)]
pub struct Waiting {
    /// The place from which the next slice goes on.
    pub num: i64,
    /// What its lane is called after.
    pub id: WebhookId,
    /// Whose it is.
    pub scope: OrgScope,
}

impl FromRow for Waiting {
    const COLUMNS: &'static str = "e.num, e.id, e.org_num";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            num: row.int(0)?,
            id: row.parse(1, WebhookId::parse)?,
            scope: OrgScope::new(row.int(2)?),
        })
    }
}

/// A message as operators see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// Its row.
    pub num: i64,
    /// What it is about.
    pub event: WebhookEvent,
    /// The link that it tells of.
    pub link: LinkId,
    /// When that happened.
    pub created_at_ms: i64,
    /// How often it was tried.
    pub attempts: i64,
    /// What came of the last attempt.
    pub result: Option<String>,
    /// While it waits.
    pub next_at_ms: Option<i64>,
    /// It was given up.
    pub is_dead: bool,
}

impl FromRow for Delivery {
    const COLUMNS: &'static str = "num, event, link_id, created_at, attempts, result, next_at, dead";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            num: row.int(0)?,
            event: event(row, 1)?,
            link: row.parse(2, LinkId::parse)?,
            created_at_ms: row.int(3)?,
            attempts: row.int(4)?,
            result: row.opt_text(5)?,
            next_at_ms: row.opt_int(6)?,
            is_dead: row.flag(7)?,
        })
    }
}

/// Whether as many messages wait for a receiver as may.
pub async fn is_full(tx: &mut Tx<'_>, endpoint: i64) -> Result<bool, DbError> {
    Ok(tx.find::<i64>(&LAST_PLACE, params![endpoint]).await?.is_some())
}

/// Leaves a message to be sent.
pub async fn insert(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    endpoint: i64,
    guild: GuildNum,
    link: &LinkId,
    event: WebhookEvent,
    now_ms: i64,
) -> Result<(), DbError> {
    let values = params![
        endpoint,
        scope.num(),
        guild,
        link.as_str(),
        event.as_str(),
        now_ms
    ];
    tx.execute_one(&INSERT, values).await
}

/// The message for a receiver that has waited longest. Those of a Guild that was removed are not sent.
pub async fn find_due(db: &Db, endpoint: i64, now_ms: i64) -> Result<Option<Due>, DbError> {
    db.find(&DUE, params![endpoint, now_ms]).await
}

/// The next receivers for which something is due.
pub async fn list_waiting(db: &Db, after: i64, now_ms: i64) -> Result<Vec<Waiting>, DbError> {
    db.list_heavy(&WAITING_FOR, params![after, now_ms]).await
}

/// It was delivered, or it is given up. Nothing when it is gone.
pub async fn end(tx: &mut Tx<'_>, num: i64, is_dead: bool, result: &str, now_ms: i64) -> Result<(), DbError> {
    tx.execute(&END, params![num, now_ms, is_dead, result])
        .await
        .map(drop)
}

/// It failed and is tried again. Nothing when it is gone.
pub async fn try_again(tx: &mut Tx<'_>, num: i64, at_ms: i64, result: &str) -> Result<(), DbError> {
    tx.execute(&TRY_AGAIN, params![num, at_ms, result])
        .await
        .map(drop)
}

/// Gives up some that have waited since before then.
pub async fn give_up(tx: &mut Tx<'_>, before_ms: i64, now_ms: i64) -> Result<u64, DbError> {
    tx.execute(&GIVE_UP, params![before_ms, now_ms]).await
}

/// Has some of what was given up or waits for its next attempt sent now.
pub async fn revive(tx: &mut Tx<'_>, scope: OrgScope, endpoint: i64, now_ms: i64) -> Result<u64, DbError> {
    tx.execute(&REVIVE, params![scope.num(), endpoint, now_ms]).await
}

/// The newest ones, or the newest of those that were given up.
pub async fn list(
    db: &Db,
    scope: OrgScope,
    endpoint: i64,
    only_dead: bool,
    limit: u32,
) -> Result<Vec<Delivery>, DbError> {
    let values = params![scope.num(), endpoint, only_dead, i64::from(limit)];
    db.list_heavy(&LIST, values).await
}

/// Forgets some that ended before then.
pub async fn purge(tx: &mut Tx<'_>, before_ms: i64) -> Result<u64, DbError> {
    tx.execute(&PURGE, params![before_ms]).await
}

/// Forgets some of receivers that were removed.
pub async fn purge_removed(tx: &mut Tx<'_>) -> Result<u64, DbError> {
    tx.execute(&PURGE_REMOVED, params![]).await
}

/// Forgets some that are about a Guild which is gone.
pub async fn forget_of_guild(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: GuildNum,
    limit: i64,
) -> Result<u64, DbError> {
    tx.execute(&FORGET_GUILD, params![scope.num(), guild, limit])
        .await
}
