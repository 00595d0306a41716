//! What signs messages: sealed, one for each receiver, and for a while after a rotation the one before it too.

use domain::id::SigningSecretId;

use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row, Tx};
use crate::params;

statements! {
    INSERT = "
        INSERT INTO webhook_secrets (id, endpoint_num, sealed, sealed_kid)
        VALUES ($1, $2, $3, $4)";
    /// The newest first.
    VALID: SealedSecret = "
        SELECT {columns}
        FROM webhook_secrets
        WHERE endpoint_num = $1 AND (ends_at IS NULL OR ends_at > $2)
        ORDER BY num DESC
        LIMIT 2";
    ROLLING = "
        SELECT num
        FROM webhook_secrets
        WHERE endpoint_num = $1 AND ends_at > $2
        LIMIT 1";
    LET_END = "
        UPDATE webhook_secrets
        SET ends_at = $2
        WHERE endpoint_num = $1 AND ends_at IS NULL";
    DELETE = "
        DELETE FROM webhook_secrets
        WHERE endpoint_num = $1";
    PURGE_ENDED = "
        DELETE FROM webhook_secrets
        WHERE num IN (SELECT num FROM webhook_secrets WHERE ends_at <= $1 ORDER BY ends_at LIMIT 500)";
    PURGE_REMOVED = "
        DELETE FROM webhook_secrets
        WHERE num IN (
            SELECT s.num
            FROM webhook_endpoints e
            JOIN webhook_secrets s ON s.endpoint_num = e.num
            WHERE e.removed_at > 0
            LIMIT 500)";
}

/// A secret as it is stored.
#[derive(Debug, Clone)]
pub struct SealedSecret {
    /// What the sealed text is bound to.
    pub id: SigningSecretId,
    /// Opens in its place only.
    pub sealed: String,
}

impl FromRow for SealedSecret {
    const COLUMNS: &'static str = "id, sealed";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            id: row.parse(0, SigningSecretId::parse)?,
            sealed: row.text(1)?,
        })
    }
}

/// Stores the one that stays. There is no other without an end.
pub async fn insert(
    tx: &mut Tx<'_>,
    endpoint: i64,
    id: &SigningSecretId,
    sealed: &str,
    kid: &str,
) -> Result<(), DbError> {
    tx.execute_one(&INSERT, params![id.as_str(), endpoint, sealed, kid])
        .await
}

/// Those that messages are signed with, the newest first.
pub async fn list_valid(db: &Db, endpoint: i64, now_ms: i64) -> Result<Vec<SealedSecret>, DbError> {
    db.list(&VALID, params![endpoint, now_ms]).await
}

/// Whether one before it is still used.
pub async fn is_rolling(tx: &mut Tx<'_>, endpoint: i64, now_ms: i64) -> Result<bool, DbError> {
    let found: Option<i64> = tx.find(&ROLLING, params![endpoint, now_ms]).await?;
    Ok(found.is_some())
}

/// The newest is used until then, beside the one that follows it.
pub async fn let_end(tx: &mut Tx<'_>, endpoint: i64, at_ms: i64) -> Result<(), DbError> {
    tx.execute(&LET_END, params![endpoint, at_ms]).await.map(drop)
}

/// None of them is used any more.
pub async fn delete_all(tx: &mut Tx<'_>, endpoint: i64) -> Result<(), DbError> {
    tx.execute(&DELETE, params![endpoint]).await.map(drop)
}

/// Removes some that are over, and some of receivers that were removed.
pub async fn purge(tx: &mut Tx<'_>, now_ms: i64) -> Result<u64, DbError> {
    let ended = tx.execute(&PURGE_ENDED, params![now_ms]).await?;
    Ok(ended + tx.execute(&PURGE_REMOVED, params![]).await?)
}
