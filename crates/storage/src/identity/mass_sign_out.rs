//! Ending very many sessions with one change, whatever their number, and counting them.

use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row, Tx};
use crate::params;

statements! {
    NEXT_EPOCH = "
        INSERT INTO settings (name, value, updated_at)
        VALUES ('session_epoch', '1', $1)
        ON CONFLICT (name) DO UPDATE SET
            value = CAST(CAST(settings.value AS BIGINT) + 1 AS TEXT),
            updated_at = excluded.updated_at
        RETURNING CAST(value AS BIGINT)";
    KEEP = "
        UPDATE sessions
        SET epoch = $2
        WHERE hash = $1 AND epoch = CAST($2 AS BIGINT) - 1";
    /// Never back, because who was dropped stays so; but for what was written with a clock that was ahead.
    DROP_IDLE = "
        INSERT INTO settings (name, value, updated_at)
        VALUES ('sessions_seen_after', CAST(CAST($1 AS BIGINT) AS TEXT), $2)
        ON CONFLICT (name) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at
        WHERE CAST(settings.value AS BIGINT) < CAST(excluded.value AS BIGINT) OR CAST(settings.value AS BIGINT) > $2";
    COUNT: Counted = "
        SELECT {columns}
        FROM sessions
        WHERE expires_at > $1 AND seen_at > $2
          AND epoch = COALESCE((SELECT CAST(value AS BIGINT) FROM settings WHERE name = 'session_epoch'), 0)
          AND seen_at > COALESCE((
            SELECT CASE WHEN CAST(value AS BIGINT) <= $1 THEN CAST(value AS BIGINT) ELSE 0 END
            FROM settings
            WHERE name = 'sessions_seen_after'
          ), 0)";
}

/// Ends all sessions but the one with this hash; false when that one had ended itself.
pub async fn end_all_but(tx: &mut Tx<'_>, hash: &str, now_ms: i64) -> Result<bool, DbError> {
    let epoch: i64 = tx.get(&NEXT_EPOCH, params![now_ms]).await?;
    Ok(tx.execute(&KEEP, params![hash, epoch]).await? == 1)
}

/// Ends all sessions that were last used at that time or before.
pub async fn drop_idle(tx: &mut Tx<'_>, seen_until_ms: i64, now_ms: i64) -> Result<(), DbError> {
    tx.execute(&DROP_IDLE, params![seen_until_ms, now_ms])
        .await
        .map(drop)
}

/// How many sessions there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counted {
    /// That somebody can use.
    pub living: i64,
    /// Of those, the ones that nobody used since then.
    pub idle: i64,
}

impl FromRow for Counted {
    const COLUMNS: &'static str = "\
        CAST(COUNT(*) AS BIGINT), CAST(COALESCE(SUM(CASE WHEN seen_at <= $3 THEN 1 ELSE 0 END), 0) AS BIGINT)";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            living: row.int(0)?,
            idle: row.int(1)?,
        })
    }
}

/// Counts living sessions, and those of them that were idle since a time.
pub async fn count(db: &Db, now_ms: i64, seen_after_ms: i64, idle_since_ms: i64) -> Result<Counted, DbError> {
    let found = db
        .list_heavy(&COUNT, params![now_ms, seen_after_ms, idle_since_ms])
        .await?;
    Ok(found.into_iter().next().unwrap_or(Counted { living: 0, idle: 0 }))
}
