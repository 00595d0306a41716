//! Names of linked players, and the nicknames that follow from them.

use domain::platform_id::{DiscordId, SteamId};

use crate::db::statement::statements;
use crate::db::{Db, DbError, Tx};
use crate::lookups::Named;
use crate::params;
use crate::scope::{GuildNum, OrgScope};

/// Names in one page.
pub const PAGE: usize = 1000;

statements! {
    SET_STEAM = "
        UPDATE links
        SET steam_name = $4,
            nickname_pending = CASE WHEN COALESCE(nickname, '') = $4 THEN 0 ELSE 1 END
        WHERE guild_num = $2 AND org_num = $1 AND steam_id = $3 AND ended_at IS NULL";
    CONFIRM = "
        UPDATE links
        SET nickname = $4,
            nickname_pending = CASE WHEN steam_name IS NULL OR steam_name = $4 THEN 0 ELSE 1 END
        WHERE guild_num = $2 AND org_num = $1 AND discord_id = $3 AND ended_at IS NULL";
    PENDING = "
        SELECT discord_id, steam_name
        FROM links
        WHERE guild_num = $1 AND nickname_pending = 1 AND ended_at IS NULL AND steam_name IS NOT NULL
        ORDER BY num
        LIMIT $2";
    ALL = "
        SELECT discord_id, steam_name
        FROM links
        WHERE guild_num = $1 AND ended_at IS NULL AND discord_id > $2 AND steam_name IS NOT NULL
        ORDER BY discord_id
        LIMIT 1000";
}

/// Notes a player's Steam name; a nickname that differs from it is now wanted. False when the player is not linked.
pub async fn set_steam(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: GuildNum,
    id: &SteamId,
    name: &str,
) -> Result<bool, DbError> {
    Ok(tx
        .execute(&SET_STEAM, params![scope.num(), guild, id.as_str(), name])
        .await?
        == 1)
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

/// Players whose nickname is to be set, oldest links first.
pub async fn list_pending(db: &Db, guild: GuildNum, limit: i64) -> Result<Vec<Named>, DbError> {
    db.list_heavy(&PENDING, params![guild, limit]).await
}

/// A page of known names after `after`, in the order of Discord ids.
pub async fn list_after(db: &Db, guild: GuildNum, after: &str) -> Result<Vec<Named>, DbError> {
    db.list_heavy(&ALL, params![guild, after]).await
}
