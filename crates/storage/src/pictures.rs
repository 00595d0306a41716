//! Which pictures are kept, and whose they are. The files themselves are elsewhere.

use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row, Tx};
use crate::params;

statements! {
    FIND: Picture = "
        SELECT {columns}
        FROM pictures
        WHERE owner = $1";
    SHOWN: Picture = "
        SELECT {columns}
        FROM pictures
        WHERE owner = $1 AND digest = $2
          AND (EXISTS (SELECT 1 FROM guilds WHERE id = $1 AND removed_at IS NULL)
            OR EXISTS (SELECT 1 FROM accounts WHERE id = $1))";
    PUT = "
        INSERT INTO pictures (owner, source, digest, content_type, kept_at)
        VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (owner) DO UPDATE
        SET source = excluded.source, digest = excluded.digest, content_type = excluded.content_type, kept_at = excluded.kept_at";
    DELETE = "
        DELETE FROM pictures
        WHERE owner = $1 AND digest = $2";
}

/// A picture that is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// Discord's name for it.
    pub source: String,
    /// Names the file, together with the owner.
    pub digest: String,
    /// Found out from its first bytes.
    pub content_type: String,
}

impl FromRow for Picture {
    const COLUMNS: &'static str = "source, digest, content_type";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            source: row.text(0)?,
            digest: row.text(1)?,
            content_type: row.text(2)?,
        })
    }
}

/// The picture of a Guild or an account, by its id.
pub async fn find(db: &Db, owner: &str) -> Result<Option<Picture>, DbError> {
    db.find(&FIND, params![owner]).await
}

/// The same inside a unit of work.
pub async fn find_in(tx: &mut Tx<'_>, owner: &str) -> Result<Option<Picture>, DbError> {
    tx.find(&FIND, params![owner]).await
}

/// The picture with this address, while its owner is there. A removed Guild shows none from that moment on.
pub async fn find_shown(db: &Db, owner: &str, digest: &str) -> Result<Option<Picture>, DbError> {
    db.find(&SHOWN, params![owner, digest]).await
}

/// Puts a picture in the place of the one before.
pub async fn put(tx: &mut Tx<'_>, owner: &str, picture: &Picture, now_ms: i64) -> Result<(), DbError> {
    let Picture {
        source,
        digest,
        content_type,
    } = picture;
    tx.execute_one(&PUT, params![owner, source, digest, content_type, now_ms])
        .await
}

/// Forgets it, unless there is another one by now.
pub async fn delete(tx: &mut Tx<'_>, owner: &str, digest: &str) -> Result<(), DbError> {
    tx.execute(&DELETE, params![owner, digest]).await?;
    Ok(())
}
