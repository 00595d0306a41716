//! Who may make an Org: everybody, or those with a code.

use crate::db::statement::statements;
use crate::db::{DbError, Tx};
use crate::params;

statements! {
    INSERT = "
        INSERT INTO registration_codes (hash, note, created_at, expires_at)
        VALUES ($1, $2, $3, $4)";
    USE = "
        UPDATE registration_codes
        SET used_at = $2
        WHERE hash = $1 AND used_at IS NULL AND (expires_at IS NULL OR expires_at > $2)";
}

/// Makes a code for one new Org. Only its hash is stored.
pub async fn insert(
    tx: &mut Tx<'_>,
    hash: &str,
    note: &str,
    now_ms: i64,
    expires_at_ms: Option<i64>,
) -> Result<(), DbError> {
    tx.execute_one(&INSERT, params![hash, note, now_ms, expires_at_ms])
        .await
}

/// Takes a code; false when there is none, or it was used or is too old.
pub async fn take(tx: &mut Tx<'_>, hash: &str, now_ms: i64) -> Result<bool, DbError> {
    Ok(tx.execute(&USE, params![hash, now_ms]).await? == 1)
}
