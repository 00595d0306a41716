//! What one game server reported about a player, and what followed from it.

use domain::id::OrgId;
use domain::platform_id::{DiscordId, SteamId};

use crate::columns::json_list;
use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row, Tx};
use crate::params;
use crate::players::group_changes::ServerPlace;
use crate::scope::{GuildNum, OrgScope, ServerNum};

statements! {
    /// Groups of linked players only: what a Server stores is bounded by the links of its Guild.
    REPORT = "
        INSERT INTO server_players (server_num, guild_num, org_num, steam_id, oxide_groups, reported_at, roles_pending)
        SELECT CAST($3 AS BIGINT), l.guild_num, l.org_num, l.steam_id, report.value, CAST($5 AS BIGINT), 1
        FROM json_each($4) report
        CROSS JOIN links l ON l.guild_num = $2 AND l.org_num = $1 AND l.steam_id = report.key AND l.ended_at IS NULL
        WHERE TRUE
        ON CONFLICT (server_num, steam_id) DO UPDATE
        SET oxide_groups = excluded.oxide_groups, reported_at = excluded.reported_at,
            roles_pending = CASE WHEN COALESCE(server_players.oxide_groups, '') = excluded.oxide_groups
                                 THEN server_players.roles_pending ELSE 1 END" postgres "
        INSERT INTO server_players (server_num, guild_num, org_num, steam_id, oxide_groups, reported_at, roles_pending)
        SELECT CAST($3 AS BIGINT), l.guild_num, l.org_num, l.steam_id, report.value, CAST($5 AS BIGINT), 1
        FROM jsonb_each_text(CAST(CAST($4 AS TEXT) AS JSONB)) report
        JOIN links l ON l.guild_num = $2 AND l.org_num = $1 AND l.steam_id = report.key COLLATE \"C\" AND l.ended_at IS NULL
        ON CONFLICT (server_num, steam_id) DO UPDATE
        SET oxide_groups = excluded.oxide_groups, reported_at = excluded.reported_at,
            roles_pending = CASE WHEN COALESCE(server_players.oxide_groups, '') = excluded.oxide_groups
                                 THEN server_players.roles_pending ELSE 1 END";
    PENDING: PendingRoles = "
        SELECT {columns}
        FROM server_players p
        JOIN links l ON l.guild_num = p.guild_num AND l.steam_id = p.steam_id AND l.ended_at IS NULL
        WHERE p.server_num = $1 AND p.roles_pending = 1
          AND NOT EXISTS (SELECT 1 FROM role_mappings m WHERE m.server_num = $1)
        ORDER BY p.steam_id
        LIMIT $2";
    CONFIRM = "
        UPDATE server_players
        SET roles_synced = $3, roles_pending = 0
        WHERE server_num = $1 AND NOT EXISTS (SELECT 1 FROM role_mappings m WHERE m.server_num = $1)
          AND steam_id = (SELECT l.steam_id FROM links l WHERE l.guild_num = $2 AND l.discord_id = $4 AND l.ended_at IS NULL)";
    GROUPS = "
        SELECT oxide_groups
        FROM server_players
        WHERE server_num = $1 AND steam_id = $2 AND oxide_groups IS NOT NULL";
    LIST_GROUPS: ReportedGroups = "
        SELECT {columns}
        FROM json_each($2) asked
        CROSS JOIN server_players p ON p.server_num = $1 AND p.steam_id = asked.value
        WHERE p.oxide_groups IS NOT NULL" postgres "
        SELECT {columns}
        FROM server_players p
        WHERE p.server_num = $1 AND p.oxide_groups IS NOT NULL
          AND p.steam_id = ANY (ARRAY(SELECT value COLLATE \"C\" FROM jsonb_array_elements_text(CAST(CAST($2 AS TEXT) AS JSONB)) value))";
    SEEN_AGAIN = "
        UPDATE server_players
        SET seen_at = $3
        WHERE server_num = $1 AND steam_id = $2";
    WHOSE: WhoseServer = "
        SELECT {columns}
        FROM servers s
        JOIN orgs o ON o.num = s.org_num
        WHERE s.num = $1 AND s.removed_at IS NULL";
    SEEN = "
        INSERT INTO server_players (server_num, guild_num, org_num, steam_id, seen_at)
        SELECT s.num, s.guild_num, s.org_num, l.steam_id, CAST($3 AS BIGINT)
        FROM servers s
        CROSS JOIN links l ON l.guild_num = s.guild_num AND l.steam_id = $2 AND l.ended_at IS NULL
        WHERE s.num = $1 AND s.removed_at IS NULL
        ON CONFLICT (server_num, steam_id) DO UPDATE
        SET seen_at = excluded.seen_at" postgres "
        INSERT INTO server_players (server_num, guild_num, org_num, steam_id, seen_at)
        SELECT s.num, s.guild_num, s.org_num, l.steam_id, CAST($3 AS BIGINT)
        FROM servers s
        JOIN links l ON l.guild_num = s.guild_num AND l.steam_id = $2 AND l.ended_at IS NULL
        WHERE s.num = $1 AND s.removed_at IS NULL
        ON CONFLICT (server_num, steam_id) DO UPDATE
        SET seen_at = excluded.seen_at";
    LAST_SEEN = "
        SELECT seen_at
        FROM server_players
        WHERE server_num = $1 AND steam_id = $2 AND seen_at IS NOT NULL";
}

/// A player whose roles are to follow their groups.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingRoles {
    /// By the player's link, so nobody who is not linked is in the list.
    pub discord_id: String,
    /// As the game server reported it.
    pub steam_id: String,
    /// JSON arrays, as they were reported and confirmed.
    pub oxide_groups: String,
    /// What the bot confirmed last; a JSON array.
    pub roles_synced: Option<String>,
}

impl FromRow for PendingRoles {
    const COLUMNS: &'static str = "l.discord_id, p.steam_id, p.oxide_groups, p.roles_synced";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            discord_id: row.text(0)?,
            steam_id: row.text(1)?,
            oxide_groups: row.text(2)?,
            roles_synced: row.opt_text(3)?,
        })
    }
}

/// Stores reported groups. `report` is a JSON object from Steam id to the text of a JSON array.
/// Returns how many of the players are linked and were stored.
pub async fn report(tx: &mut Tx<'_>, place: ServerPlace, report: &str, now_ms: i64) -> Result<u64, DbError> {
    let values = params![place.scope.num(), place.guild, place.server, report, now_ms];
    tx.execute(&REPORT, values).await
}

/// Players whose groups changed since the bot confirmed their roles. Where a Server has rules, they do the work.
pub async fn list_pending(db: &Db, server: ServerNum, limit: i64) -> Result<Vec<PendingRoles>, DbError> {
    db.list_heavy(&PENDING, params![server, limit]).await
}

/// Notes the roles that a player now has because of their groups.
pub async fn confirm(
    tx: &mut Tx<'_>,
    server: ServerNum,
    guild: GuildNum,
    discord_id: &DiscordId,
    synced: &str,
) -> Result<(), DbError> {
    tx.execute(&CONFIRM, params![server, guild, synced, discord_id.as_str()])
        .await
        .map(drop)
}

/// The groups last reported for a player, as a JSON array.
pub async fn find_groups(db: &Db, server: ServerNum, steam_id: &SteamId) -> Result<Option<String>, DbError> {
    db.find(&GROUPS, params![server, steam_id.as_str()]).await
}

/// The groups last reported for a player, as a JSON array.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportedGroups {
    /// As it was asked for.
    pub steam_id: String,
    /// A JSON array, as reported last.
    pub groups: String,
}

impl FromRow for ReportedGroups {
    const COLUMNS: &'static str = "p.steam_id, p.oxide_groups";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            steam_id: row.text(0)?,
            groups: row.text(1)?,
        })
    }
}

/// The groups last reported for each of these players; who never was is left out.
pub async fn list_groups(
    db: &Db,
    server: ServerNum,
    players: &[&SteamId],
) -> Result<Vec<ReportedGroups>, DbError> {
    let list = json_list(players.iter().map(|id| id.as_str()));
    db.list_heavy(&LIST_GROUPS, params![server, &list]).await
}

/// Notes that a player was on the Server, and tells whether that is the first time. A Server deleted meanwhile is no error.
pub async fn mark_seen(
    tx: &mut Tx<'_>,
    server: ServerNum,
    steam_id: &str,
    seen_at_ms: i64,
) -> Result<bool, DbError> {
    let values = params![server, steam_id, seen_at_ms];
    if tx.execute(&SEEN_AGAIN, values).await? > 0 {
        return Ok(false);
    }
    Ok(tx.execute(&SEEN, values).await? > 0)
}

/// Whose a Server is.
#[derive(Debug, Clone)]
pub struct WhoseServer {
    /// The Org's.
    pub scope: OrgScope,
    /// The same by its id.
    pub org: OrgId,
}

impl FromRow for WhoseServer {
    const COLUMNS: &'static str = "s.org_num, o.id";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            scope: OrgScope::new(row.int(0)?),
            org: row.parse(1, OrgId::parse)?,
        })
    }
}

/// Whose a Server is; nothing when it is gone.
pub async fn find_whose(db: &Db, server: ServerNum) -> Result<Option<WhoseServer>, DbError> {
    db.find(&WHOSE, params![server]).await
}

/// When the player was last on the Server, as far as that is written down yet.
pub async fn find_last_seen(db: &Db, server: ServerNum, steam_id: &SteamId) -> Result<Option<i64>, DbError> {
    db.find(&LAST_SEEN, params![server, steam_id.as_str()]).await
}
