//! Has members looked at whose roles may not be what they should be. It stands above the areas: links, plugins, settings
//! and bots all have a say in somebody's roles.

use domain::id::GuildId;
use domain::job::Job;
use domain::platform_id::DiscordId;
use domain::roles::Cause;
use storage::jobs;
pub(crate) use storage::roles::marks::Rank;
use storage::roles::marks;
use storage::tenancy::guilds;
use storage::{DbError, GuildNum, OrgScope, Tx, Work};

use crate::error::AppError;
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

/// Marks those among these members of whom we know something.
pub(crate) async fn mark_members(
    app: &App,
    scope: OrgScope,
    guild_num: GuildNum,
    guild: &GuildId,
    members: &[(DiscordId, Cause)],
) -> Result<(), AppError> {
    let work = Heard {
        place: Place {
            num: guild_num,
            id: guild.clone(),
        },
        members: members.to_vec(),
        now_ms: app.now_ms(),
    };
    if app.db.write_for(scope, work).await? {
        app.bell.ring();
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

/// Has everybody of a Guild looked at, in slices, in a unit that holds the Org's lock.
pub(crate) async fn look_at_everybody(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: &GuildId,
    links: i64,
    now_ms: i64,
) -> Result<(), DbError> {
    let job = Job::RecheckRoles { guild: guild.clone() };
    jobs::enqueue_counted(tx, scope, &job, links, now_ms).await.map(drop)
}
