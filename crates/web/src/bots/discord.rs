//! A Guild as it is on Discord, for pickers and the card of the bot.

use app::App;
use app::bots::facts::{self, Channel, OnDiscord, Role};
use domain::id::GuildId;
use serde::Serialize;
use utoipa::ToSchema;

use crate::extract::{Authorized, Segments, perm};
use crate::routes::{Answer, Done, Found};

/// What was last read of a Guild on Discord. What is null is not known.
#[derive(Serialize, ToSchema)]
pub struct GuildOnDiscord {
    /// Whether the bot is in the Discord server.
    present: Option<bool>,
    /// Whether the bot is connected to Discord. While it is not, commands get no answer; log messages still arrive.
    online: bool,
    /// Whether Discord has registered the slash commands.
    commands: bool,
    /// What the bot needs, by Discord's names, and whether it has it.
    permissions: Vec<HeldPermission>,
    /// Adds the bot, or the permissions that it lacks; null when it lacks none.
    invite_url: Option<String>,
    /// When this was read.
    checked_at_ms: Option<i64>,
    /// When the bot last heard of the Discord server.
    last_event_at_ms: Option<i64>,
    /// Why log messages do not arrive.
    log_problem: Option<LogTrouble>,
    /// The highest first.
    roles: Vec<DiscordRole>,
    /// Categories too, by position.
    channels: Vec<DiscordChannel>,
    /// It is being read anew: ask again in a moment.
    looking: bool,
}

#[derive(Serialize, ToSchema)]
struct HeldPermission {
    name: &'static str,
    held: bool,
}

#[derive(Serialize, ToSchema)]
struct LogTrouble {
    code: &'static str,
    message: &'static str,
    since_ms: i64,
}

/// A role of the Discord server.
#[derive(Serialize, ToSchema)]
struct DiscordRole {
    id: String,
    name: String,
    /// 0 is none.
    colour: i64,
    position: i64,
    /// Why the bot does not give it: `managed`, `above_bot`, `no_permission` or `powerful`.
    reason: Option<String>,
    /// When it was first missed; the name is what it was called.
    gone_at_ms: Option<i64>,
}

/// A channel of the Discord server, or a category.
#[derive(Serialize, ToSchema)]
struct DiscordChannel {
    id: String,
    name: String,
    /// Discord's number for what it is: 0 is text, 4 a category, 5 announcements.
    kind: i64,
    position: i64,
    /// Its category.
    parent_id: Option<String>,
    /// Why the bot cannot post in it: `not_text`, `cannot_see`, `cannot_post` or `cannot_embed`.
    reason: Option<String>,
    /// When it was first missed; the name is what it was called.
    gone_at_ms: Option<i64>,
}

impl From<Role> for DiscordRole {
    fn from(role: Role) -> Self {
        Self {
            id: role.id.to_string(),
            name: role.name,
            colour: role.colour,
            position: role.position,
            reason: role.reason,
            gone_at_ms: role.gone_at,
        }
    }
}

impl From<Channel> for DiscordChannel {
    fn from(channel: Channel) -> Self {
        Self {
            id: channel.id.to_string(),
            name: channel.name,
            kind: channel.kind,
            position: channel.position,
            parent_id: channel.parent_id.map(|id| id.to_string()),
            reason: channel.reason,
            gone_at_ms: channel.gone_at,
        }
    }
}

impl From<OnDiscord> for GuildOnDiscord {
    fn from(found: OnDiscord) -> Self {
        let permissions = found.permissions.into_iter();
        Self {
            present: found.present,
            online: found.online,
            commands: found.has_commands,
            permissions: permissions
                .map(|(name, held)| HeldPermission { name, held })
                .collect(),
            invite_url: found.invite_url,
            checked_at_ms: found.checked_at_ms,
            last_event_at_ms: found.last_event_at_ms,
            log_problem: found.log_problem.map(|(problem, since_ms)| LogTrouble {
                code: problem.as_str(),
                message: problem.text(),
                since_ms,
            }),
            roles: found.roles.into_iter().map(DiscordRole::from).collect(),
            channels: found.channels.into_iter().map(DiscordChannel::from).collect(),
            looking: found.is_looking,
        }
    }
}

pub async fn get(
    app: App,
    caller: Authorized<perm::OrgSettings>,
    Segments(id): Segments<GuildId>,
) -> Answer<Found<GuildOnDiscord>> {
    Ok(Found(facts::get(&app, caller.scope, &id).await?.into()))
}

pub async fn look(
    app: App,
    caller: Authorized<perm::OrgSettings>,
    Segments(id): Segments<GuildId>,
) -> Answer<Done> {
    facts::look_again(&app, caller.scope, &id).await?;
    Ok(Done)
}
