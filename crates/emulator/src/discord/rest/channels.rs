//! Channels of a guild.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::response::IntoResponse;
use http::StatusCode;
use serde::Deserialize;
use serde_json::Value;

use super::{channel_of, guild_of, require};
use crate::discord::Inner;
use crate::discord::caller::{Bot, Ids, Input};
use crate::discord::error::{Answer, ApiError};
use crate::discord::permissions::Permissions;
use crate::discord::snowflake::Snowflake;
use crate::discord::state::{Channel, Overwrite};
use crate::discord::wire;

const NAME_CHARACTERS: usize = 100;

/// All of them, also those the bot cannot read.
pub async fn list(State(inner): State<Arc<Inner>>, Bot(bot): Bot, Ids(guild): Ids<Snowflake>) -> Answer {
    let world = inner.world();
    let found = guild_of(&world.state, guild, bot)?;
    let listed: Vec<Value> = found
        .channels
        .iter()
        .map(|(id, channel)| wire::channel(guild, *id, channel, world.last_message(*id)))
        .collect();
    Ok(Json(listed).into_response())
}

pub async fn get(State(inner): State<Arc<Inner>>, Bot(bot): Bot, Ids(id): Ids<Snowflake>) -> Answer {
    let world = inner.world();
    let (guild, _, channel) = channel_of(&world.state, id, bot, Permissions::VIEW_CHANNEL)?;
    Ok(Json(wire::channel(guild, id, channel, world.last_message(id))).into_response())
}

#[derive(Deserialize)]
pub struct ChannelRequest {
    name: String,
    #[serde(default, rename = "type")]
    kind: u8,
    topic: Option<String>,
    parent_id: Option<Snowflake>,
    permission_overwrites: Option<Vec<Overwrite>>,
}

pub async fn create(
    State(inner): State<Arc<Inner>>,
    Bot(bot): Bot,
    Ids(guild): Ids<Snowflake>,
    Input(request): Input<ChannelRequest>,
) -> Answer {
    let mut world = inner.world();
    let found = guild_of(&world.state, guild, bot)?;
    require(found, guild, bot, Permissions::MANAGE_CHANNELS)?;
    if request.name.is_empty() {
        return Err(ApiError::required("name"));
    }
    if request.name.chars().count() > NAME_CHARACTERS {
        return Err(ApiError::too_long("name", NAME_CHARACTERS));
    }
    let channel = Channel {
        name: request.name,
        kind: request.kind,
        position: i64::try_from(found.channels.len()).unwrap_or(0),
        topic: request.topic,
        parent_id: request.parent_id,
        permission_overwrites: request.permission_overwrites.unwrap_or_default(),
    };
    let id = world.snowflake(inner.hub.now_ms());
    let body = wire::channel(guild, id, &channel, None);
    world.change_guild(guild, |guild| guild.channels.insert(id, channel));
    Ok((StatusCode::CREATED, Json(body)).into_response())
}

pub async fn delete(State(inner): State<Arc<Inner>>, Bot(bot): Bot, Ids(id): Ids<Snowflake>) -> Answer {
    let mut world = inner.world();
    let (guild, _, channel) = channel_of(&world.state, id, bot, Permissions::MANAGE_CHANNELS)?;
    let body = wire::channel(guild, id, channel, None);
    world.change_guild(guild, |guild| guild.channels.remove(&id));
    world.state.messages.remove(&id);
    Ok(Json(body).into_response())
}
