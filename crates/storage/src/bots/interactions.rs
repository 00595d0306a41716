//! Interactions that changed something: each is accepted once.

use crate::db::statement::statements;
use crate::db::{Db, DbError, Tx};
use crate::params;

statements! {
    ACCEPT = "
        INSERT INTO interactions (id, seen_at)
        VALUES ($1, $2)
        ON CONFLICT (id) DO NOTHING";
    FIND = "
        SELECT id
        FROM interactions
        WHERE id = $1";
    PURGE = "
        DELETE FROM interactions
        WHERE id IN (SELECT id FROM interactions WHERE seen_at < $1 ORDER BY seen_at LIMIT 500)";
}

/// Whether one was accepted before.
pub async fn is_accepted(db: &Db, id: &str) -> Result<bool, DbError> {
    let found: Option<String> = db.find(&FIND, params![id]).await?;
    Ok(found.is_some())
}

/// The same inside a unit of work.
pub async fn is_accepted_in(tx: &mut Tx<'_>, id: &str) -> Result<bool, DbError> {
    let found: Option<String> = tx.find(&FIND, params![id]).await?;
    Ok(found.is_some())
}

/// False for one that was accepted before.
pub async fn accept(tx: &mut Tx<'_>, id: &str, now_ms: i64) -> Result<bool, DbError> {
    Ok(tx.execute(&ACCEPT, params![id, now_ms]).await? == 1)
}

/// Forgets old ones, 500 at most.
pub async fn purge(tx: &mut Tx<'_>, seen_before_ms: i64) -> Result<u64, DbError> {
    tx.execute(&PURGE, params![seen_before_ms]).await
}
