//! Guilds: Discord communities that an Org has claimed.

use domain::audit::{Actor, AuditAction};
use domain::id::GuildId;
use domain::job::Job;
use domain::name::{DisplayName, Slug};
use domain::plan::{Dimension, Plans};
use domain::platform_id::DiscordId;
use domain::visit::Reason;
use serde_json::json;
use storage::jobs;
use storage::records::audit::Act;
use storage::tenancy::guild_settings;
pub use storage::tenancy::guild_settings::{GuildSettings, SteamGroup};
pub use storage::tenancy::guilds::Guild;
use storage::tenancy::guilds::{self, NewGuild};
use storage::tenancy::{orgs, removals};
use storage::{GuildNum, OrgScope, Tx, Work};

use crate::billing;
use crate::by_operator::ByOperator;
use crate::error::{AppError, RequestError, TenancyError};
use crate::once::PressBy;
use crate::state::App;

/// A Guild as it is to be made. Whether the caller manages it on Discord is not asked here.
pub struct NewGuildRequest {
    /// Belongs to one living Guild of the whole instance.
    pub discord_guild_id: DiscordId,
    /// As people read it; it need not be Discord's.
    pub name: DisplayName,
    /// The address of its link page, of which there is one in the whole instance.
    pub slug: Slug,
    /// Where log messages go; none switches them off.
    pub log_channel_id: Option<DiscordId>,
}

/// Adds a Guild to an Org, within its tier's ceiling. A Discord community belongs to one Org at a time.
pub async fn create(
    app: &App,
    scope: OrgScope,
    request: NewGuildRequest,
    actor: Actor,
) -> Result<(GuildId, GuildNum), AppError> {
    let act = app.act(scope, actor);
    let work = Create::prepare(app, &act, request);
    let id = work.id.clone();
    Ok((id, app.db.write_for(act, work).await?))
}

/// The same for a press that may be repeated: the Guild that it made, now or before.
pub(crate) async fn create_once(
    app: &App,
    press: PressBy,
    scope: OrgScope,
    request: NewGuildRequest,
    actor: Actor,
) -> Result<GuildId, AppError> {
    let act = app.act(scope, actor);
    let work = Create::prepare(app, &act, request);
    let id = work.id.clone();
    let outcome = press
        .write_for(app, id.as_str(), GuildId::parse, act, work)
        .await?;
    app.bell.ring();
    Ok(outcome.id_or(id))
}

struct Create {
    id: GuildId,
    request: NewGuildRequest,
    /// Whether there is a bot that can look at it on Discord.
    has_bot: bool,
    plans: Plans,
}

impl Create {
    fn prepare(app: &App, act: &Act, request: NewGuildRequest) -> Self {
        Self {
            id: GuildId::generate(act.now_ms, &*app.random),
            request,
            has_bot: app.platforms.discord_bot.is_some(),
            plans: app.plans,
        }
    }
}

impl Work for Create {
    type For = Act;
    type Output = GuildNum;
    type Error = AppError;
    const NAME: &'static str = "create_guild";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act) -> Result<GuildNum, AppError> {
        let org = orgs::lock(tx, act.scope).await?;
        let ceiling = self.plans.ceilings(org.tier).guilds;
        if !orgs::add_one(tx, act.scope, Dimension::Guilds, ceiling).await? {
            return Err(TenancyError::LimitReached {
                dimension: Dimension::Guilds,
                ceiling,
            }
            .into());
        }
        let new = NewGuild {
            id: &self.id,
            discord_guild_id: &self.request.discord_guild_id,
            slug: self.request.slug.as_str(),
            name: self.request.name.as_str(),
            log_channel_id: self.request.log_channel_id.as_ref().map(DiscordId::as_str),
            now_ms: act.now_ms,
        };
        let inserted = guilds::insert(tx, act.scope, &new).await;
        let num = inserted.map_err(|error| {
            AppError::taken(
                error,
                "This Discord server or short name already belongs to an organisation.",
            )
        })?;
        if self.has_bot {
            let guild = self.id.clone();
            jobs::enqueue(tx, act.scope, &Job::LookAtGuild { guild }, act.now_ms).await?;
        }
        let target = Some(self.id.as_str());
        act.note(tx, AuditAction::GuildCreated, target, &json!({}))
            .await?;
        Ok(num)
    }
}

/// The Org that a Guild belongs to, for operators who name only the Guild.
pub async fn find_org(app: &App, id: &GuildId) -> Result<OrgScope, AppError> {
    guilds::find_org(&app.db, id)
        .await?
        .ok_or(RequestError::NotFound.into())
}

/// Those that were not removed, in the order they were made.
pub async fn list(app: &App, scope: OrgScope) -> Result<Vec<Guild>, AppError> {
    Ok(guilds::list(&app.db, scope).await?)
}

/// A Guild of the Org with its settings.
pub async fn get(app: &App, scope: OrgScope, id: &GuildId) -> Result<(Guild, GuildSettings), AppError> {
    let guild = guilds::find(&app.db, scope, id)
        .await?
        .ok_or(RequestError::NotFound)?;
    let settings = guild_settings::find(&app.db, scope, guild.num).await?;
    Ok((guild, settings.ok_or(RequestError::NotFound)?))
}

/// Removes a Guild with its Servers and keys. Its links end after that; nothing is posted about them.
pub async fn remove(app: &App, scope: OrgScope, id: GuildId, actor: Actor) -> Result<(), AppError> {
    remove_with(app, scope, id, None, actor).await
}

/// The same by an operator, because the Discord server is somebody else's. Both audit logs have the reason.
pub(crate) async fn release(
    app: &App,
    scope: OrgScope,
    id: GuildId,
    reason: Reason,
    by: ByOperator,
) -> Result<(), AppError> {
    let actor = by.actor();
    remove_with(app, scope, id, Some((reason, by)), actor).await
}

async fn remove_with(
    app: &App,
    scope: OrgScope,
    id: GuildId,
    released: Option<(Reason, ByOperator)>,
    actor: Actor,
) -> Result<(), AppError> {
    let act = app.act(scope, actor);
    let removal = |is_only_asked| Remove {
        id: id.clone(),
        sold: app.plans.sold,
        is_only_asked,
        released: released.clone(),
    };
    if let Some(guild) = guilds::find(&app.db, scope, &id).await?
        && app.plans.sold
        && released.is_none()
    {
        // What is refused leaves the page open on which somebody may pay.
        app.db.write_for(act.clone(), removal(true)).await?;
        billing::removal::close_pages(app, scope, Some(guild.num)).await?;
    }
    app.db.write_for(act, removal(false)).await?;
    app.bell.ring();
    Ok(())
}

struct Remove {
    id: GuildId,
    sold: bool,
    /// Whether it could be done; nothing is.
    is_only_asked: bool,
    /// Why an operator does it, and which. Then nobody keeps what is somebody else's by paying for it.
    released: Option<(Reason, ByOperator)>,
}

impl Work for Remove {
    type For = Act;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "remove_guild";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act) -> Result<(), AppError> {
        let (scope, now_ms, target) = (act.scope, act.now_ms, Some(self.id.as_str()));
        orgs::lock(tx, scope).await?;
        let found = guilds::find_in(tx, scope, &self.id).await?;
        let guild = found.ok_or(RequestError::NotFound)?;
        if self.sold && self.released.is_none() {
            billing::removal::refuse_paid(tx, act, Some(guild.num)).await?;
        }
        if self.is_only_asked {
            return Ok(());
        }
        if self.sold {
            billing::removal::close_soon(tx, act).await?;
        }
        let gone = super::servers::kept_names(tx, scope, guild.num).await?;
        let servers = remove_guild(tx, scope, &guild, now_ms).await?;
        let mut detail = json!({ "links_ended": guild.active_links, "servers": servers, "gone": gone });
        let Some((reason, by)) = &self.released else {
            return Ok(act.note(tx, AuditAction::GuildRemoved, target, &detail).await?);
        };
        detail["reason"] = json!(reason.as_str());
        act.note(tx, AuditAction::GuildRemoved, target, &detail).await?;
        let org = orgs::get_id(tx, scope).await?;
        let detail = json!({ "org": org.as_str(), "reason": reason.as_str() });
        let (own, action) = (act.for_operators(), AuditAction::GuildReleased);
        by.note(tx, &own, action, target, &detail).await
    }
}

/// Removes a Guild and counts it out, inside a unit of work that holds the Org's lock. Tells how many Servers went with it.
/// Its links count until the job has ended them.
pub(crate) async fn remove_guild(
    tx: &mut Tx<'_>,
    scope: OrgScope,
    guild: &Guild,
    now_ms: i64,
) -> Result<u64, AppError> {
    let servers = removals::remove_guild(tx, scope, guild.num, now_ms).await?;
    for _ in 0..servers {
        orgs::drop_server(tx, scope).await?;
    }
    orgs::drop_guild(tx, scope).await?;
    let end = Job::EndGuild {
        guild: guild.id.clone(),
    };
    jobs::enqueue_counted(tx, scope, &end, guild.active_links, now_ms).await?;
    Ok(servers)
}
