//! Instance-wide values.

use crate::db::statement::statements;
use crate::db::{Db, DbError, Tx};
use crate::params;

statements! {
    GET = "
        SELECT value
        FROM settings
        WHERE name = $1";
    PUT = "
        INSERT INTO settings (name, value, updated_at)
        VALUES ($1, $2, $3)
        ON CONFLICT (name) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at";
    PUT_IF_MISSING = "
        INSERT INTO settings (name, value, updated_at)
        VALUES ($1, $2, $3)
        ON CONFLICT (name) DO NOTHING";
    /// Changes nothing but who may read it next.
    LOCK = "
        INSERT INTO settings (name, value, updated_at)
        VALUES ($1, $2, $3)
        ON CONFLICT (name) DO UPDATE SET value = settings.value
        RETURNING value";
    SOMEBODY = "
        SELECT num
        FROM accounts
        WHERE num > 0
        UNION ALL
        SELECT num
        FROM orgs
        WHERE num > 0
        LIMIT 1";
}

/// A value by its name, as of the last commit.
pub async fn find(db: &Db, name: &str) -> Result<Option<String>, DbError> {
    db.find(&GET, params![name]).await
}

/// As `find`, off the threads that serve requests: a disk that hangs would hold them up.
pub async fn find_aside(db: &Db, name: &str) -> Result<Option<String>, DbError> {
    match db {
        Db::Sqlite(sqlite) => sqlite.find_aside(&GET, params![name]).await,
        Db::Postgres(_) => find(db, name).await,
    }
}

/// The same inside a unit of work.
pub async fn find_in(tx: &mut Tx<'_>, name: &str) -> Result<Option<String>, DbError> {
    tx.find(&GET, params![name]).await
}

/// A value that nobody else changes until this unit is over; `first` where there is none yet.
pub async fn lock(tx: &mut Tx<'_>, name: &str, first: &str, now_ms: i64) -> Result<String, DbError> {
    tx.get(&LOCK, params![name, first, now_ms]).await
}

/// Sets a value, whatever it was.
pub async fn put(tx: &mut Tx<'_>, name: &str, value: &str, now_ms: i64) -> Result<(), DbError> {
    tx.execute_one(&PUT, params![name, value, now_ms]).await
}

/// Whether anybody uses this installation yet.
pub async fn has_people(tx: &mut Tx<'_>) -> Result<bool, DbError> {
    let somebody: Option<i64> = tx.find(&SOMEBODY, params![]).await?;
    Ok(somebody.is_some())
}

/// Stores the value unless there is one; returns what is stored now.
pub async fn put_if_missing(
    tx: &mut Tx<'_>,
    name: &str,
    value: &str,
    now_ms: i64,
) -> Result<String, DbError> {
    tx.execute(&PUT_IF_MISSING, params![name, value, now_ms]).await?;
    tx.get(&GET, params![name]).await
}
