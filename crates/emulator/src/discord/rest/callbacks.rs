//! The first answer to an interaction.

use std::sync::Arc;

use axum::Json;
use axum::extract::{RawQuery, State};
use axum::response::IntoResponse;
use serde_json::{Value, json};

use super::content::{Content, EPHEMERAL};
use super::{messages, no_content};
use crate::common::forms::Form;
use crate::discord::Inner;
use crate::discord::caller::{Ids, Input};
use crate::discord::error::{Answer, ApiError};
use crate::discord::interactions::Interaction;
use crate::discord::snowflake::Snowflake;
use crate::discord::state::Message;
use crate::discord::wire;
use crate::discord::world::World;

const PONG: u64 = 1;
const MESSAGE: u64 = 4;
const DEFERRED_MESSAGE: u64 = 5;
const DEFERRED_UPDATE: u64 = 6;
const UPDATE: u64 = 7;
const SUGGESTIONS: u64 = 8;
const DIALOG: u64 = 9;
/// "… is thinking".
const LOADING: u64 = 1 << 7;

/// Once, and within three seconds.
pub async fn answer(
    State(inner): State<Arc<Inner>>,
    Ids((id, token)): Ids<(Snowflake, String)>,
    RawQuery(query): RawQuery,
    Input(callback): Input<Value>,
) -> Answer {
    let now_ms = inner.hub.now_ms();
    let mut world = inner.world();
    let interaction = world.interactions.by_token(id, &token)?.clone();
    interaction.open_for_answer(now_ms)?;
    let kind = callback["type"]
        .as_u64()
        .ok_or_else(|| ApiError::required("type"))?;
    let content = match callback.get("data") {
        Some(data) if matches!(kind, MESSAGE | DEFERRED_MESSAGE | UPDATE) => {
            let content: Content = serde_json::from_value(data.clone())
                .map_err(|error| ApiError::field("data", "BASE_TYPE_BAD", &error.to_string()))?;
            content.check()?;
            content
        }
        Some(_) | None => Content::default(),
    };
    let message = match kind {
        PONG | SUGGESTIONS | DIALOG => None,
        DEFERRED_UPDATE => source(&world, &interaction).ok(),
        MESSAGE => Some(say(&mut world, &interaction, content, now_ms)?),
        DEFERRED_MESSAGE => Some(think(&mut world, &interaction, &content, now_ms)),
        UPDATE => Some(update(&mut world, &interaction, content, now_ms)?),
        _ => {
            return Err(ApiError::field(
                "type",
                "BASE_TYPE_CHOICES",
                "Unknown callback type.",
            ));
        }
    };
    let own = world.interactions.by_token(id, &token)?;
    own.callback = Some(callback);
    own.messages.extend(message.clone());
    let query = Form::parse(query.unwrap_or_default().as_bytes());
    if query.get("with_response") != Some("true") {
        return Ok(no_content());
    }
    Ok(Json(described(&world, &interaction, kind, message.as_ref())).into_response())
}

/// A message that everybody sees is in the channel, too; one for the person alone is not.
pub fn say(
    world: &mut World,
    interaction: &Interaction,
    content: Content,
    now_ms: i64,
) -> Result<Message, ApiError> {
    let id = world.snowflake(now_ms);
    let message = content.into_message(id, interaction.application_id, now_ms)?;
    if message.flags & EPHEMERAL == 0 {
        messages::post(
            world,
            interaction.guild_id,
            interaction.channel_id,
            message.clone(),
        );
    }
    Ok(message)
}

fn think(world: &mut World, interaction: &Interaction, content: &Content, now_ms: i64) -> Message {
    let visibility = if content.is_ephemeral() { EPHEMERAL } else { 0 };
    let message = Message {
        id: world.snowflake(now_ms),
        author_id: interaction.application_id,
        created_ms: now_ms,
        flags: visibility | LOADING,
        ..Message::default()
    };
    if visibility == 0 {
        messages::post(
            world,
            interaction.guild_id,
            interaction.channel_id,
            message.clone(),
        );
    }
    message
}

/// Changes the message whose button was pressed.
fn update(
    world: &mut World,
    interaction: &Interaction,
    content: Content,
    now_ms: i64,
) -> Result<Message, ApiError> {
    let mut message = source(world, interaction)?;
    content.apply(&mut message);
    message.edited_ms = Some(now_ms);
    messages::replace(
        world,
        interaction.guild_id,
        interaction.channel_id,
        message.clone(),
    );
    Ok(message)
}

fn source(world: &World, interaction: &Interaction) -> Result<Message, ApiError> {
    let list = world.state.messages.get(&interaction.channel_id);
    let found = list
        .into_iter()
        .flatten()
        .find(|message| Some(message.id) == interaction.source);
    found.cloned().ok_or(ApiError::UNKNOWN_MESSAGE)
}

fn described(world: &World, interaction: &Interaction, kind: u64, message: Option<&Message>) -> Value {
    let mut body = json!({
        "interaction": {
            "id": interaction.id,
            "type": if interaction.source.is_some() { 3 } else { 2 },
            "response_message_id": message.map(|message| message.id),
            "response_message_loading": kind == DEFERRED_MESSAGE,
            "response_message_ephemeral": message.is_some_and(|message| message.flags & EPHEMERAL != 0),
        },
    });
    if let Some(message) = message.filter(|_| matches!(kind, MESSAGE | UPDATE)) {
        let message = wire::message(&world.state, interaction.channel_id, message);
        body["resource"] = json!({"type": kind, "message": message});
    }
    body
}
