//! Has members looked at whose roles may not be what they should be. It stands above the areas: links, plugins, settings
//! and bots all have a say in somebody's roles.

use domain::id::GuildId;
use domain::job::Job;
use domain::platform_id::{DiscordId, EitherId};
use domain::roles::Cause;
use storage::jobs;
use storage::roles::grants::{self, Grantor};
pub(crate) use storage::roles::marks::Rank;
use storage::roles::{marks, rechecks, subjects};
use storage::tenancy::guilds;
use storage::{DbError, GuildNum, OrgScope, Tx, Work};

use crate::error::{AppError, RequestError};
use crate::state::App;

/// A Guild by its number and its id.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub num: GuildNum,
    pub id: GuildId,
}

/// Marks members in a unit that holds the Org's lock. The caller rings the bell after the commit.
pub(crate) async fn mark_in(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    place: &Place,
    members: &[(DiscordId, Cause)],
    rank: Rank,
    now_ms: i64,
) -> Result<(), DbError> {
    if members.is_empty() {
        return Ok(());
    }
    marks::mark(tx, scope, place.num, members, rank, now_ms).await?;
    let guild = place.id.clone();
    jobs::enqueue(tx, scope, &Job::SyncRoles { guild }, now_ms).await
}

/// The same for ids as the store gives them.
pub(crate) async fn mark_all_in(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    place: &Place,
    ids: &[String],
    cause: Cause,
    rank: Rank,
    now_ms: i64,
) -> Result<(), AppError> {
    let parsed = ids.iter().map(|id| DiscordId::parse(id).map(|id| (id, cause)));
    let members: Vec<(DiscordId, Cause)> = parsed.collect::<Result<_, _>>().map_err(AppError::internal)?;
    Ok(mark_in(tx, scope, place, &members, rank, now_ms).await?)
}

/// Marks those among these members of whom we know something; false where that is nobody.
pub(crate) async fn mark_members(
    app: &App,
    scope: OrgScope,
    guild_num: GuildNum,
    guild: &GuildId,
    members: &[(DiscordId, Cause)],
) -> Result<bool, AppError> {
    let work = Heard {
        place: Place {
            num: guild_num,
            id: guild.clone(),
        },
        members: members.to_vec(),
        now_ms: app.now_ms(),
    };
    let is_any = app.db.write_for(scope, work).await?;
    if is_any {
        app.bell.ring();
    }
    Ok(is_any)
}

/// Marks somebody wherever they are linked: a block, or its end, changes what they may have. What a crash leaves out is
/// found by the nightly look.
pub(crate) async fn mark_everywhere(app: &App, account: &EitherId) -> Result<(), AppError> {
    for place in subjects::list_places(&app.db, account).await? {
        let marks = [(place.member, Cause::Blocked)];
        match mark_members(app, place.scope, place.guild, &place.guild_id, &marks).await {
            // Removed meanwhile.
            Ok(_) | Err(AppError::Request(RequestError::NotFound)) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

struct Heard {
    place: Place,
    members: Vec<(DiscordId, Cause)>,
    now_ms: i64,
}

impl Work for Heard {
    type For = OrgScope;
    /// Whether anybody was marked.
    type Output = bool;
    type Error = AppError;
    const NAME: &'static str = "mark_members";

    async fn run(&self, tx: &mut Tx<'_>, &scope: &OrgScope) -> Result<bool, AppError> {
        guilds::lock(tx, scope, self.place.num).await?;
        let ids: Vec<DiscordId> = self.members.iter().map(|(id, _)| id.clone()).collect();
        let known = marks::list_known(tx, self.place.num, &ids).await?;
        let members: Vec<(DiscordId, Cause)> = self
            .members
            .iter()
            .filter(|(id, _)| known.iter().any(|known| known == id.as_str()))
            .cloned()
            .collect();
        mark_in(tx, scope, &self.place, &members, Rank::First, self.now_ms).await?;
        Ok(!members.is_empty())
    }
}

/// Has everybody of a Guild looked at, in slices, in a unit that holds the Org's lock. One that is under way begins anew:
/// whom it has marked may have been looked at before this change.
pub(crate) async fn look_at_everybody(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: &GuildId,
    links: i64,
    now_ms: i64,
) -> Result<(), DbError> {
    let job = Job::RecheckRoles { guild: guild.clone() };
    // First: it takes the lane's lock, and counts one more, so that whoever is at the end of it goes on.
    jobs::enqueue_counted(tx, scope, &job, links, now_ms).await?;
    rechecks::restart(tx, &job.dedupe()).await
}

/// Has everybody looked at after the end of a Server or a key, if it gave roles to anybody. In a unit that holds the Org's
/// lock.
pub(crate) async fn look_after_grantor(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: &GuildId,
    grantor: Grantor,
    now_ms: i64,
) -> Result<(), DbError> {
    let Some(guild) = guilds::find_in(tx, scope, guild).await? else {
        return Ok(());
    };
    if !grants::is_any(tx, scope, guild.num, grantor).await? {
        return Ok(());
    }
    rechecks::begin(tx, scope, guild.num, Cause::Settings, now_ms).await?;
    look_at_everybody(tx, scope, &guild.id, guild.active_links, now_ms).await
}
