//! Role changes that plugins asked for or that follow from links, waiting for the bot.

use domain::platform_id::{DiscordId, SteamId};

use crate::columns::json_list;
use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row, Tx};
use crate::params;
use crate::scope::{GuildNum, OrgScope};

statements! {
    REQUEST = "
        INSERT INTO role_changes (guild_num, org_num, discord_id, role_id, mode, requested_at)
        SELECT l.guild_num, l.org_num, l.discord_id, $4, $5, CAST($6 AS BIGINT)
        FROM json_each($3) asked
        CROSS JOIN links l ON l.guild_num = $2 AND l.org_num = $1 AND l.steam_id = asked.value AND l.ended_at IS NULL
        WHERE TRUE
        ON CONFLICT (guild_num, discord_id, role_id)
        DO UPDATE SET mode = excluded.mode, requested_at = excluded.requested_at" postgres "
        INSERT INTO role_changes (guild_num, org_num, discord_id, role_id, mode, requested_at)
        SELECT l.guild_num, l.org_num, l.discord_id, CAST($4 AS TEXT), CAST($5 AS TEXT), CAST($6 AS BIGINT)
        FROM links l
        WHERE l.guild_num = $2 AND l.org_num = $1 AND l.ended_at IS NULL
          AND l.steam_id = ANY (ARRAY(SELECT value COLLATE \"C\" FROM jsonb_array_elements_text(CAST(CAST($3 AS TEXT) AS JSONB)) value))
        ON CONFLICT (guild_num, discord_id, role_id)
        DO UPDATE SET mode = excluded.mode, requested_at = excluded.requested_at";
    FOLLOW = "
        INSERT INTO role_changes (guild_num, org_num, discord_id, role_id, mode, requested_at)
        SELECT CAST($2 AS BIGINT), CAST($1 AS BIGINT), CAST($3 AS TEXT), role.value, CAST($5 AS TEXT), CAST($6 AS BIGINT)
        FROM json_each($4) role
        WHERE TRUE
        ON CONFLICT (guild_num, discord_id, role_id)
        DO UPDATE SET mode = excluded.mode, requested_at = excluded.requested_at" postgres "
        INSERT INTO role_changes (guild_num, org_num, discord_id, role_id, mode, requested_at)
        SELECT CAST($2 AS BIGINT), CAST($1 AS BIGINT), CAST($3 AS TEXT), role.value, CAST($5 AS TEXT), CAST($6 AS BIGINT)
        FROM jsonb_array_elements_text(CAST(CAST($4 AS TEXT) AS JSONB)) AS role (value)
        ON CONFLICT (guild_num, discord_id, role_id)
        DO UPDATE SET mode = excluded.mode, requested_at = excluded.requested_at";
    LIST: RoleChange = "
        SELECT {columns}
        FROM role_changes
        WHERE guild_num = $1
        ORDER BY requested_at, discord_id, role_id
        LIMIT $2";
}

/// A role that a member is to get or lose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoleChange {
    /// Who gets or loses it.
    pub discord_id: DiscordId,
    /// Discord's id.
    pub role_id: String,
    /// `add` or `remove`; the newer one for a role replaces the older.
    pub mode: String,
}

impl FromRow for RoleChange {
    const COLUMNS: &'static str = "discord_id, role_id, mode";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            discord_id: row.parse(0, DiscordId::parse)?,
            role_id: row.text(1)?,
            mode: row.text(2)?,
        })
    }
}

/// What is asked for.
pub struct RoleRequest<'a> {
    /// Those who are not linked are left out.
    pub players: &'a [SteamId],
    /// One that the Guild's settings allow, checked before.
    pub role_id: &'a DiscordId,
    /// `add` or `remove`.
    pub mode: &'a str,
    /// Wishes are fetched in this order.
    pub now_ms: i64,
}

/// Queues a role for the linked ones among these players and returns how many that were.
pub async fn request(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: GuildNum,
    request: &RoleRequest<'_>,
) -> Result<u64, DbError> {
    let players = json_list(request.players.iter().map(SteamId::as_str));
    let values = params![
        scope.num(),
        guild,
        &players,
        request.role_id.as_str(),
        request.mode,
        request.now_ms
    ];
    tx.execute(&REQUEST, values).await
}

/// Roles that one member gets or loses because of a link.
pub struct FollowingRoles<'a> {
    /// Whose link was made or ended.
    pub discord_id: &'a DiscordId,
    /// No role twice.
    pub roles: &'a [DiscordId],
    /// `add` or `remove`.
    pub mode: &'a str,
    /// Wishes are fetched in this order.
    pub now_ms: i64,
}

/// Queues the roles that follow from a link or its end. What waited for the same roles before is replaced.
pub async fn follow(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: GuildNum,
    following: &FollowingRoles<'_>,
) -> Result<(), DbError> {
    let roles = json_list(following.roles.iter().map(DiscordId::as_str));
    let values = params![
        scope.num(),
        guild,
        following.discord_id.as_str(),
        &roles,
        following.mode,
        following.now_ms
    ];
    tx.execute(&FOLLOW, values).await.map(drop)
}

/// What waits, oldest first.
pub async fn list(db: &Db, guild: GuildNum, limit: i64) -> Result<Vec<RoleChange>, DbError> {
    db.list_heavy(&LIST, params![guild, limit]).await
}
