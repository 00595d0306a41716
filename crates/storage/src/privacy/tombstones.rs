//! What remains of erased accounts in an Org, and what becomes of it when they come back or when its time is over. Written
//! under the Org's lock.

use domain::erased::Tombstone;
use domain::platform_id::EitherId;

use crate::columns::json_list;
use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row, Tx};
use crate::params;
use crate::players::people::json_nums;
use crate::scope::OrgScope;

statements! {
    PUT = "
        INSERT INTO tombstones (org_num, tombstone, erased_at)
        VALUES ($1, $2, $3)
        ON CONFLICT (org_num, tombstone) DO UPDATE SET erased_at = excluded.erased_at, alias = NULL";
    /// Of those who did not come back.
    GONE = "
        SELECT t.tombstone
        FROM json_each($2) asked
        CROSS JOIN tombstones t ON t.org_num = $1 AND t.tombstone = asked.value
        WHERE t.alias IS NULL" postgres "
        SELECT t.tombstone
        FROM tombstones t
        WHERE t.org_num = $1 AND t.alias IS NULL
          AND t.tombstone = ANY (ARRAY(SELECT value COLLATE \"C\" FROM jsonb_array_elements_text(CAST(CAST($2 AS TEXT) AS JSONB)) value))";
    COME_BACK = "
        UPDATE tombstones
        SET alias = $3
        WHERE org_num = $1 AND tombstone = $2";
    /// What is to be taken back in the game waits for the account itself again.
    CHANGES_BACK = "
        UPDATE group_changes
        SET steam_id = $3
        WHERE org_num = $1 AND steam_id = $2 AND server_num IN (SELECT num FROM servers WHERE org_num = $1)
          AND NOT EXISTS (SELECT 1 FROM group_changes c
                          WHERE c.server_num = group_changes.server_num AND c.steam_id = $3 AND c.group_name = group_changes.group_name)";
    FORGET_CHANGES = "
        DELETE FROM group_changes
        WHERE org_num = $1 AND steam_id = $2 AND server_num IN (SELECT num FROM servers WHERE org_num = $1)";
    ALIASES: Alias = "
        SELECT {columns}
        FROM tombstones
        WHERE org_num = $1 AND alias > $2
        ORDER BY alias
        LIMIT $3";
    DUE: DueTombstone = "
        SELECT {columns}
        FROM tombstones
        WHERE erased_at <= $1 AND org_num NOT IN (SELECT CAST(value AS BIGINT) FROM json_each($2))
        ORDER BY erased_at
        LIMIT $3" postgres "
        SELECT {columns}
        FROM tombstones
        WHERE erased_at <= $1
          AND org_num <> ALL (ARRAY(SELECT CAST(value AS BIGINT) FROM jsonb_array_elements_text(CAST(CAST($2 AS TEXT) AS JSONB)) value))
        ORDER BY erased_at
        LIMIT $3";
    /// Each link then stands for itself: nobody can tell any more which of them were one person's.
    PART_DISCORD = "
        UPDATE links
        SET discord_id = 'x:' || id
        WHERE org_num = $1 AND discord_id = $2";
    PART_STEAM = "
        UPDATE links
        SET steam_id = 'x:' || id
        WHERE org_num = $1 AND steam_id = $2";
    /// Before the links, by which they are found.
    PART_PLACES = "
        UPDATE person_places
        SET steam_id = (SELECT 'x:' || l.id FROM links l WHERE l.num = person_places.link_num)
        WHERE steam_id = $2 AND person_num IN (
            SELECT p.num
            FROM links k
            JOIN people p ON p.org_num = $1 AND p.discord_id = k.discord_id
            WHERE k.org_num = $1 AND k.steam_id = $2)";
    DELETE = "
        DELETE FROM tombstones
        WHERE org_num = $1 AND tombstone = $2 AND erased_at <= $3";
}

/// Notes that an account was erased.
pub async fn put(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    tombstone: &Tombstone,
    now_ms: i64,
) -> Result<(), DbError> {
    tx.execute_one(&PUT, params![scope.num(), tombstone.as_str(), now_ms])
        .await
}

/// An account is linked that may have been erased before. True where it was.
pub async fn come_back(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    tombstone: &Tombstone,
    id: &EitherId,
) -> Result<bool, DbError> {
    let values = params![scope.num(), tombstone.as_str(), id.as_str()];
    if tx.execute(&COME_BACK, values).await? == 0 {
        return Ok(false);
    }
    if let EitherId::Steam(id) = id {
        let values = params![scope.num(), tombstone.as_str(), id.as_str()];
        tx.execute(&CHANGES_BACK, values).await?;
        forget_changes(tx, scope, tombstone.as_str()).await?;
    }
    Ok(true)
}

/// Those among these that were erased and did not come back.
pub async fn list_gone<'a>(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    asked: impl Iterator<Item = &'a str>,
) -> Result<Vec<String>, DbError> {
    tx.list(&GONE, params![scope.num(), &json_list(asked)]).await
}

async fn forget_changes(tx: &mut Tx<'_>, scope: OrgScope, tombstone: &str) -> Result<(), DbError> {
    tx.execute(&FORGET_CHANGES, params![scope.num(), tombstone])
        .await
        .map(drop)
}

/// An account that came back, and what had remained of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alias {
    /// The account.
    pub id: String,
    /// Where it stands in links of before.
    pub tombstone: String,
}

impl FromRow for Alias {
    const COLUMNS: &'static str = "alias, tombstone";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            id: row.text(0)?,
            tombstone: row.text(1)?,
        })
    }
}

/// Those of an Org who came back, in the order of their ids.
pub async fn list_aliases(db: &Db, scope: OrgScope, after: &str, limit: i64) -> Result<Vec<Alias>, DbError> {
    db.list_heavy(&ALIASES, params![scope.num(), after, limit]).await
}

/// One whose time is over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueTombstone {
    /// Where it stands.
    pub scope: OrgScope,
    /// What is forgotten.
    pub tombstone: String,
}

impl FromRow for DueTombstone {
    const COLUMNS: &'static str = "org_num, tombstone";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            scope: OrgScope::new(row.int(0)?),
            tombstone: row.text(1)?,
        })
    }
}

/// Those that are older than this, the oldest first, but for those of some Orgs.
pub async fn list_due(
    db: &Db,
    erased_before_ms: i64,
    without: &[OrgScope],
    limit: i64,
) -> Result<Vec<DueTombstone>, DbError> {
    let without = json_nums(without.iter().map(|scope| scope.num()));
    db.list_heavy(&DUE, params![erased_before_ms, &without, limit])
        .await
}

/// Forgets one for good, unless its account was erased again meanwhile.
pub async fn forget(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    tombstone: &str,
    erased_before_ms: i64,
) -> Result<(), DbError> {
    let values = params![scope.num(), tombstone, erased_before_ms];
    if tx.execute(&DELETE, values).await? == 0 {
        return Ok(());
    }
    for statement in [&PART_PLACES, &PART_DISCORD, &PART_STEAM] {
        tx.execute(statement, params![scope.num(), tombstone]).await?;
    }
    forget_changes(tx, scope, tombstone).await
}
