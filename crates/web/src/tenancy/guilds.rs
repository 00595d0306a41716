//! Guilds and what an Org decides about them.

use app::tenancy::claims::{self, ClaimRequest};
use app::tenancy::end_guild;
use app::tenancy::guild_changes::{self, GuildChange};
use app::tenancy::guilds::{self, Guild, GuildSettings, SteamGroup};
use app::{App, AppError, pictures};
use domain::flow::JoinMode;
use domain::id::GuildId;
use domain::invite::InviteUrl;
use domain::name::Slug;
use domain::platform_id::DiscordId;
use domain::roles::Template;
use serde::{Deserialize, Deserializer, Serialize};
use utoipa::ToSchema;

use crate::extract::{Authorized, JsonBody, Pressed, Segments, perm};
use crate::fields::display_name;
use crate::openapi::words;
use crate::routes::{Answer, Created, Done, Found};

#[derive(Serialize, ToSchema)]
pub struct GuildView {
    #[schema(value_type = String)]
    id: GuildId,
    #[schema(value_type = String)]
    discord_guild_id: DiscordId,
    slug: String,
    name: String,
    /// Where its picture is.
    picture: Option<String>,
    active_links: i64,
}

impl From<Guild> for GuildView {
    fn from(guild: Guild) -> Self {
        let picture = guild.picture.as_deref();
        Self {
            picture: picture.map(|digest| pictures::address(guild.id.as_str(), digest)),
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
    /// Guilds that are gone already, and whose links are being archived.
    removals: Vec<RemovalView>,
}

/// How far the removal of a Guild is.
#[derive(Serialize, ToSchema)]
#[schema(as = RemovalProgress)]
struct RemovalView {
    name: String,
    links_ended: i64,
    links: i64,
}

impl From<end_guild::Removal> for RemovalView {
    fn from(removal: end_guild::Removal) -> Self {
        Self {
            name: removal.name,
            links_ended: removal.ended,
            links: removal.links,
        }
    }
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
    #[schema(value_type = words::MembershipMode)]
    join_mode: JoinMode,
    invite_url: Option<String>,
    relink_cooldown_ms: i64,
    /// What nicknames of linked members follow; nothing leaves them alone.
    nickname_template: Option<String>,
    /// One more with every save.
    revision: i64,
}

/// The number is text like every id, though it would fit.
#[derive(Serialize, ToSchema)]
#[schema(as = SteamGroup)]
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
            revision: guild.revision,
            guild: guild.into(),
            log_channel_id: settings.log_channel_id,
            verified_roles: settings.verified_roles,
            booster_roles: settings.booster_roles,
            plugin_roles: settings.plugin_roles,
            steam_group: settings.steam_group.map(SteamGroupView::from),
            join_mode: settings.join_mode,
            invite_url: settings.invite_url.map(|invite| invite.to_string()),
            relink_cooldown_ms: settings.relink_cooldown_ms,
            nickname_template: settings
                .nickname_template
                .map(|template| template.as_str().to_owned()),
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
    #[schema(value_type = Option<words::MembershipMode>)]
    join_mode: Option<JoinMode>,
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<String>)]
    invite_url: Option<Option<String>>,
    relink_cooldown_ms: Option<i64>,
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<String>)]
    nickname_template: Option<Option<String>>,
    name: Option<String>,
    slug: Option<String>,
    /// As it was read. A save by somebody else since then refuses this one; without it, the last one counts.
    revision: Option<i64>,
}

/// Tells `null` from a field that is not there.
fn given<'de, D: Deserializer<'de>, T: Deserialize<'de>>(source: D) -> Result<Option<Option<T>>, D::Error> {
    Option::deserialize(source).map(Some)
}

pub async fn list(app: App, caller: Authorized<perm::ServersView>, (): ()) -> Answer<Found<GuildList>> {
    let found = guilds::list(&app, caller.scope).await?;
    let removals = end_guild::list(&app, caller.scope).await?;
    Ok(Found(GuildList {
        guilds: found.into_iter().map(GuildView::from).collect(),
        removals: removals.into_iter().map(RemovalView::from).collect(),
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
    let template =
        |text: String| Template::parse(&text).map_err(|error| AppError::invalid("nickname_template", error));
    let nickname_template = change.nickname_template;
    let nickname_template = nickname_template
        .map(|text| text.map(template).transpose())
        .transpose()?;
    let change = GuildChange {
        log_channel_id: change.log_channel_id,
        verified_roles: change.verified_roles,
        booster_roles: change.booster_roles,
        plugin_roles: change.plugin_roles,
        steam_group: change.steam_group,
        join_mode: change.join_mode,
        invite_url,
        relink_cooldown_ms: change.relink_cooldown_ms,
        nickname_template,
        name: change.name.as_deref().map(display_name).transpose()?,
        slug: change.slug.as_deref().map(slug).transpose()?,
        revision: change.revision,
    };
    guild_changes::change(&app, caller.scope, id, change, caller.actor).await?;
    Ok(Done)
}

fn slug(text: &str) -> Result<Slug, AppError> {
    Slug::parse(text).map_err(|error| AppError::invalid("slug", error))
}

#[derive(Serialize, ToSchema)]
pub struct CandidateList {
    candidates: Vec<Candidate>,
    /// When Discord was asked; nothing when it has to be asked first.
    looked_up_at_ms: Option<i64>,
    bot_invite_url: Option<String>,
}

#[derive(Serialize, ToSchema)]
pub struct Candidate {
    #[schema(value_type = String)]
    discord_guild_id: DiscordId,
    name: String,
    /// An organisation has it already.
    claimed: bool,
}

pub async fn candidates(
    app: App,
    caller: Authorized<perm::OrgSettings>,
    (): (),
) -> Answer<Found<CandidateList>> {
    let found = claims::list(&app, caller.account).await?;
    let looked_up_at_ms = found.guilds.first().map(|guild| guild.seen_at_ms);
    let candidates = found.guilds.into_iter().map(|guild| Candidate {
        discord_guild_id: guild.discord_guild_id,
        name: guild.name,
        claimed: guild.claimed,
    });
    Ok(Found(CandidateList {
        candidates: candidates.collect(),
        looked_up_at_ms,
        bot_invite_url: found.bot_invite_url,
    }))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewGuild {
    #[schema(value_type = String)]
    discord_guild_id: DiscordId,
    #[schema(min_length = 3, max_length = 40, pattern = "^[a-z0-9]+(-[a-z0-9]+)*$")]
    slug: String,
    #[serde(default)]
    #[schema(min_length = 1, max_length = 64)]
    name: Option<String>,
}

pub async fn claim(
    app: App,
    caller: Authorized<perm::OfTeam<perm::OrgSettings>>,
    Pressed(JsonBody(new), press): Pressed<JsonBody<NewGuild>>,
) -> Answer<Created<GuildView>> {
    let request = ClaimRequest {
        discord_guild_id: new.discord_guild_id,
        slug: slug(&new.slug)?,
        name: new.name.as_deref().map(display_name).transpose()?,
    };
    let press = press.by(caller.account);
    let id = claims::claim(&app, press, caller.scope, caller.account, request, caller.actor).await?;
    let found = guilds::get(&app, caller.scope, &id).await;
    let (guild, _) = found.map_err(AppError::after_write)?;
    Ok(Created(guild.into()))
}

/// The short name of what is removed, typed by hand.
#[derive(Deserialize, ToSchema)]
#[schema(as = GuildRemoval)]
#[serde(deny_unknown_fields)]
pub struct Removal {
    #[schema(min_length = 3, max_length = 40, pattern = "^[a-z0-9]+(-[a-z0-9]+)*$")]
    confirm: String,
}

pub async fn remove(
    app: App,
    caller: Authorized<perm::OfTeam<perm::OrgSettings>>,
    (Segments(id), JsonBody(removal)): (Segments<GuildId>, JsonBody<Removal>),
) -> Answer<Done> {
    let (guild, _) = guilds::get(&app, caller.scope, &id).await?;
    if removal.confirm.trim() != guild.slug {
        return Err(AppError::invalid("confirm", "type the short name of the Guild").into());
    }
    guilds::remove(&app, caller.scope, id, caller.actor).await?;
    Ok(Done)
}
