//! Commands and buttons of people, handed on by a bot.

use app::App;
use app::AppError;
use app::bots::interactions::{self, Asked, Reply, Used};
use domain::platform_id::DiscordId;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::{Caller, discord_id};
use crate::extract::JsonBody;
use crate::routes::{Answer, Found};

/// What somebody used on Discord.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BotInteraction {
    /// Discord's; one that changes something is accepted once in 15 minutes.
    id: String,
    #[expect(
        dead_code,
        reason = "part of what a bot tells; whose command it was follows from its secret"
    )]
    application_id: String,
    kind: BotInteractionKind,
    /// Of the command, or what the button is called.
    name: String,
    #[serde(default)]
    options: BotInteractionOptions,
    discord_guild_id: String,
    channel_id: String,
    user_id: String,
    #[serde(default)]
    #[expect(
        dead_code,
        reason = "part of what a bot tells; names are kept when somebody links"
    )]
    user_name: String,
    /// Discord's name for the language of whoever asks.
    locale: String,
    guild_locale: Option<String>,
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum BotInteractionKind {
    Command,
    Button,
}

/// What was chosen; options of commands that are not known here are passed over.
#[derive(Default, Deserialize, ToSchema)]
struct BotInteractionOptions {
    user: Option<String>,
    id: Option<String>,
}

/// What they are told. Only they see it, and it pings nobody.
#[derive(Serialize, ToSchema)]
pub struct BotReply {
    content: String,
    #[schema(value_type = Vec<Object>)]
    embeds: Vec<Value>,
    #[schema(value_type = Vec<Object>)]
    components: Vec<Value>,
}

impl From<Reply> for BotReply {
    fn from(reply: Reply) -> Self {
        Self {
            content: reply.content,
            embeds: reply.embeds,
            components: reply.components,
        }
    }
}

pub async fn answer(
    app: App,
    bot: Caller,
    JsonBody(told): JsonBody<BotInteraction>,
) -> Answer<Found<BotReply>> {
    let reply = interactions::answer(&app, bot.record(), asked(told)?).await?;
    Ok(Found(reply.into()))
}

fn asked(told: BotInteraction) -> Result<Asked, AppError> {
    let id = |parameter, text: &str| -> Result<DiscordId, AppError> { discord_id(parameter, text) };
    Ok(Asked {
        id: id("id", &told.id)?,
        discord_guild_id: id("discord_guild_id", &told.discord_guild_id)?,
        channel_id: id("channel_id", &told.channel_id)?,
        user_id: id("user_id", &told.user_id)?,
        used: match told.kind {
            BotInteractionKind::Command => Used::Command(told.name),
            BotInteractionKind::Button => Used::Button(told.name),
        },
        user: told.options.user,
        search: told.options.id,
        locale: told.locale,
        guild_locale: told.guild_locale,
    })
}
