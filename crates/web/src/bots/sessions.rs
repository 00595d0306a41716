//! What a bot's process tells: how it is, when it wants a new session, and what it heard.

use app::App;
use app::AppError;
use app::bots::hints::{self, Hint, HintKind, MOST_AT_ONCE};
use app::bots::processes::{self, Report};
use domain::bot::{BotFailure, BotState};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Caller, discord_id};
use crate::extract::JsonBody;
use crate::routes::{Answer, Done, Found};

/// How a process is.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BotReport {
    /// 16 hex characters, by which processes are told apart.
    instance: String,
    /// `connecting`, `online` or `stopped`.
    state: String,
    /// `token_rejected`, `intents_missing`, `identify_budget`, `unreachable`, `sharding_required` or `refused`.
    failure: Option<String>,
    bot_user_id: Option<String>,
    #[serde(default)]
    guilds: i64,
    #[serde(default)]
    memory_bytes: i64,
    #[serde(default)]
    started_ms: i64,
}

#[derive(Serialize, ToSchema)]
pub struct BotHeard {
    /// People who are linked in the Guilds that the bot serves.
    linked: i64,
    /// False while a second process comes under the same secret.
    instance_ok: bool,
}

pub async fn report(app: App, bot: Caller, JsonBody(told): JsonBody<BotReport>) -> Answer<Found<BotHeard>> {
    let state = BotState::parse(&told.state);
    let state = state.ok_or_else(|| AppError::invalid("state", "it is connecting, online or stopped"))?;
    let failure = told.failure.as_deref().map(|text| {
        let known = BotFailure::parse(text);
        known.ok_or_else(|| AppError::invalid("failure", "there is no failure of that name"))
    });
    let user = told
        .bot_user_id
        .as_deref()
        .map(|text| discord_id("bot_user_id", text));
    let report = Report {
        instance: instance(told.instance)?,
        state,
        failure: failure.transpose()?,
        bot_user_id: user.transpose()?,
        guilds: count("guilds", told.guilds)?,
        memory_bytes: count("memory_bytes", told.memory_bytes)?,
        started_at_ms: count("started_ms", told.started_ms)?,
    };
    let heard = processes::report(&app, bot.record(), report).await?;
    Ok(Found(BotHeard {
        linked: heard.linked,
        instance_ok: heard.is_alone,
    }))
}

/// Discord's own words about new sessions, as the bot was told them.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BotIdentify {
    instance: String,
    remaining: i64,
    reset_after_ms: i64,
}

/// Nothing: the bot goes on.
#[derive(Serialize, ToSchema)]
pub struct BotMayIdentify {}

pub async fn identify(
    app: App,
    bot: Caller,
    JsonBody(asked): JsonBody<BotIdentify>,
) -> Answer<Found<BotMayIdentify>> {
    let (instance, reset_ms) = (instance(asked.instance)?, asked.reset_after_ms);
    processes::identify(&app, bot.record(), instance, asked.remaining, reset_ms).await?;
    Ok(Found(BotMayIdentify {}))
}

/// What a bot heard, at most 100 at once.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BotEvents {
    instance: String,
    events: Vec<BotEvent>,
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct BotEvent {
    kind: BotEventKind,
    discord_guild_id: String,
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum BotEventKind {
    /// The bot is in the Discord server.
    GuildHere,
    /// It is there no more.
    GuildGone,
    /// Roles, channels or its own standing changed.
    GuildChanged,
    /// Something else happened there.
    Seen,
}

pub async fn events(app: App, bot: Caller, JsonBody(told): JsonBody<BotEvents>) -> Answer<Done> {
    instance(told.instance)?;
    if told.events.len() > MOST_AT_ONCE {
        let problem = format!("at most {MOST_AT_ONCE} at once");
        return Err(AppError::invalid("events", problem).into());
    }
    let hints = told.events.into_iter().map(|event| {
        Ok(Hint {
            kind: match event.kind {
                BotEventKind::GuildHere => HintKind::Here,
                BotEventKind::GuildGone => HintKind::Gone,
                BotEventKind::GuildChanged => HintKind::Changed,
                BotEventKind::Seen => HintKind::Seen,
            },
            discord_guild_id: discord_id("discord_guild_id", &event.discord_guild_id)?,
        })
    });
    let hints = hints.collect::<Result<Vec<_>, AppError>>()?;
    hints::take(&app, bot.record(), &hints).await?;
    Ok(Done)
}

/// The name that a process gave itself.
fn instance(text: String) -> Result<String, AppError> {
    let is_hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    if text.len() == 16 && text.bytes().all(is_hex) {
        return Ok(text);
    }
    Err(AppError::invalid(
        "instance",
        "it is 16 characters out of 0-9 and a-f",
    ))
}

fn count(parameter: &'static str, number: i64) -> Result<i64, AppError> {
    if number >= 0 {
        return Ok(number);
    }
    Err(AppError::invalid(parameter, "it cannot be negative"))
}
