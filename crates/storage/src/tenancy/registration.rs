//! Who may make an Org: everybody, or those with a code.

use domain::id::RegistrationId;

use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row, Tx};
use crate::params;

statements! {
    INSERT = "
        INSERT INTO registration_codes (hash, id, note, max_uses, created_at, expires_at)
        VALUES ($1, $2, $3, $4, $5, $6)";
    USE = "
        UPDATE registration_codes
        SET uses = uses + 1, used_at = $2
        WHERE hash = $1 AND uses < max_uses AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $2)";
    REVOKE = "
        UPDATE registration_codes
        SET revoked_at = $2
        WHERE id = $1 AND id <> '' AND revoked_at IS NULL";
    IS_THERE = "
        SELECT id
        FROM registration_codes
        WHERE id = $1 AND id <> ''";
    /// Ids of later ones are greater.
    PAGE: RegistrationCode = "
        SELECT {columns}
        FROM registration_codes
        WHERE id <> '' AND id < $1
        ORDER BY id DESC
        LIMIT $2";
}

/// A code to be made. Only its hash is stored.
pub struct NewCode<'a> {
    /// By which it is found.
    pub hash: &'a str,
    /// By which operators name it.
    pub id: &'a RegistrationId,
    /// For operators.
    pub note: &'a str,
    /// How many Orgs it is good for.
    pub max_uses: i64,
    /// When it is made.
    pub now_ms: i64,
    /// None for one that never expires.
    pub expires_at_ms: Option<i64>,
}

/// Makes a code for new Orgs.
pub async fn insert(tx: &mut Tx<'_>, new: &NewCode<'_>) -> Result<(), DbError> {
    let values = params![
        new.hash,
        new.id.as_str(),
        new.note,
        new.max_uses,
        new.now_ms,
        new.expires_at_ms
    ];
    tx.execute_one(&INSERT, values).await
}

/// Takes a code; false when there is none, or it was used up, revoked or is too old.
pub async fn take(tx: &mut Tx<'_>, hash: &str, now_ms: i64) -> Result<bool, DbError> {
    Ok(tx.execute(&USE, params![hash, now_ms]).await? == 1)
}

/// What became of a wish to revoke a code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Revoked {
    /// From now on.
    Now,
    /// Somebody was faster.
    Before,
    /// There is no such code.
    Missing,
}

/// Ends a code that was not used up.
pub async fn revoke(tx: &mut Tx<'_>, id: &RegistrationId, now_ms: i64) -> Result<Revoked, DbError> {
    if tx.execute(&REVOKE, params![id.as_str(), now_ms]).await? == 1 {
        return Ok(Revoked::Now);
    }
    let there: Option<String> = tx.find(&IS_THERE, params![id.as_str()]).await?;
    Ok(there.map_or(Revoked::Missing, |_| Revoked::Before))
}

/// A code as operators see it: without the secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegistrationCode {
    /// By which it is revoked.
    pub id: String,
    /// As an operator wrote it.
    pub note: String,
    /// Orgs that were made with it.
    pub uses: i64,
    /// How many Orgs it is good for.
    pub max_uses: i64,
    /// When it was made.
    pub created_at_ms: i64,
    /// None for one that never expires.
    pub expires_at_ms: Option<i64>,
    /// None for one that was not revoked.
    pub revoked_at_ms: Option<i64>,
}

impl FromRow for RegistrationCode {
    const COLUMNS: &'static str = "id, note, uses, max_uses, created_at, expires_at, revoked_at";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            id: row.text(0)?,
            note: row.text(1)?,
            uses: row.int(2)?,
            max_uses: row.int(3)?,
            created_at_ms: row.int(4)?,
            expires_at_ms: row.opt_int(5)?,
            revoked_at_ms: row.opt_int(6)?,
        })
    }
}

/// Codes, the newest first, behind the given one; an empty text begins at the newest.
pub async fn list(db: &Db, after: &str, limit: i64) -> Result<Vec<RegistrationCode>, DbError> {
    // Greater than every id.
    let after = if after.is_empty() { "reg_~" } else { after };
    db.list_heavy(&PAGE, params![after, limit]).await
}
