//! When everybody of an Org was gone through, and whose turn it is.

use domain::id::OrgId;

use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row, Tx};
use crate::params;
use crate::players::people::STILL_THEIRS;
use crate::scope::OrgScope;

statements! {
    /// Where nobody is linked, nobody's score changes.
    DUE: DueOrg = "
        SELECT {columns}
        FROM orgs o
        WHERE o.removed_at IS NULL AND o.people_swept_at < $1
          AND (o.people_swept_at = 0 OR EXISTS (SELECT 1 FROM org_usage u WHERE u.org_num = o.num AND u.links > 0))
        ORDER BY o.people_swept_at, o.num
        LIMIT $2";
    /// Everybody without an active link, and who of them is found on a Server with an account that is somebody else's by now.
    ARCHIVED: Archived = "
        SELECT {columns}, CAST(CASE WHEN EXISTS (
            SELECT 1
            FROM person_servers v
            WHERE v.person_num = p.num AND NOT EXISTS (
                SELECT 1
                FROM person_places l
                JOIN server_players s ON s.server_num = v.server_num AND s.steam_id = l.steam_id AND s.guild_num = l.guild_num
                WHERE l.person_num = p.num AND {condition})) THEN 1 ELSE 0 END AS BIGINT)
        FROM people p
        WHERE p.org_num = $1 AND p.active_links = 0 AND (p.linked_at, p.num) > ($2, $3)
        ORDER BY p.linked_at, p.num
        LIMIT $4" with STILL_THEIRS;
    SWEPT = "
        UPDATE orgs
        SET people_swept_at = $2
        WHERE num = $1";
    IS_READY = "
        SELECT people_swept_at
        FROM orgs
        WHERE num = $1";
}

/// An Org whose people were not gone through for long.
#[derive(Debug, Clone)]
pub struct DueOrg {
    /// Which.
    pub scope: OrgScope,
    /// The same by its id.
    pub id: OrgId,
}

impl FromRow for DueOrg {
    const COLUMNS: &'static str = "o.num, o.id";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            scope: OrgScope::new(row.int(0)?),
            id: row.parse(1, OrgId::parse)?,
        })
    }
}

/// Orgs whose people were last gone through before this.
pub async fn list_due(db: &Db, before_ms: i64, limit: i64) -> Result<Vec<DueOrg>, DbError> {
    db.list_heavy(&DUE, params![before_ms, limit]).await
}

/// Somebody without an active link.
#[derive(Debug, Clone)]
pub struct Archived {
    /// When they were last linked, and their row: the order of the list.
    pub place: (i64, i64),
    /// Who.
    pub discord_id: String,
    /// They are found on a Server with an account that is theirs no more.
    pub is_misplaced: bool,
}

impl FromRow for Archived {
    const COLUMNS: &'static str = "p.linked_at, p.num, p.discord_id";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            place: (row.int(0)?, row.int(1)?),
            discord_id: row.text(2)?,
            is_misplaced: row.flag(3)?,
        })
    }
}

/// People without an active link, after this place.
pub async fn list_archived(
    db: &Db,
    scope: OrgScope,
    after: (i64, i64),
    limit: i64,
) -> Result<Vec<Archived>, DbError> {
    let (linked_at, num) = after;
    db.list_heavy(&ARCHIVED, params![scope.num(), linked_at, num, limit])
        .await
}

/// Notes that everybody was gone through. Under the Org's lock.
pub async fn note(tx: &mut Tx<'_>, scope: OrgScope, now_ms: i64) -> Result<(), DbError> {
    tx.execute_one(&SWEPT, params![scope.num(), now_ms]).await
}

/// Whether everybody has a row. After an upgrade it takes a while until they do.
pub async fn is_ready(db: &Db, scope: OrgScope) -> Result<bool, DbError> {
    let swept_at: Option<i64> = db.find(&IS_READY, params![scope.num()]).await?;
    Ok(swept_at.is_some_and(|at_ms| at_ms > 0))
}
