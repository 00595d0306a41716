//! Roles and channels of Guilds as they were last read. One that is gone keeps its name.

use domain::platform_id::DiscordId;
use serde::Serialize;

use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row, Tx};
use crate::params;
use crate::scope::{GuildNum, OrgScope};

statements! {
    PUT_ROLES = "
        INSERT INTO discord_roles (guild_num, org_num, id, name, position, colour, reason, powerful, gone_at)
        SELECT CAST($2 AS BIGINT), CAST($1 AS BIGINT), r.value ->> 'id', r.value ->> 'name', r.value ->> 'position',
               r.value ->> 'colour', r.value ->> 'reason', r.value ->> 'powerful', NULL
        FROM json_each($3) r
        WHERE TRUE
        ON CONFLICT (guild_num, id) DO UPDATE SET
            name = excluded.name, position = excluded.position, colour = excluded.colour, reason = excluded.reason,
            powerful = excluded.powerful, gone_at = NULL
        WHERE discord_roles.name <> excluded.name OR discord_roles.position <> excluded.position
           OR discord_roles.colour <> excluded.colour OR discord_roles.reason IS DISTINCT FROM excluded.reason
           OR discord_roles.powerful <> excluded.powerful OR discord_roles.gone_at IS NOT NULL" postgres "
        INSERT INTO discord_roles (guild_num, org_num, id, name, position, colour, reason, powerful, gone_at)
        SELECT CAST($2 AS BIGINT), CAST($1 AS BIGINT), r ->> 'id', r ->> 'name', CAST(r ->> 'position' AS BIGINT),
               CAST(r ->> 'colour' AS BIGINT), r ->> 'reason', CASE WHEN r ->> 'powerful' = 'true' THEN 1 ELSE 0 END, NULL
        FROM jsonb_array_elements(CAST(CAST($3 AS TEXT) AS JSONB)) r
        ON CONFLICT (guild_num, id) DO UPDATE SET
            name = excluded.name, position = excluded.position, colour = excluded.colour, reason = excluded.reason,
            powerful = excluded.powerful, gone_at = NULL
        WHERE discord_roles.name <> excluded.name OR discord_roles.position <> excluded.position
           OR discord_roles.colour <> excluded.colour OR discord_roles.reason IS DISTINCT FROM excluded.reason
           OR discord_roles.powerful <> excluded.powerful OR discord_roles.gone_at IS NOT NULL";
    PUT_CHANNELS = "
        INSERT INTO discord_channels (guild_num, org_num, id, name, position, kind, parent_id, reason, gone_at)
        SELECT CAST($2 AS BIGINT), CAST($1 AS BIGINT), c.value ->> 'id', c.value ->> 'name', c.value ->> 'position',
               c.value ->> 'kind', c.value ->> 'parent_id', c.value ->> 'reason', NULL
        FROM json_each($3) c
        WHERE TRUE
        ON CONFLICT (guild_num, id) DO UPDATE SET
            name = excluded.name, position = excluded.position, kind = excluded.kind, parent_id = excluded.parent_id,
            reason = excluded.reason, gone_at = NULL
        WHERE discord_channels.name <> excluded.name OR discord_channels.position <> excluded.position
           OR discord_channels.kind <> excluded.kind OR discord_channels.parent_id IS DISTINCT FROM excluded.parent_id
           OR discord_channels.reason IS DISTINCT FROM excluded.reason OR discord_channels.gone_at IS NOT NULL" postgres "
        INSERT INTO discord_channels (guild_num, org_num, id, name, position, kind, parent_id, reason, gone_at)
        SELECT CAST($2 AS BIGINT), CAST($1 AS BIGINT), c ->> 'id', c ->> 'name', CAST(c ->> 'position' AS BIGINT),
               CAST(c ->> 'kind' AS BIGINT), c ->> 'parent_id', c ->> 'reason', NULL
        FROM jsonb_array_elements(CAST(CAST($3 AS TEXT) AS JSONB)) c
        ON CONFLICT (guild_num, id) DO UPDATE SET
            name = excluded.name, position = excluded.position, kind = excluded.kind, parent_id = excluded.parent_id,
            reason = excluded.reason, gone_at = NULL
        WHERE discord_channels.name <> excluded.name OR discord_channels.position <> excluded.position
           OR discord_channels.kind <> excluded.kind OR discord_channels.parent_id IS DISTINCT FROM excluded.parent_id
           OR discord_channels.reason IS DISTINCT FROM excluded.reason OR discord_channels.gone_at IS NOT NULL";
    GONE_ROLES = "
        UPDATE discord_roles
        SET gone_at = $4
        WHERE guild_num = $2 AND org_num = $1 AND gone_at IS NULL
          AND id NOT IN (SELECT r.value ->> 'id' FROM json_each($3) r)" postgres "
        UPDATE discord_roles
        SET gone_at = $4
        WHERE guild_num = $2 AND org_num = $1 AND gone_at IS NULL
          AND id NOT IN (SELECT r ->> 'id' FROM jsonb_array_elements(CAST(CAST($3 AS TEXT) AS JSONB)) r)";
    GONE_CHANNELS = "
        UPDATE discord_channels
        SET gone_at = $4
        WHERE guild_num = $2 AND org_num = $1 AND gone_at IS NULL
          AND id NOT IN (SELECT c.value ->> 'id' FROM json_each($3) c)" postgres "
        UPDATE discord_channels
        SET gone_at = $4
        WHERE guild_num = $2 AND org_num = $1 AND gone_at IS NULL
          AND id NOT IN (SELECT c ->> 'id' FROM jsonb_array_elements(CAST(CAST($3 AS TEXT) AS JSONB)) c)";
    ROLES: Role = "
        SELECT {columns}
        FROM discord_roles
        WHERE guild_num = $2 AND org_num = $1
        ORDER BY CASE WHEN gone_at IS NULL THEN 0 ELSE 1 END, position DESC, id
        LIMIT 2000";
    CHANNELS: Channel = "
        SELECT {columns}
        FROM discord_channels
        WHERE guild_num = $2 AND org_num = $1
        ORDER BY CASE WHEN gone_at IS NULL THEN 0 ELSE 1 END, position, id
        LIMIT 2000";
    IS_CHANNEL = "
        SELECT id
        FROM discord_channels
        WHERE guild_num = $2 AND id = $3 AND org_num = $1 AND gone_at IS NULL";
    FORGET_GONE_ROLES = "
        DELETE FROM discord_roles
        WHERE guild_num = $2 AND org_num = $1 AND gone_at IS NOT NULL
          AND id NOT IN (
            SELECT id FROM discord_roles
            WHERE guild_num = $2 AND gone_at IS NOT NULL
            ORDER BY gone_at DESC, id LIMIT $3)";
    FORGET_GONE_CHANNELS = "
        DELETE FROM discord_channels
        WHERE guild_num = $2 AND org_num = $1 AND gone_at IS NOT NULL
          AND id NOT IN (
            SELECT id FROM discord_channels
            WHERE guild_num = $2 AND gone_at IS NOT NULL
            ORDER BY gone_at DESC, id LIMIT $3)";
    FORGET_ROLES = "
        DELETE FROM discord_roles
        WHERE guild_num = $2 AND org_num = $1
          AND id IN (SELECT id FROM discord_roles WHERE guild_num = $2 ORDER BY id LIMIT $3)";
    FORGET_CHANNELS = "
        DELETE FROM discord_channels
        WHERE guild_num = $2 AND org_num = $1
          AND id IN (SELECT id FROM discord_channels WHERE guild_num = $2 ORDER BY id LIMIT $3)";
}

/// A role of a Discord server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Role {
    /// Discord's.
    pub id: DiscordId,
    /// The last one that was read.
    pub name: String,
    /// Higher ones stand above lower ones.
    pub position: i64,
    /// 0 is none.
    pub colour: i64,
    /// Why the bot cannot give it; none when it can.
    pub reason: Option<String>,
    /// Whoever has it can administer the Discord server.
    pub powerful: bool,
    /// When it was first missed.
    pub gone_at: Option<i64>,
}

impl FromRow for Role {
    const COLUMNS: &'static str = "id, name, position, colour, reason, gone_at, powerful";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            id: row.parse(0, DiscordId::parse)?,
            name: row.text(1)?,
            position: row.int(2)?,
            colour: row.int(3)?,
            reason: row.opt_text(4)?,
            gone_at: row.opt_int(5)?,
            powerful: row.flag(6)?,
        })
    }
}

/// A channel of a Discord server, or a category of channels.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Channel {
    /// Discord's.
    pub id: DiscordId,
    /// The last one that was read.
    pub name: String,
    /// Within its category.
    pub position: i64,
    /// Discord's number for the kind of channel.
    pub kind: i64,
    /// The category that it stands in.
    pub parent_id: Option<DiscordId>,
    /// Why the bot cannot post in it; none when it can.
    pub reason: Option<String>,
    /// When it was first missed.
    pub gone_at: Option<i64>,
}

impl FromRow for Channel {
    const COLUMNS: &'static str = "id, name, position, kind, parent_id, reason, gone_at";

    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        let parent = row.opt_text(4)?;
        Ok(Self {
            id: row.parse(0, DiscordId::parse)?,
            name: row.text(1)?,
            position: row.int(2)?,
            kind: row.int(3)?,
            parent_id: parent.and_then(|id| DiscordId::parse(&id).ok()),
            reason: row.opt_text(5)?,
            gone_at: row.opt_int(6)?,
        })
    }
}

/// Names of so many roles and of so many channels are kept that are gone, those that went last.
const MOST_GONE: i64 = 200;

/// Writes down all roles that there are, in a unit that has locked the Guild. Those that are missing are gone. Tells how
/// many are other than before.
pub async fn set_roles(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: GuildNum,
    roles: &[Role],
    now_ms: i64,
) -> Result<u64, DbError> {
    let list = json(roles)?;
    let put = tx.execute(&PUT_ROLES, params![scope.num(), guild, &list]).await?;
    let gone = tx
        .execute(&GONE_ROLES, params![scope.num(), guild, &list, now_ms])
        .await?;
    if gone > 0 {
        let values = params![scope.num(), guild, MOST_GONE];
        tx.execute(&FORGET_GONE_ROLES, values).await?;
    }
    Ok(put + gone)
}

/// The same for channels.
pub async fn set_channels(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: GuildNum,
    channels: &[Channel],
    now_ms: i64,
) -> Result<u64, DbError> {
    let list = json(channels)?;
    let put = tx
        .execute(&PUT_CHANNELS, params![scope.num(), guild, &list])
        .await?;
    let gone = tx
        .execute(&GONE_CHANNELS, params![scope.num(), guild, &list, now_ms])
        .await?;
    if gone > 0 {
        let values = params![scope.num(), guild, MOST_GONE];
        tx.execute(&FORGET_GONE_CHANNELS, values).await?;
    }
    Ok(put + gone)
}

fn json<T: Serialize>(list: &[T]) -> Result<String, DbError> {
    serde_json::to_string(list).map_err(|error| DbError::Bug(error.to_string()))
}

/// Roles that are there, the highest first, and then those that are gone.
pub async fn list_roles(db: &Db, scope: OrgScope, guild: GuildNum) -> Result<Vec<Role>, DbError> {
    db.list_heavy(&ROLES, params![scope.num(), guild]).await
}

/// The same inside a unit of work.
pub async fn list_roles_in(tx: &mut Tx<'_>, scope: OrgScope, guild: GuildNum) -> Result<Vec<Role>, DbError> {
    tx.list(&ROLES, params![scope.num(), guild]).await
}

/// Channels that are there, by position, and then those that are gone.
pub async fn list_channels(db: &Db, scope: OrgScope, guild: GuildNum) -> Result<Vec<Channel>, DbError> {
    db.list_heavy(&CHANNELS, params![scope.num(), guild]).await
}

/// Whether a channel was seen in the Guild's Discord server.
pub async fn is_channel(
    db: &Db,
    scope: OrgScope,
    guild: GuildNum,
    channel: &DiscordId,
) -> Result<bool, DbError> {
    let found: Option<String> = db
        .find(&IS_CHANNEL, params![scope.num(), guild, channel.as_str()])
        .await?;
    Ok(found.is_some())
}

/// Forgets up to `limit` rows of a removed Guild and tells how many they were.
pub async fn forget_slice(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: GuildNum,
    limit: i64,
) -> Result<u64, DbError> {
    let roles = tx
        .execute(&FORGET_ROLES, params![scope.num(), guild, limit])
        .await?;
    if roles > 0 {
        return Ok(roles);
    }
    tx.execute(&FORGET_CHANNELS, params![scope.num(), guild, limit])
        .await
}
