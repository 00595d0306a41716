//! Group changes that wait for a game server to fetch them.

use domain::platform_id::SteamId;

use crate::columns::json_list;
use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row, Tx};
use crate::params;
use crate::scope::{GuildNum, OrgScope, ServerNum, Whose};

statements! {
    PUT = "
        INSERT INTO group_changes (server_num, guild_num, org_num, steam_id, group_name, action, created_at)
        VALUES ($3, $2, $1, $4, $5, $6, $7)
        ON CONFLICT (server_num, steam_id, group_name)
        DO UPDATE SET action = excluded.action, created_at = excluded.created_at";
    COUNT = "
        SELECT CAST(COUNT(*) AS BIGINT)
        FROM group_changes
        WHERE server_num = $1 AND steam_id = $2";
    LIST: GroupChange = "
        SELECT {columns}
        FROM json_each($2) asked
        CROSS JOIN group_changes c ON c.server_num = $1 AND c.steam_id = asked.value
        ORDER BY c.steam_id, c.created_at, c.group_name" postgres "
        SELECT {columns}
        FROM group_changes c
        WHERE c.server_num = $1
          AND c.steam_id = ANY (ARRAY(SELECT value COLLATE \"C\" FROM jsonb_array_elements_text(CAST(CAST($2 AS TEXT) AS JSONB)) value))
        ORDER BY c.steam_id, c.created_at, c.group_name";
    CLEAR = "
        DELETE FROM group_changes
        WHERE server_num = $1 AND steam_id IN (SELECT value FROM json_each($2))" postgres "
        DELETE FROM group_changes
        WHERE server_num = $1
          AND steam_id = ANY (ARRAY(SELECT value COLLATE \"C\" FROM jsonb_array_elements_text(CAST(CAST($2 AS TEXT) AS JSONB)) value))";
}

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

/// Merges one change; a newer one for the same group replaces it.
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
    tx.execute_one(&PUT, values).await
}

/// For the bound on what waits for one player.
pub async fn count(tx: &mut Tx<'_>, server: ServerNum, steam_id: &SteamId) -> Result<i64, DbError> {
    tx.get(&COUNT, params![server, steam_id.as_str()]).await
}

/// What waits for these players.
pub async fn list(db: &Db, server: ServerNum, asked: &[SteamId]) -> Result<Vec<GroupChange>, DbError> {
    let ids = json_list(asked.iter().map(SteamId::as_str));
    db.list_heavy(&LIST, params![server, &ids]).await
}

/// Removes what waits for these players.
pub async fn clear(tx: &mut Tx<'_>, server: ServerNum, asked: &[SteamId]) -> Result<(), DbError> {
    let ids = json_list(asked.iter().map(SteamId::as_str));
    tx.execute(&CLEAR, params![server, &ids]).await.map(drop)
}
