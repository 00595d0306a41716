//! Dormant accounts: what is done about them, whom that concerns, and who is to stay.

use app::App;
use app::players::cleanup::{self, CleanupState, HeardGuild};
use app::players::cleanup_preview::{self, DormantUser, Preview};
use domain::dormancy::CleanupRules;
use domain::id::GuildId;
use domain::permission::Permission;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::bulk_unlink::parsed;
use super::users::readable;
use crate::extract::{Asked, Asks, Authorized, JsonBody, Question, perm};
use crate::routes::{Answer, Done, Found};

/// What is done about dormant accounts, and how things stand.
#[derive(Serialize, ToSchema)]
pub struct CleanupSettings {
    enabled: bool,
    /// Days without a sign of somebody, of those on which a game server of the Guild was heard from.
    days: i64,
    /// Days between flag and unlink, counted alike.
    grace_days: i64,
    /// One more with every save.
    revision: i64,
    /// People with a flagged link.
    flagged: i64,
    /// A run is under way.
    running: bool,
    /// Nothing before the first run.
    last_run: Option<CleanupRun>,
    guilds: Vec<CleanupGuild>,
}

#[derive(Serialize, ToSchema)]
struct CleanupRun {
    at_ms: i64,
    /// Links that were flagged.
    flagged: i64,
    /// Flags that were taken off.
    cleared: i64,
    /// Links that ended.
    ended: i64,
}

/// Where the game servers were not heard from on enough days, nobody is dormant.
#[derive(Serialize, ToSchema)]
struct CleanupGuild {
    #[schema(value_type = String)]
    id: GuildId,
    name: String,
    /// Days on which a game server was heard from, as far back as the settings look.
    heard_days: i64,
    /// Whether they are enough.
    ready: bool,
}

fn guild_of(heard: HeardGuild, days: i64) -> CleanupGuild {
    CleanupGuild {
        id: heard.guild.id,
        name: heard.guild.name,
        heard_days: heard.heard_days,
        ready: heard.heard_days >= days,
    }
}

impl From<CleanupState> for CleanupSettings {
    fn from(state: CleanupState) -> Self {
        let CleanupRules {
            enabled,
            days,
            grace_days,
        } = state.stored.rules;
        let guilds = state.guilds.into_iter().map(|heard| guild_of(heard, days));
        Self {
            enabled,
            days,
            grace_days,
            revision: state.stored.revision,
            flagged: state.flagged,
            running: state.is_running,
            last_run: state.last_run.map(|run| CleanupRun {
                at_ms: state.stored.ran_at_ms,
                flagged: run.flagged,
                cleared: run.cleared,
                ended: run.ended,
            }),
            guilds: guilds.collect(),
        }
    }
}

/// What is to be done about dormant accounts.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CleanupChange {
    enabled: bool,
    /// From 7 to 365.
    days: i64,
    /// From 1 to 90.
    grace_days: i64,
    /// As it was read. A save by somebody else since then refuses this one; without it, the last one counts.
    revision: Option<i64>,
}

pub async fn get(app: App, caller: Authorized<perm::LinksCleanup>, (): ()) -> Answer<Found<CleanupSettings>> {
    Ok(Found(cleanup::get(&app, caller.scope).await?.into()))
}

pub async fn save(
    app: App,
    caller: Authorized<perm::LinksCleanup>,
    JsonBody(change): JsonBody<CleanupChange>,
) -> Answer<Found<CleanupSettings>> {
    let rules = CleanupRules {
        enabled: change.enabled,
        days: change.days,
        grace_days: change.grace_days,
    };
    cleanup::save(&app, caller.scope, rules, change.revision, caller.actor.clone()).await?;
    get(app, caller, ()).await
}

pub async fn run(app: App, caller: Authorized<perm::LinksCleanup>, (): ()) -> Answer<Done> {
    cleanup::run_now(&app, caller.scope, caller.actor).await?;
    Ok(Done)
}

/// Whom a run would find. Without a number of days, those of the settings.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub struct PreviewAsked {
    days: Option<i64>,
}

impl Question for PreviewAsked {
    const ASKS: &'static [Asks] = &[Asks::Number("days")];
}

/// Whom a run would find.
#[derive(Serialize, ToSchema)]
pub struct CleanupPreview {
    days: i64,
    /// Dormant links in all Guilds, flagged or not.
    total: i64,
    guilds: Vec<PreviewGuild>,
    /// The 500 who were away longest. Empty for those who may not see people.
    users: Vec<PreviewUser>,
}

#[derive(Serialize, ToSchema)]
struct PreviewGuild {
    #[serde(flatten)]
    guild: CleanupGuild,
    /// Dormant links.
    dormant: i64,
}

#[derive(Serialize, ToSchema)]
struct PreviewUser {
    discord_id: String,
    discord_name: Option<String>,
    steam_id: Option<String>,
    steam_name: Option<String>,
    #[schema(value_type = String)]
    guild_id: GuildId,
    /// The newest sign of them: seen on a game server, verified, imported, or kept by the team.
    last_active_ms: i64,
    flagged_at_ms: Option<i64>,
}

impl From<DormantUser> for PreviewUser {
    fn from(user: DormantUser) -> Self {
        Self {
            discord_id: user.discord_id,
            discord_name: user.discord_name,
            steam_id: readable(user.steam_id),
            steam_name: user.steam_name,
            guild_id: user.guild,
            last_active_ms: user.last_active_ms,
            flagged_at_ms: user.flagged_at_ms,
        }
    }
}

pub async fn preview(
    app: App,
    caller: Authorized<perm::LinksCleanup>,
    Asked(asked): Asked<PreviewAsked>,
) -> Answer<Found<CleanupPreview>> {
    let mut rules = cleanup::rules(&app, caller.scope).await?;
    rules.days = asked.days.unwrap_or(rules.days);
    let Preview { dormant, users } = cleanup_preview::preview(&app, caller.scope, rules).await?;
    let may_see = caller.permissions.contains(Permission::LinksView);
    Ok(Found(CleanupPreview {
        days: rules.days,
        total: dormant.iter().map(|(_, links)| links).sum(),
        guilds: dormant
            .into_iter()
            .map(|(heard, dormant)| PreviewGuild {
                guild: guild_of(heard, rules.days),
                dormant,
            })
            .collect(),
        users: users
            .into_iter()
            .filter(|_| may_see)
            .map(PreviewUser::from)
            .collect(),
    }))
}

/// Who is to stay.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CleanupKeep {
    /// Discord IDs or Steam IDs, at most 500.
    users: Vec<String>,
}

/// Links whose flag was taken off.
#[derive(Serialize, ToSchema)]
pub struct CleanupKept {
    links: i64,
}

pub async fn keep(
    app: App,
    caller: Authorized<perm::LinksCleanup>,
    JsonBody(body): JsonBody<CleanupKeep>,
) -> Answer<Found<CleanupKept>> {
    let users = parsed(&body.users)?;
    let links = cleanup::keep(&app, caller.scope, &users, caller.actor).await?;
    Ok(Found(CleanupKept { links }))
}
