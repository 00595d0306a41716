//! Guilds: Discord communities that an Org has claimed.

use domain::audit::{Actor, AuditAction};
use domain::flow::JoinMode;
use domain::id::GuildId;
use domain::invite::InviteUrl;
use domain::job::Job;
use domain::name::{DisplayName, Slug};
use domain::plan::Dimension;
use domain::platform_id::DiscordId;
use domain::steam_group::PastedGroup;
use serde_json::json;
use storage::jobs;
use storage::records::audit::Act;
use storage::tenancy::guild_settings;
pub use storage::tenancy::guild_settings::{GuildSettings, SteamGroup};
pub use storage::tenancy::guilds::Guild;
use storage::tenancy::guilds::{self, NewGuild};
use storage::tenancy::{orgs, removals};
use storage::{GuildNum, OrgScope, Tx, Work};

use crate::changes::Changes;
use crate::error::{AppError, RequestError, TenancyError};
use crate::once::PressBy;
use crate::players::steam_group_names;
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
    Ok(outcome.id_or(id))
}

struct Create {
    id: GuildId,
    request: NewGuildRequest,
}

impl Create {
    fn prepare(app: &App, act: &Act, request: NewGuildRequest) -> Self {
        Self {
            id: GuildId::generate(act.now_ms, &*app.random),
            request,
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
        let ceiling = org.tier.ceilings().guilds;
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
                "This Discord server or slug already belongs to an organisation.",
            )
        })?;
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

/// Roles in one list of a Guild.
const MOST_ROLES: usize = 50;
/// Longer than any address of a Steam group.
const PASTED_MAX_BYTES: usize = 200;
const LONGEST_COOLDOWN_MS: i64 = 90 * 24 * 60 * 60_000;

/// What may be changed about a Guild; what is left out stays.
#[derive(Debug, Clone, Default)]
pub struct GuildChange {
    /// `Some(None)` switches log messages off.
    pub log_channel_id: Option<Option<DiscordId>>,
    /// Given with a link and taken with its end. The order of a list does not count.
    pub verified_roles: Option<Vec<DiscordId>>,
    /// Given beside those to linked people who boost the Discord server.
    pub booster_roles: Option<Vec<DiscordId>>,
    /// Roles that a plugin may give and take.
    pub plugin_roles: Option<Vec<DiscordId>>,
    /// A Steam group as somebody pasted it; `Some(None)` takes it away.
    pub steam_group: Option<Option<String>>,
    /// Whether people have to be in the Discord server, and how they get there.
    pub join_mode: Option<JoinMode>,
    /// `Some(None)` takes the invite away.
    pub invite_url: Option<Option<InviteUrl>>,
    /// From 0 to 90 days, counted from the end of somebody's last link.
    pub relink_cooldown_ms: Option<i64>,
    /// As people read it.
    pub name: Option<DisplayName>,
    /// The old address leads nowhere from then on.
    pub slug: Option<Slug>,
    /// What the caller saw; a save of somebody else since then refuses this one. None takes what is there.
    pub revision: Option<i64>,
}

impl GuildChange {
    fn apply(&self, settings: &GuildSettings, group: Option<&SteamGroup>) -> GuildSettings {
        let roles = |new: &Option<Vec<DiscordId>>, old: &[DiscordId]| {
            let mut list = new.clone().unwrap_or_else(|| old.to_vec());
            list.sort();
            list.dedup();
            list
        };
        GuildSettings {
            log_channel_id: self
                .log_channel_id
                .clone()
                .unwrap_or_else(|| settings.log_channel_id.clone()),
            verified_roles: roles(&self.verified_roles, &settings.verified_roles),
            booster_roles: roles(&self.booster_roles, &settings.booster_roles),
            plugin_roles: roles(&self.plugin_roles, &settings.plugin_roles),
            steam_group: match &self.steam_group {
                Some(_) => group.cloned(),
                None => settings.steam_group.clone(),
            },
            join_mode: self.join_mode.unwrap_or(settings.join_mode),
            invite_url: self
                .invite_url
                .clone()
                .unwrap_or_else(|| settings.invite_url.clone()),
            relink_cooldown_ms: self.relink_cooldown_ms.unwrap_or(settings.relink_cooldown_ms),
        }
    }

    /// What the types let through.
    fn refuse_excess(&self) -> Result<(), AppError> {
        let lists = [
            ("verified_roles", &self.verified_roles),
            ("booster_roles", &self.booster_roles),
            ("plugin_roles", &self.plugin_roles),
        ];
        for (name, list) in lists {
            if list.as_ref().is_some_and(|roles| roles.len() > MOST_ROLES) {
                return Err(AppError::invalid(name, "at most 50 roles"));
            }
        }
        let allowed = 0..=LONGEST_COOLDOWN_MS;
        if self.relink_cooldown_ms.is_some_and(|ms| !allowed.contains(&ms)) {
            return Err(AppError::invalid("relink_cooldown_ms", "between 0 and 90 days"));
        }
        Ok(())
    }
}

/// Asks Steam about a group that was pasted by name first, outside the transaction. What stays the same leaves no entry.
pub async fn change(
    app: &App,
    scope: OrgScope,
    id: GuildId,
    change: GuildChange,
    actor: Actor,
) -> Result<(), AppError> {
    change.refuse_excess()?;
    let group = match &change.steam_group {
        Some(Some(pasted)) => {
            // Nobody is asked about a Guild that is not this Org's.
            let guild = guilds::find(&app.db, scope, &id).await?;
            guild.ok_or(RequestError::NotFound)?;
            Some(steam_group(app, scope, pasted.trim()).await?)
        }
        Some(None) | None => None,
    };
    let work = Change { id, change, group };
    app.db.write_for(app.act(scope, actor), work).await
}

/// Steam is asked only where somebody pasted a name: nobody else can turn it into a number.
async fn steam_group(app: &App, scope: OrgScope, text: &str) -> Result<SteamGroup, AppError> {
    let refused = |problem: &str| AppError::invalid("steam_group", problem);
    if text.len() > PASTED_MAX_BYTES {
        return Err(refused("it is too long"));
    }
    let id = match PastedGroup::parse(text).map_err(|error| refused(&error.to_string()))? {
        PastedGroup::Id(id) => id,
        PastedGroup::Name(name) => {
            let found = steam_group_names::find(app, scope.num(), &name).await?;
            found.ok_or_else(|| refused("Steam knows no group of this name"))?
        }
    };
    Ok(SteamGroup {
        pasted: text.to_owned(),
        id,
    })
}

struct Change {
    id: GuildId,
    change: GuildChange,
    /// What the pasted group stands for, if one is set.
    group: Option<SteamGroup>,
}

impl Work for Change {
    type For = Act;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "change_guild";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act) -> Result<(), AppError> {
        let scope = act.scope;
        orgs::lock(tx, scope).await?;
        let found = guilds::find_in(tx, scope, &self.id).await?;
        let guild = found.ok_or(RequestError::NotFound)?;
        let before = guild_settings::get_in(tx, scope, guild.num).await?;
        let after = self.change.apply(&before, self.group.as_ref());
        if after == before && self.names(&guild) == (&*guild.name, &*guild.slug) {
            return Ok(());
        }
        let seen = self.change.revision.unwrap_or(guild.revision);
        guilds::touch(tx, scope, guild.num, seen).await?;
        let mut changes = Changes::default();
        self.rename(tx, scope, &guild, &mut changes).await?;
        if after != before {
            guild_settings::set(tx, scope, guild.num, &after).await?;
            add_settings(&mut changes, &before, &after);
        }
        let (target, detail) = (Some(self.id.as_str()), changes.into_detail());
        Ok(act.note(tx, AuditAction::GuildChanged, target, &detail).await?)
    }
}

impl Change {
    /// Name and short name as they are to be.
    fn names<'a>(&'a self, guild: &'a Guild) -> (&'a str, &'a str) {
        let (name, slug) = (&self.change.name, &self.change.slug);
        (
            name.as_ref().map_or(&*guild.name, DisplayName::as_str),
            slug.as_ref().map_or(&*guild.slug, Slug::as_str),
        )
    }

    /// A new name or address of the Guild. Whoever has the old address finds nothing there any more.
    async fn rename(
        &self,
        tx: &mut Tx<'_>,
        scope: OrgScope,
        guild: &Guild,
        changes: &mut Changes,
    ) -> Result<(), AppError> {
        let (name, slug) = self.names(guild);
        if (name, slug) == (&*guild.name, &*guild.slug) {
            return Ok(());
        }
        let renamed = guilds::rename(tx, scope, guild.num, name, slug).await;
        renamed.map_err(|error| {
            AppError::taken(error, "Another community has this address. Choose another one.")
        })?;
        changes.add("name", &*guild.name, name);
        changes.add("slug", &*guild.slug, slug);
        Ok(())
    }
}

/// The settings in the words of the API; a Steam group by its id.
fn add_settings(changes: &mut Changes, from: &GuildSettings, to: &GuildSettings) {
    let group = |settings: &GuildSettings| settings.steam_group.as_ref().map(|group| group.id.to_string());
    changes.add("log_channel_id", &from.log_channel_id, &to.log_channel_id);
    changes.add("verified_roles", &from.verified_roles, &to.verified_roles);
    changes.add("booster_roles", &from.booster_roles, &to.booster_roles);
    changes.add("plugin_roles", &from.plugin_roles, &to.plugin_roles);
    changes.add("steam_group", group(from), group(to));
    changes.add("join_mode", from.join_mode, to.join_mode);
    let invite = |settings: &GuildSettings| settings.invite_url.as_ref().map(|url| url.as_str().to_owned());
    changes.add("invite_url", invite(from), invite(to));
    changes.add(
        "relink_cooldown_ms",
        from.relink_cooldown_ms,
        to.relink_cooldown_ms,
    );
}

/// Removes a Guild with its Servers and keys. Its links end after that; nothing is posted about them.
pub async fn remove(app: &App, scope: OrgScope, id: GuildId, actor: Actor) -> Result<(), AppError> {
    app.db.write_for(app.act(scope, actor), Remove { id }).await?;
    app.bell.ring();
    Ok(())
}

struct Remove {
    id: GuildId,
}

impl Work for Remove {
    type For = Act;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "remove_guild";

    async fn run(&self, tx: &mut Tx<'_>, act: &Act) -> Result<(), AppError> {
        let (scope, now_ms) = (act.scope, act.now_ms);
        orgs::lock(tx, scope).await?;
        let found = guilds::find_in(tx, scope, &self.id).await?;
        let guild = found.ok_or(RequestError::NotFound)?;
        let servers = remove_guild(tx, scope, &guild, now_ms).await?;
        let detail = json!({ "links_ended": guild.active_links, "servers": servers });
        let target = Some(self.id.as_str());
        Ok(act.note(tx, AuditAction::GuildRemoved, target, &detail).await?)
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
