//! How far the removal of Guilds is.

use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row};
use crate::params;
use crate::scope::OrgScope;

statements! {
    UNDER_WAY: Removal = "
        SELECT {columns}
        FROM guilds g
        JOIN jobs j ON j.dedupe = 'guild.end:' || g.id
        WHERE g.org_num = $1 AND g.removed_at IS NOT NULL
        ORDER BY g.num
        LIMIT 100";
}

/// A Guild that is gone for everybody, and whose links are being ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Removal {
    /// Of the Guild.
    pub name: String,
    /// Links that ended so far.
    pub ended: i64,
    /// Links that it had.
    pub links: i64,
}

impl FromRow for Removal {
    const COLUMNS: &'static str = "g.name, j.done, j.total";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            name: row.text(0)?,
            ended: row.int(1)?,
            links: row.int(2)?,
        })
    }
}

/// Removals of an Org's Guilds that are not finished.
pub async fn list(db: &Db, scope: OrgScope) -> Result<Vec<Removal>, DbError> {
    db.list(&UNDER_WAY, params![scope.num()]).await
}
