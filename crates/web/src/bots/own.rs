//! A Guild's own bot: the Custom Bot card.

use app::App;
use app::bots::own_bot::{self, Access, Card, Dedicated};
use app::bots::own_token::{self, TokenRequest};
use domain::id::{BotId, GuildId};
use domain::runner::{Restart, RunnerStatus, SetUpStep, Step, Trouble};
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::extract::{Authorized, JsonBody, Segments, perm};
use crate::openapi::words;
use crate::routes::{Answer, Done, Found};

/// A Guild's Custom Bot, and the shared bot that works while it does not.
#[derive(Serialize, ToSchema)]
pub struct CustomBot {
    /// Why one may run: `subscribed`, `included` where this installation lets every Guild have one, or `none`.
    access: &'static str,
    /// Whether it can be bought here.
    sold: bool,
    bot: Option<OwnBot>,
    shared: SharedBot,
    /// Linked accounts, which the bot's presence tells.
    linked: i64,
    guild_name: String,
}

/// The bot itself. Its token is never shown again.
#[derive(Serialize, ToSchema)]
struct OwnBot {
    #[schema(value_type = String)]
    id: BotId,
    discord_user_id: String,
    name: String,
    token_last4: String,
    token_saved_at_ms: i64,
    #[schema(value_type = words::BotStatus)]
    status: RunnerStatus,
    /// Which step is under way.
    #[schema(value_type = Option<words::BotStep>)]
    step: Option<SetUpStep>,
    message: &'static str,
    /// Why it does not run, or not as it should.
    #[schema(value_type = Option<words::BotTrouble>)]
    reason: Option<Trouble>,
    /// When it is tried again by itself.
    retry_at_ms: Option<i64>,
    /// Of its process.
    memory_bytes: Option<i64>,
    /// Of its process.
    started_at_ms: Option<i64>,
    restarted_at_ms: Option<i64>,
    #[schema(value_type = Option<words::BotRestart>)]
    restart_reason: Option<Restart>,
    /// Whether it works in the Discord server now, and the shared bot does not.
    serving: bool,
    /// Adds it to the Discord server, or what it lacks there.
    invite_url: Option<String>,
}

#[derive(Serialize, ToSchema)]
struct SharedBot {
    /// Whether it is in the Discord server; null when that is not known.
    present: Option<bool>,
    serving: bool,
    /// Adds it.
    invite_url: Option<String>,
}

impl OwnBot {
    fn of(bot: Dedicated, (serving, lacks_room): (bool, bool), invite_url: Option<String>) -> Self {
        let runner = &bot.runner;
        let step = runner.step;
        let is_running = matches!(step, Step::Start | Step::Online) && bot.memory_bytes > 0;
        Self {
            discord_user_id: bot.bot_user_id.to_string(),
            token_saved_at_ms: bot.token_saved_at_ms,
            status: step.status(),
            step: step.set_up(),
            message: step.message(),
            reason: lacks_room
                .then_some(Trouble::NoRoom)
                .or(Trouble::of(runner, bot.failure)),
            retry_at_ms: runner
                .reason
                .filter(|reason| reason.passes())
                .map(|_| runner.next_at_ms),
            memory_bytes: is_running.then_some(bot.memory_bytes),
            started_at_ms: bot.started_at_ms.filter(|_| is_running),
            restarted_at_ms: bot.restarted.map(|(at_ms, _)| at_ms),
            restart_reason: bot.restarted.map(|(_, reason)| reason),
            serving,
            invite_url,
            id: bot.id,
            name: bot.name,
            token_last4: bot.token_last4,
        }
    }
}

fn view(app: &App, card: Card) -> CustomBot {
    CustomBot {
        access: match card.access {
            Access::Subscribed => "subscribed",
            Access::Included => "included",
            Access::None => "none",
        },
        sold: app.plans.sold,
        shared: SharedBot {
            present: card.shared_present,
            serving: !card.is_serving,
            invite_url: card.shared_invite_url,
        },
        linked: card.linked,
        guild_name: card.guild_name,
        bot: card
            .bot
            .map(|bot| OwnBot::of(bot, (card.is_serving, card.lacks_room), card.invite_url)),
    }
}

/// A bot's token from Discord's developer portal.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BotToken {
    token: String,
    /// Whether it may be another bot's than before.
    #[serde(default)]
    new_identity: bool,
}

pub async fn get(
    app: App,
    caller: Authorized<perm::ServersBots>,
    Segments(guild): Segments<GuildId>,
) -> Answer<Found<CustomBot>> {
    let card = own_bot::get(&app, caller.scope, &guild).await?;
    Ok(Found(view(&app, card)))
}

pub async fn save(
    app: App,
    caller: Authorized<perm::OfTeam<perm::ServersBots>>,
    (Segments(guild), JsonBody(given)): (Segments<GuildId>, JsonBody<BotToken>),
) -> Answer<Found<CustomBot>> {
    let request = TokenRequest {
        token: SecretString::from(given.token),
        new_identity: given.new_identity,
    };
    let by = (caller.actor, caller.signed_in_at_ms);
    own_token::save(&app, caller.scope, &guild, request, by).await?;
    let card = own_bot::get(&app, caller.scope, &guild).await?;
    Ok(Found(view(&app, card)))
}

pub async fn retry(
    app: App,
    caller: Authorized<perm::ServersBots>,
    Segments(guild): Segments<GuildId>,
) -> Answer<Found<CustomBot>> {
    own_bot::retry(&app, caller.scope, &guild, caller.actor).await?;
    let card = own_bot::get(&app, caller.scope, &guild).await?;
    Ok(Found(view(&app, card)))
}

pub async fn remove(
    app: App,
    caller: Authorized<perm::OfTeam<perm::ServersBots>>,
    Segments(guild): Segments<GuildId>,
) -> Answer<Done> {
    let by = (caller.actor, caller.signed_in_at_ms);
    own_bot::remove(&app, caller.scope, &guild, by).await?;
    Ok(Done)
}
