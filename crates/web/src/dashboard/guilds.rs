//! Guilds and what an Org decides about them.

use app::guilds::{self, Guild, GuildChange, GuildSettings, SteamGroup};
use app::{App, AppError};
use domain::flow::JoinMode;
use domain::id::GuildId;
use domain::invite::InviteUrl;
use domain::platform_id::DiscordId;
use serde::{Deserialize, Deserializer, Serialize};
use utoipa::ToSchema;

use crate::extract::{Authorized, JsonBody, Segments, perm};
use crate::routes::{Answer, Done, Found};

#[derive(Serialize, ToSchema)]
pub struct GuildView {
    #[schema(value_type = String)]
    id: GuildId,
    #[schema(value_type = String)]
    discord_guild_id: DiscordId,
    slug: String,
    name: String,
    active_links: i64,
}

impl From<Guild> for GuildView {
    fn from(guild: Guild) -> Self {
        Self {
            id: guild.id,
            discord_guild_id: guild.discord_guild_id,
            slug: guild.slug,
            name: guild.name,
            active_links: guild.active_links,
        }
    }
}

#[derive(Serialize, ToSchema)]
pub struct GuildList {
    guilds: Vec<GuildView>,
}

#[derive(Serialize, ToSchema)]
pub struct GuildWithSettings {
    #[serde(flatten)]
    guild: GuildView,
    #[schema(value_type = Option<String>)]
    log_channel_id: Option<DiscordId>,
    #[schema(value_type = Vec<String>)]
    verified_roles: Vec<DiscordId>,
    #[schema(value_type = Vec<String>)]
    booster_roles: Vec<DiscordId>,
    #[schema(value_type = Vec<String>)]
    plugin_roles: Vec<DiscordId>,
    steam_group: Option<SteamGroupView>,
    #[schema(value_type = String)]
    join_mode: JoinMode,
    invite_url: Option<String>,
    relink_cooldown_ms: i64,
}

/// The number is text like every id, though it would fit.
#[derive(Serialize, ToSchema)]
struct SteamGroupView {
    pasted: String,
    id: String,
}

impl From<SteamGroup> for SteamGroupView {
    fn from(group: SteamGroup) -> Self {
        Self {
            id: group.id.to_string(),
            pasted: group.pasted,
        }
    }
}

impl From<(Guild, GuildSettings)> for GuildWithSettings {
    fn from((guild, settings): (Guild, GuildSettings)) -> Self {
        Self {
            guild: guild.into(),
            log_channel_id: settings.log_channel_id,
            verified_roles: settings.verified_roles,
            booster_roles: settings.booster_roles,
            plugin_roles: settings.plugin_roles,
            steam_group: settings.steam_group.map(SteamGroupView::from),
            join_mode: settings.join_mode,
            invite_url: settings.invite_url.map(|invite| invite.to_string()),
            relink_cooldown_ms: settings.relink_cooldown_ms,
        }
    }
}

/// What is left out stays as it is; `null` switches log messages off, or takes the Steam group or the invite away.
#[derive(Deserialize, ToSchema)]
#[schema(as = GuildChange)]
#[serde(deny_unknown_fields)]
pub struct Change {
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<String>)]
    log_channel_id: Option<Option<DiscordId>>,
    #[schema(value_type = Option<Vec<String>>)]
    verified_roles: Option<Vec<DiscordId>>,
    #[schema(value_type = Option<Vec<String>>)]
    booster_roles: Option<Vec<DiscordId>>,
    #[schema(value_type = Option<Vec<String>>)]
    plugin_roles: Option<Vec<DiscordId>>,
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<String>)]
    steam_group: Option<Option<String>>,
    #[schema(value_type = Option<String>)]
    join_mode: Option<JoinMode>,
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<String>)]
    invite_url: Option<Option<String>>,
    relink_cooldown_ms: Option<i64>,
}

/// Tells `null` from a field that is not there.
fn given<'de, D: Deserializer<'de>, T: Deserialize<'de>>(source: D) -> Result<Option<Option<T>>, D::Error> {
    Option::deserialize(source).map(Some)
}

pub async fn list(app: App, caller: Authorized<perm::ServersView>, (): ()) -> Answer<Found<GuildList>> {
    let found = guilds::list(&app, caller.scope).await?;
    Ok(Found(GuildList {
        guilds: found.into_iter().map(GuildView::from).collect(),
    }))
}

pub async fn get(
    app: App,
    caller: Authorized<perm::OrgSettings>,
    Segments(id): Segments<GuildId>,
) -> Answer<Found<GuildWithSettings>> {
    Ok(Found(guilds::get(&app, caller.scope, &id).await?.into()))
}

pub async fn change(
    app: App,
    caller: Authorized<perm::OrgSettings>,
    (Segments(id), JsonBody(change)): (Segments<GuildId>, JsonBody<Change>),
) -> Answer<Done> {
    let invite_url = match change.invite_url {
        Some(Some(text)) => {
            let invite = InviteUrl::parse(text.trim());
            Some(Some(
                invite.map_err(|error| AppError::invalid("invite_url", error))?,
            ))
        }
        Some(None) => Some(None),
        None => None,
    };
    let change = GuildChange {
        log_channel_id: change.log_channel_id,
        verified_roles: change.verified_roles,
        booster_roles: change.booster_roles,
        plugin_roles: change.plugin_roles,
        steam_group: change.steam_group,
        join_mode: change.join_mode,
        invite_url,
        relink_cooldown_ms: change.relink_cooldown_ms,
    };
    guilds::change(&app, caller.scope, id, change, caller.actor).await?;
    Ok(Done)
}
