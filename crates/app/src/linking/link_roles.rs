//! Roles that follow from links. They are queued in the transaction that makes or ends a link, for the bot to carry out.

use domain::platform_id::DiscordId;
use storage::linking::role_changes::{self, FollowingRoles};
use storage::players::boosters;
use storage::tenancy::guild_settings;
use storage::{GuildNum, OrgScope, Tx};

use crate::error::AppError;

/// A new link gives the Guild's verified roles, and to a booster the booster roles too.
pub(crate) async fn grant(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: GuildNum,
    member: &DiscordId,
    now_ms: i64,
) -> Result<(), AppError> {
    let settings = guild_settings::get_in(tx, scope, guild).await?;
    let mut roles = settings.verified_roles;
    if !settings.booster_roles.is_empty() && boosters::boosts(tx, scope, guild, member).await? {
        roles.extend(settings.booster_roles);
    }
    follow(tx, scope, guild, member, roles, "add", now_ms).await
}

/// The end of a link takes all of them back, whatever the member was given.
pub(crate) async fn revoke(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: GuildNum,
    member: &DiscordId,
    now_ms: i64,
) -> Result<(), AppError> {
    let settings = guild_settings::get_in(tx, scope, guild).await?;
    let mut roles = settings.verified_roles;
    roles.extend(settings.booster_roles);
    follow(tx, scope, guild, member, roles, "remove", now_ms).await
}

async fn follow(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: GuildNum,
    member: &DiscordId,
    mut roles: Vec<DiscordId>,
    mode: &'static str,
    now_ms: i64,
) -> Result<(), AppError> {
    roles.sort_unstable();
    roles.dedup();
    if roles.is_empty() {
        return Ok(());
    }
    let following = FollowingRoles {
        discord_id: member,
        roles: &roles,
        mode,
        now_ms,
    };
    Ok(role_changes::follow(tx, scope, guild, &following).await?)
}
