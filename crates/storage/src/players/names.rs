//! Names of linked players, and the nicknames that follow from them.

use domain::platform_id::DiscordId;

use crate::db::statement::statements;
use crate::db::{Db, DbError, Tx};
use crate::linking::lookups::Named;
use crate::params;
use crate::scope::{GuildNum, OrgScope};

/// Names in one page.
pub const PAGE: usize = 1000;

statements! {
    SET_STEAM = "
        UPDATE links
        SET steam_name = json_extract($3, '$.' || steam_id),
            nickname_pending = CASE WHEN COALESCE(nickname, '') = json_extract($3, '$.' || steam_id) THEN 0 ELSE 1 END
        WHERE num IN (
            SELECT l.num
            FROM json_each($3) report
            CROSS JOIN links l ON l.guild_num = $2 AND l.org_num = $1 AND l.steam_id = report.key AND l.ended_at IS NULL)" postgres "
        UPDATE links
        SET steam_name = report.value,
            nickname_pending = CASE WHEN COALESCE(links.nickname, '') = report.value THEN 0 ELSE 1 END
        FROM jsonb_each_text(CAST(CAST($3 AS TEXT) AS JSONB)) report
        WHERE links.guild_num = $2 AND links.org_num = $1 AND links.steam_id = report.key COLLATE \"C\"
          AND links.ended_at IS NULL";
    CONFIRM = "
        UPDATE links
        SET nickname = $4,
            nickname_pending = CASE WHEN steam_name IS NULL OR steam_name = $4 THEN 0 ELSE 1 END
        WHERE guild_num = $2 AND org_num = $1 AND discord_id = $3 AND ended_at IS NULL";
    PENDING: Named = "
        SELECT {columns}
        FROM links l
        WHERE l.guild_num = $1 AND l.nickname_pending = 1 AND l.ended_at IS NULL AND l.steam_name IS NOT NULL
          AND NOT EXISTS (SELECT 1 FROM guilds g WHERE g.num = $1 AND g.nickname_template IS NOT NULL)
        ORDER BY l.num
        LIMIT $2";
    ALL: Named = "
        SELECT {columns}
        FROM links l
        WHERE l.guild_num = $1 AND l.ended_at IS NULL AND l.discord_id > $2 AND l.steam_name IS NOT NULL
        ORDER BY l.discord_id
        LIMIT 1000";
}

/// Notes Steam names; a nickname that differs from one is now wanted. `report` is a JSON object from Steam id to name.
/// Returns how many of the players are linked.
pub async fn set_steam(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: GuildNum,
    report: &str,
) -> Result<u64, DbError> {
    tx.execute(&SET_STEAM, params![scope.num(), guild, report]).await
}

/// Notes the nickname that was set on Discord.
pub async fn confirm_nickname(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: GuildNum,
    id: &DiscordId,
    nickname: &str,
) -> Result<bool, DbError> {
    Ok(tx
        .execute(&CONFIRM, params![scope.num(), guild, id.as_str(), nickname])
        .await?
        == 1)
}

/// Players whose nickname is to be set, oldest links first. Nobody where the Guild has a template: our bot sets them.
pub async fn list_pending(db: &Db, guild: GuildNum, limit: i64) -> Result<Vec<Named>, DbError> {
    db.list_heavy(&PENDING, params![guild, limit]).await
}

/// A page of known names after `after`, in the order of Discord ids.
pub async fn list_after(db: &Db, guild: GuildNum, after: &str) -> Result<Vec<Named>, DbError> {
    db.list_heavy(&ALL, params![guild, after]).await
}
