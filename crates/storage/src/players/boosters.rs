//! Who boosts a Discord server. Kept by Discord id, because people boost before they link; the end of a link forgets it.

use domain::platform_id::DiscordId;

use crate::columns::json_list;
use crate::db::statement::statements;
use crate::db::{Db, DbError, Tx};
use crate::params;
use crate::scope::{GuildNum, OrgScope};

/// A Guild cannot be made to remember more than this.
pub const MOST: i64 = 10_000;

statements! {
    ADD = "
        INSERT INTO boosters (guild_num, org_num, discord_id, since)
        VALUES ($2, $1, $3, $4)
        ON CONFLICT (guild_num, discord_id) DO NOTHING";
    ADD_ALL = "
        INSERT INTO boosters (guild_num, org_num, discord_id, since)
        SELECT CAST($2 AS BIGINT), CAST($1 AS BIGINT), asked.value, CAST($4 AS BIGINT)
        FROM json_each($3) asked
        WHERE TRUE
        ON CONFLICT (guild_num, discord_id) DO NOTHING" postgres "
        INSERT INTO boosters (guild_num, org_num, discord_id, since)
        SELECT CAST($2 AS BIGINT), CAST($1 AS BIGINT), asked.value, CAST($4 AS BIGINT)
        FROM jsonb_array_elements_text(CAST(CAST($3 AS TEXT) AS JSONB)) AS asked (value)
        ON CONFLICT (guild_num, discord_id) DO NOTHING";
    REMOVE = "
        DELETE FROM boosters
        WHERE guild_num = $2 AND org_num = $1 AND discord_id = $3";
    REMOVE_SLICE = "
        DELETE FROM boosters
        WHERE guild_num = $2 AND org_num = $1
          AND discord_id IN (SELECT discord_id FROM boosters WHERE guild_num = $2 ORDER BY discord_id LIMIT $3)";
    COUNT = "
        SELECT CAST(COUNT(*) AS BIGINT)
        FROM boosters
        WHERE guild_num = $1";
    BOOSTS = "
        SELECT CAST(COUNT(*) AS BIGINT)
        FROM boosters
        WHERE guild_num = $2 AND org_num = $1 AND discord_id = $3";
    LIST = "
        SELECT b.discord_id
        FROM boosters b
        CROSS JOIN links l ON l.guild_num = b.guild_num AND l.discord_id = b.discord_id AND l.ended_at IS NULL
        WHERE b.guild_num = $1
        ORDER BY b.discord_id
        LIMIT $2" postgres "
        SELECT b.discord_id
        FROM boosters b
        JOIN links l ON l.guild_num = b.guild_num AND l.discord_id = b.discord_id AND l.ended_at IS NULL
        WHERE b.guild_num = $1
        ORDER BY b.discord_id
        LIMIT $2";
}

/// Notes a booster; one who is noted keeps the time since when.
pub async fn add(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: GuildNum,
    id: &DiscordId,
    now_ms: i64,
) -> Result<(), DbError> {
    tx.execute(&ADD, params![scope.num(), guild, id.as_str(), now_ms])
        .await
        .map(drop)
}

/// Marks all of these; who is marked already stays as they are.
pub async fn add_all(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: GuildNum,
    ids: &[DiscordId],
    now_ms: i64,
) -> Result<(), DbError> {
    let list = json_list(ids.iter().map(DiscordId::as_str));
    tx.execute(&ADD_ALL, params![scope.num(), guild, &list, now_ms])
        .await
        .map(drop)
}

/// Somebody who was none is no error.
pub async fn remove(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: GuildNum,
    id: &DiscordId,
) -> Result<(), DbError> {
    tx.execute(&REMOVE, params![scope.num(), guild, id.as_str()])
        .await
        .map(drop)
}

/// Forgets up to `limit` boosters of a Guild and tells how many they were.
pub async fn remove_slice(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: GuildNum,
    limit: i64,
) -> Result<u64, DbError> {
    tx.execute(&REMOVE_SLICE, params![scope.num(), guild, limit])
        .await
}

/// Whether this member boosts.
pub async fn boosts(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: GuildNum,
    id: &DiscordId,
) -> Result<bool, DbError> {
    let found: i64 = tx.get(&BOOSTS, params![scope.num(), guild, id.as_str()]).await?;
    Ok(found > 0)
}

/// All of them, linked or not, against [`MOST`].
pub async fn count(tx: &mut Tx<'_>, guild: GuildNum) -> Result<i64, DbError> {
    tx.get(&COUNT, params![guild]).await
}

/// The boosters who are linked.
pub async fn list(db: &Db, guild: GuildNum, limit: i64) -> Result<Vec<String>, DbError> {
    db.list_heavy(&LIST, params![guild, limit]).await
}
