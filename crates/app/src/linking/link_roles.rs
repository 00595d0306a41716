//! Roles and groups that follow from links. Who is to be looked at is written in the transaction that makes or ends a
//! link, and so is what the end of it takes back.

use domain::link::{ActiveLink, UnlinkCause};
use domain::platform_id::DiscordId;
use domain::roles::Cause;
use storage::roles::{grants, members};
use storage::tenancy::guilds::Guild;
use storage::{OrgScope, Tx};

use crate::error::AppError;
use crate::role_ends::{Ended, take_groups_back};
use crate::role_marks::{Place, Rank, mark_in};

/// A new link gives what the Guild's settings and rules say; the next look finds out.
pub(crate) async fn grant(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: &Guild,
    member: &DiscordId,
    now_ms: i64,
) -> Result<(), AppError> {
    mark(tx, scope, guild, member, Cause::Link, now_ms).await
}

/// The end of a link takes back what we gave: roles at the next look, groups when the plugin fetches them.
pub(crate) async fn revoke(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: &Guild,
    link: &ActiveLink,
    cause: UnlinkCause,
    now_ms: i64,
) -> Result<(), AppError> {
    let member = &link.discord_id;
    let why = if cause == UnlinkCause::Relink {
        Cause::Relink
    } else {
        Cause::Unlink
    };
    grants::end_of_link(tx, scope, guild.num, member).await?;
    if let Some(mut kept) = members::find_in(tx, guild.num, member).await? {
        let given = std::mem::take(&mut kept.kept.given);
        kept.kept.owed.extend(given);
        kept.kept.base.clear();
        members::save(tx, scope, guild.num, member, &kept).await?;
    }
    let ended = Ended {
        link_num: link.num,
        steam_id: &link.steam_id,
        cause: why,
        now_ms,
    };
    take_groups_back(tx, scope, guild.num, ended).await?;
    mark(tx, scope, guild, member, why, now_ms).await
}

async fn mark(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: &Guild,
    member: &DiscordId,
    cause: Cause,
    now_ms: i64,
) -> Result<(), AppError> {
    let place = Place {
        num: guild.num,
        id: guild.id.clone(),
    };
    Ok(mark_in(tx, scope, &place, &[(member.clone(), cause)], Rank::First, now_ms).await?)
}
