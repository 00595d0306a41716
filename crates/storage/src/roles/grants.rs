//! Roles that plugins gave.

use domain::platform_id::{DiscordId, SteamId};

use crate::columns::json_list;
use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row, Tx};
use crate::params;
use crate::scope::{GuildNum, KeyNum, OrgScope, ServerNum};

statements! {
    MEMBERS = "
        SELECT l.discord_id
        FROM json_each($3) asked
        CROSS JOIN links l ON l.guild_num = $2 AND l.org_num = $1 AND l.steam_id = asked.value AND l.ended_at IS NULL
        ORDER BY l.discord_id" postgres "
        SELECT l.discord_id
        FROM links l
        WHERE l.guild_num = $2 AND l.org_num = $1 AND l.ended_at IS NULL
          AND l.steam_id = ANY (ARRAY(SELECT value COLLATE \"C\" FROM jsonb_array_elements_text(CAST(CAST($3 AS TEXT) AS JSONB)) value))
        ORDER BY l.discord_id";
    GIVE = "
        INSERT INTO role_grants (guild_num, org_num, discord_id, role_id, server_num, key_num, granted_at)
        SELECT CAST($2 AS BIGINT), CAST($1 AS BIGINT), asked.value, CAST($4 AS TEXT), CAST($5 AS BIGINT),
               CAST($6 AS BIGINT), CAST($7 AS BIGINT)
        FROM json_each($3) asked
        WHERE TRUE
        ON CONFLICT (guild_num, discord_id, role_id, server_num, key_num) DO NOTHING" postgres "
        INSERT INTO role_grants (guild_num, org_num, discord_id, role_id, server_num, key_num, granted_at)
        SELECT CAST($2 AS BIGINT), CAST($1 AS BIGINT), asked.value, CAST($4 AS TEXT), CAST($5 AS BIGINT),
               CAST($6 AS BIGINT), CAST($7 AS BIGINT)
        FROM jsonb_array_elements_text(CAST(CAST($3 AS TEXT) AS JSONB)) AS asked (value)
        ON CONFLICT (guild_num, discord_id, role_id, server_num, key_num) DO NOTHING";
    /// A grant that is taken back stays as an empty one, so that the next look knows of it.
    TAKE = "
        UPDATE role_grants
        SET granted_at = 0
        WHERE guild_num = $2 AND org_num = $1 AND role_id = $4 AND server_num = $5 AND key_num = $6
          AND discord_id IN (SELECT value FROM json_each($3))" postgres "
        UPDATE role_grants
        SET granted_at = 0
        WHERE guild_num = $2 AND org_num = $1 AND role_id = $4 AND server_num = $5 AND key_num = $6
          AND discord_id = ANY (ARRAY(SELECT value COLLATE \"C\" FROM jsonb_array_elements_text(CAST(CAST($3 AS TEXT) AS JSONB)) value))";
    REVIVE = "
        UPDATE role_grants
        SET granted_at = $7
        WHERE guild_num = $2 AND org_num = $1 AND role_id = $4 AND server_num = $5 AND key_num = $6 AND granted_at = 0
          AND discord_id IN (SELECT value FROM json_each($3))" postgres "
        UPDATE role_grants
        SET granted_at = $7
        WHERE guild_num = $2 AND org_num = $1 AND role_id = $4 AND server_num = $5 AND key_num = $6 AND granted_at = 0
          AND discord_id = ANY (ARRAY(SELECT value COLLATE \"C\" FROM jsonb_array_elements_text(CAST(CAST($3 AS TEXT) AS JSONB)) value))";
    /// A grant ends with the Server or the key that made it.
    OF_MEMBER: Grant = "
        SELECT {columns}
        FROM role_grants g
        WHERE g.guild_num = $1 AND g.discord_id = $2
        ORDER BY g.role_id, g.server_num, g.key_num
        LIMIT 1000";
    OF_GRANTOR = "
        SELECT CAST(1 AS BIGINT)
        FROM role_grants
        WHERE guild_num = $2 AND org_num = $1 AND server_num = $3 AND key_num = $4
        LIMIT 1";
    FORGET_ENDED = "
        DELETE FROM role_grants
        WHERE guild_num = $1 AND discord_id = $2 AND role_id = $3 AND server_num = $4 AND key_num = $5 AND granted_at = $6";
    END_OF_LINK = "
        DELETE FROM role_grants
        WHERE guild_num = $2 AND org_num = $1 AND discord_id = $3";
    FORGET = "
        DELETE FROM role_grants
        WHERE guild_num = $2 AND org_num = $1
          AND discord_id IN (SELECT discord_id FROM role_grants WHERE guild_num = $2 ORDER BY discord_id LIMIT $3)";
}

/// Who gave a role: a Server, or a key that records none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grantor {
    /// By its own keys.
    Server(ServerNum),
    /// Of the whole Guild.
    Key(KeyNum),
}

impl Grantor {
    fn nums(self) -> (i64, i64) {
        match self {
            Self::Server(server) => (server.0, 0),
            Self::Key(key) => (0, key.0),
        }
    }
}

/// A role that a plugin gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// Which.
    pub role: DiscordId,
    /// Who did.
    pub grantor: Grantor,
    /// Taken back, or its grantor is gone.
    pub ended: bool,
    granted_at_ms: i64,
}

impl FromRow for Grant {
    const COLUMNS: &'static str = "g.role_id, g.server_num, g.key_num, g.granted_at, \
        CAST(CASE WHEN g.granted_at > 0 AND (EXISTS (SELECT 1 FROM servers s WHERE s.num = g.server_num AND s.removed_at IS NULL) \
        OR EXISTS (SELECT 1 FROM api_keys k WHERE k.num = g.key_num AND k.revoked_at IS NULL)) THEN 0 ELSE 1 END AS BIGINT)";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            role: row.parse(0, DiscordId::parse)?,
            grantor: match row.int(1)? {
                0 => Grantor::Key(KeyNum(row.int(2)?)),
                server => Grantor::Server(ServerNum(server)),
            },
            granted_at_ms: row.int(3)?,
            ended: row.flag(4)?,
        })
    }
}

/// The linked ones among these players, by their Discord ids.
pub async fn list_members(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: GuildNum,
    players: &[SteamId],
) -> Result<Vec<DiscordId>, DbError> {
    let list = json_list(players.iter().map(SteamId::as_str));
    let found: Vec<String> = tx.list(&MEMBERS, params![scope.num(), guild, &list]).await?;
    let parsed = found.iter().map(|id| DiscordId::parse(id));
    let parsed: Result<Vec<DiscordId>, _> = parsed.collect();
    parsed.map_err(|error| DbError::Bug(format!("a Discord id: {error}")))
}

/// What somebody gives or takes back.
#[derive(Debug, Clone, Copy)]
pub struct Granting<'a> {
    /// To whom.
    pub members: &'a [DiscordId],
    /// One that plugins may give.
    pub role: &'a DiscordId,
    /// By whom.
    pub grantor: Grantor,
}

/// Gives a role.
pub async fn give(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: GuildNum,
    granting: Granting<'_>,
    now_ms: i64,
) -> Result<(), DbError> {
    let list = json_list(granting.members.iter().map(DiscordId::as_str));
    let (role, (server, key)) = (granting.role.as_str(), granting.grantor.nums());
    let values = params![scope.num(), guild, &list, role, server, key, now_ms];
    tx.execute(&REVIVE, values).await?;
    let values = params![scope.num(), guild, &list, role, server, key, now_ms];
    tx.execute(&GIVE, values).await.map(drop)
}

/// Takes back what the same grantor gave, and nothing else.
pub async fn take(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: GuildNum,
    granting: Granting<'_>,
) -> Result<(), DbError> {
    let list = json_list(granting.members.iter().map(DiscordId::as_str));
    let (server, key) = granting.grantor.nums();
    let values = params![scope.num(), guild, &list, granting.role.as_str(), server, key];
    tx.execute(&TAKE, values).await.map(drop)
}

/// What plugins gave somebody, ended or not.
pub async fn list(db: &Db, guild: GuildNum, member: &DiscordId) -> Result<Vec<Grant>, DbError> {
    db.list(&OF_MEMBER, params![guild, member.as_str()]).await
}

/// Whether somebody has a role by this grantor.
pub async fn is_any(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: GuildNum,
    grantor: Grantor,
) -> Result<bool, DbError> {
    let (server, key) = grantor.nums();
    let found: Option<i64> = tx
        .find(&OF_GRANTOR, params![scope.num(), guild, server, key])
        .await?;
    Ok(found.is_some())
}

/// Forgets one that ended, unless it was given again meanwhile.
pub async fn forget(
    tx: &mut Tx<'_>,
    guild: GuildNum,
    member: &DiscordId,
    grant: &Grant,
) -> Result<(), DbError> {
    let (server, key) = grant.grantor.nums();
    let (role, at_ms) = (grant.role.as_str(), grant.granted_at_ms);
    let values = params![guild, member.as_str(), role, server, key, at_ms];
    tx.execute(&FORGET_ENDED, values).await.map(drop)
}

/// Grants end with the link.
pub async fn end_of_link(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: GuildNum,
    member: &DiscordId,
) -> Result<(), DbError> {
    tx.execute(&END_OF_LINK, params![scope.num(), guild, member.as_str()])
        .await
        .map(drop)
}

/// Forgets up to `limit` grants of a removed Guild.
pub async fn forget_slice(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: GuildNum,
    limit: i64,
) -> Result<u64, DbError> {
    tx.execute(&FORGET, params![scope.num(), guild, limit]).await
}
