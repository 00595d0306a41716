//! Changes of a Guild's settings.

use domain::audit::{Actor, AuditAction};
use domain::flow::JoinMode;
use domain::id::GuildId;
use domain::invite::InviteUrl;
use domain::job::LaneKind;
use domain::name::{DisplayName, Slug};
use domain::platform_id::DiscordId;
use domain::roles::{Cause, Template};
use storage::bots::guild_bots;
use storage::records::audit::Act;
use storage::roles::rechecks;
use storage::tenancy::guild_settings::{self, GuildSettings, SteamGroup};
use storage::tenancy::guilds::{self, Guild};
use storage::tenancy::orgs;
use storage::{OrgScope, Tx, Work};

use crate::changes::Changes;
use crate::error::{AppError, RequestError};
use crate::jobs::operate::wake_lane;
use crate::role_marks::look_at_everybody;
use crate::state::App;
use crate::tenancy::guild_checks::{refuse_foreign_channel, steam_group};

/// Roles in one list of a Guild.
const MOST_ROLES: usize = 50;
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
    /// `Some(None)` leaves nicknames alone.
    pub nickname_template: Option<Option<Template>>,
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
            nickname_template: self
                .nickname_template
                .clone()
                .unwrap_or_else(|| settings.nickname_template.clone()),
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
                return Err(AppError::invalid(name, "must have at most 50 roles"));
            }
        }
        let allowed = 0..=LONGEST_COOLDOWN_MS;
        if self.relink_cooldown_ms.is_some_and(|ms| !allowed.contains(&ms)) {
            return Err(AppError::invalid(
                "relink_cooldown_ms",
                "must be from 0 to 90 days",
            ));
        }
        Ok(())
    }
}

/// Asks Steam about a group that was pasted by name first, and Discord about a channel, outside the transaction. What stays the same leaves no entry.
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
    if let Some(Some(channel)) = &change.log_channel_id {
        refuse_foreign_channel(app, scope, &id, channel).await?;
    }
    // What rests because of the channel before goes on.
    let rested = change
        .log_channel_id
        .as_ref()
        .map(|_| LaneKind::Log.of(id.as_str()));
    let work = Change { id, change, group };
    app.db.write_for(app.act(scope, actor), work).await?;
    app.bell.ring();
    if let Some(lane) = rested {
        wake_lane(app, scope, lane).await?;
    }
    Ok(())
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
        if after.log_channel_id != before.log_channel_id {
            // Whatever was wrong was wrong with another channel.
            guild_bots::set_log_problem(tx, scope, guild.num, None, act.now_ms).await?;
        }
        if after.verified_roles != before.verified_roles
            || after.booster_roles != before.booster_roles
            || after.plugin_roles != before.plugin_roles
            || after.nickname_template != before.nickname_template
        {
            rechecks::begin(tx, scope, guild.num, Cause::Settings, act.now_ms).await?;
            look_at_everybody(tx, scope, &guild.id, guild.active_links, act.now_ms).await?;
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
        renamed.map_err(|error| AppError::taken(error, "That short name is taken. Choose another one."))?;
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
    let template = |settings: &GuildSettings| {
        settings
            .nickname_template
            .as_ref()
            .map(|template| template.as_str().to_owned())
    };
    changes.add("nickname_template", template(from), template(to));
    changes.add(
        "relink_cooldown_ms",
        from.relink_cooldown_ms,
        to.relink_cooldown_ms,
    );
}
