//! Group changes that wait for a game server to fetch them.

use domain::erased::Tombstone;
use domain::platform_id::SteamId;

use crate::columns::json_list;
use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row, Tx};
use crate::params;
use crate::scope::{GuildNum, OrgScope, ServerNum, Whose};

statements! {
    /// What a rule keeps in line is left to it.
    PUT = "
        INSERT INTO group_changes (server_num, guild_num, org_num, steam_id, group_name, action, created_at)
        SELECT CAST($3 AS BIGINT), CAST($2 AS BIGINT), CAST($1 AS BIGINT), CAST($4 AS TEXT), CAST($5 AS TEXT), CAST($6 AS TEXT),
               CAST($7 AS BIGINT)
        WHERE NOT EXISTS (SELECT 1 FROM role_mappings m WHERE m.server_num = $3 AND m.group_name = $5)
        ON CONFLICT (server_num, steam_id, group_name)
        DO UPDATE SET action = excluded.action, created_at = excluded.created_at, rule = NULL, taken_at = NULL";
    COUNT = "
        SELECT CAST(COUNT(*) AS BIGINT)
        FROM group_changes
        WHERE server_num = $1 AND steam_id = $2 AND taken_at IS NULL";
    /// What a rule asked for ends with the rule.
    LIST: GroupChange = "
        SELECT {columns}
        FROM json_each($2) asked
        CROSS JOIN group_changes c ON c.server_num = $1 AND c.steam_id = asked.value AND c.taken_at IS NULL
        WHERE (c.rule IS NULL OR c.rule = 'end' OR EXISTS (SELECT 1 FROM role_mappings m WHERE m.id = c.rule))
        ORDER BY c.steam_id, c.created_at, c.group_name" postgres "
        SELECT {columns}
        FROM group_changes c
        WHERE c.server_num = $1 AND c.taken_at IS NULL
          AND c.steam_id = ANY (ARRAY(SELECT value COLLATE \"C\" FROM jsonb_array_elements_text(CAST(CAST($2 AS TEXT) AS JSONB)) value))
          AND (c.rule IS NULL OR c.rule = 'end' OR EXISTS (SELECT 1 FROM role_mappings m WHERE m.id = c.rule))
        ORDER BY c.steam_id, c.created_at, c.group_name";
    /// Nobody waits to see what others asked for.
    CLEAR = "
        DELETE FROM group_changes
        WHERE server_num = $1 AND steam_id IN (SELECT value FROM json_each($2)) AND rule IS NULL" postgres "
        DELETE FROM group_changes
        WHERE server_num = $1 AND rule IS NULL
          AND steam_id = ANY (ARRAY(SELECT value COLLATE \"C\" FROM jsonb_array_elements_text(CAST(CAST($2 AS TEXT) AS JSONB)) value))";
    /// Nobody reports on those who were erased. What came a moment ago may have come after the plugin's look.
    FORGET: Forgotten = "
        DELETE FROM group_changes
        WHERE server_num = $1 AND steam_id IN (SELECT value FROM json_each($2)) AND created_at < $3
        RETURNING {columns}" postgres "
        DELETE FROM group_changes
        WHERE server_num = $1 AND created_at < $3
          AND steam_id = ANY (ARRAY(SELECT value COLLATE \"C\" FROM jsonb_array_elements_text(CAST(CAST($2 AS TEXT) AS JSONB)) value))
        RETURNING {columns}";
    TAKEN = "
        UPDATE group_changes
        SET taken_at = $3
        WHERE server_num = $1 AND steam_id IN (SELECT value FROM json_each($2)) AND taken_at IS NULL" postgres "
        UPDATE group_changes
        SET taken_at = $3
        WHERE server_num = $1 AND taken_at IS NULL
          AND steam_id = ANY (ARRAY(SELECT value COLLATE \"C\" FROM jsonb_array_elements_text(CAST(CAST($2 AS TEXT) AS JSONB)) value))";
}

/// Longer than a plugin takes from its look to its word that it took everything.
const FETCHED_MS: i64 = 2 * 60_000;

/// A change of one group for one player.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupChange {
    /// Whom the game server changes.
    pub steam_id: String,
    /// Of the game server's own permission groups.
    pub group: String,
    /// `add` or `remove`.
    pub action: String,
}

impl FromRow for GroupChange {
    const COLUMNS: &'static str = "c.steam_id, c.group_name, c.action";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            steam_id: row.text(0)?,
            group: row.text(1)?,
            action: row.text(2)?,
        })
    }
}

/// A change for somebody who was erased, which the plugin took.
#[derive(Debug, Clone)]
pub struct Forgotten {
    /// What remained of their id.
    pub tombstone: String,
    /// Of the game server's own permission groups.
    pub group: String,
}

impl FromRow for Forgotten {
    const COLUMNS: &'static str = "steam_id, group_name";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            tombstone: row.text(0)?,
            group: row.text(1)?,
        })
    }
}

/// The Server whose list it is.
#[derive(Debug, Clone, Copy)]
pub struct ServerPlace {
    /// Whose share of the write queue is used.
    pub scope: OrgScope,
    /// Whose links decide who is a player.
    pub guild: GuildNum,
    /// Looked up with the key, so it may be deleted by now: lock it first.
    pub server: ServerNum,
}

impl Whose for ServerPlace {
    fn org(&self) -> Option<OrgScope> {
        Some(self.scope)
    }
}

/// Merges one change; a newer one for the same group replaces it. One that a rule keeps in line is left out.
pub async fn put(
    tx: &mut Tx<'_>,
    place: ServerPlace,
    steam_id: &SteamId,
    group: &str,
    action: &str,
    now_ms: i64,
) -> Result<(), DbError> {
    let values = params![
        place.scope.num(),
        place.guild,
        place.server,
        steam_id.as_str(),
        group,
        action,
        now_ms
    ];
    tx.execute(&PUT, values).await.map(drop)
}

/// For the bound on what waits for one player.
pub async fn count(tx: &mut Tx<'_>, server: ServerNum, steam_id: &SteamId) -> Result<i64, DbError> {
    tx.get(&COUNT, params![server, steam_id.as_str()]).await
}

/// What waits for these players, or for what remained of them.
pub async fn list<'a>(
    db: &Db,
    server: ServerNum,
    asked: impl Iterator<Item = &'a str>,
) -> Result<Vec<GroupChange>, DbError> {
    db.list_heavy(&LIST, params![server, &json_list(asked)]).await
}

/// The plugin took what waits for these players. What we asked for is remembered until the game server shows it: a change
/// can come between the plugin's look and its word that it took everything. What it took of those who were erased is told.
pub async fn clear(
    tx: &mut Tx<'_>,
    server: ServerNum,
    asked: &[SteamId],
    erased: &[Tombstone],
    now_ms: i64,
) -> Result<Vec<Forgotten>, DbError> {
    let ids = json_list(asked.iter().map(SteamId::as_str));
    let gone = json_list(erased.iter().map(Tombstone::as_str));
    let forgotten = tx
        .list(&FORGET, params![server, &gone, now_ms - FETCHED_MS])
        .await?;
    tx.execute(&CLEAR, params![server, &ids]).await?;
    tx.execute(&TAKEN, params![server, &ids, now_ms]).await?;
    Ok(forgotten)
}
