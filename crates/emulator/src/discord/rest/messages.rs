//! Messages of a channel.

use std::sync::Arc;

use axum::Json;
use axum::extract::{RawQuery, State};
use axum::response::IntoResponse;
use serde_json::Value;

use super::content::Content;
use super::{channel_of, no_content};
use crate::common::forms::Form;
use crate::discord::Inner;
use crate::discord::caller::{Bot, Ids, Input};
use crate::discord::error::{Answer, ApiError};
use crate::discord::permissions::Permissions;
use crate::discord::snowflake::Snowflake;
use crate::discord::state::Message;
use crate::discord::wire;
use crate::discord::world::World;

const MOST: usize = 100;
const KEPT: usize = 5_000;
/// How long Discord remembers a nonce.
const NONCE_MS: i64 = 5 * 60_000;

/// Newest first, with `before`, `after` and `limit`.
pub async fn list(
    State(inner): State<Arc<Inner>>,
    Bot(bot): Bot,
    Ids(channel): Ids<Snowflake>,
    RawQuery(query): RawQuery,
) -> Answer {
    let query = Form::parse(query.unwrap_or_default().as_bytes());
    let id = |name| query.get(name).and_then(|id| id.parse::<Snowflake>().ok());
    let (after, before) = (
        id("after").unwrap_or(Snowflake(0)),
        id("before").unwrap_or(Snowflake(u64::MAX)),
    );
    let limit = query
        .get("limit")
        .and_then(|limit| limit.parse().ok())
        .unwrap_or(50)
        .clamp(1, MOST);
    let world = inner.world();
    channel_of(&world.state, channel, bot, Permissions::READ_MESSAGE_HISTORY)?;
    let messages = world.state.messages.get(&channel).into_iter().flatten();
    let wanted: Vec<&Message> = messages
        .filter(|message| after < message.id && message.id < before)
        .collect();
    // `after` reads forwards from there, everything else backwards from the end.
    let skipped = if id("after").is_some() {
        0
    } else {
        wanted.len().saturating_sub(limit)
    };
    let page = wanted.into_iter().skip(skipped).take(limit).rev();
    let listed: Vec<Value> = page
        .map(|message| wire::message(&world.state, channel, message))
        .collect();
    Ok(Json(listed).into_response())
}

pub async fn create(
    State(inner): State<Arc<Inner>>,
    Bot(bot): Bot,
    Ids(channel): Ids<Snowflake>,
    Input(content): Input<Content>,
) -> Answer {
    content.check()?;
    let now_ms = inner.hub.now_ms();
    let mut world = inner.world();
    let mut needed = Permissions::SEND_MESSAGES;
    if content.has_embeds() {
        needed = needed | Permissions::EMBED_LINKS;
    }
    let (guild, _, _) = channel_of(&world.state, channel, bot, needed)?;
    if let Some(nonce) = content.nonce().filter(|_| content.enforce_nonce) {
        let messages = world.state.messages.get(&channel).into_iter().flatten();
        let same = |message: &&Message| {
            message.author_id == bot
                && message.nonce.as_ref() == Some(&nonce)
                && now_ms - message.created_ms <= NONCE_MS
        };
        if let Some(first) = messages.rev().find(same) {
            return Ok(Json(wire::message(&world.state, channel, first)).into_response());
        }
    }
    let id = world.snowflake(now_ms);
    let message = content.into_message(id, bot, now_ms)?;
    let body = wire::message(&world.state, channel, &message);
    post(&mut world, guild, channel, message);
    Ok(Json(body).into_response())
}

/// Puts a message into a channel and tells the bots.
pub fn post(world: &mut World, guild: Snowflake, channel: Snowflake, message: Message) {
    world.announce_message("MESSAGE_CREATE", guild, channel, &message);
    let messages = world.state.messages.entry(channel).or_default();
    if messages.len() == KEPT {
        messages.remove(0);
    }
    messages.push(message);
}

pub async fn get(
    State(inner): State<Arc<Inner>>,
    Bot(bot): Bot,
    Ids((channel, id)): Ids<(Snowflake, Snowflake)>,
) -> Answer {
    let world = inner.world();
    channel_of(&world.state, channel, bot, Permissions::READ_MESSAGE_HISTORY)?;
    let message = find(&world, channel, id)?;
    Ok(Json(wire::message(&world.state, channel, message)).into_response())
}

pub async fn edit(
    State(inner): State<Arc<Inner>>,
    Bot(bot): Bot,
    Ids((channel, id)): Ids<(Snowflake, Snowflake)>,
    Input(content): Input<Content>,
) -> Answer {
    content.check()?;
    let mut world = inner.world();
    let (guild, _, _) = channel_of(&world.state, channel, bot, Permissions::VIEW_CHANNEL)?;
    let mut message = find(&world, channel, id)?.clone();
    if message.author_id != bot {
        return Err(ApiError::FOREIGN_MESSAGE);
    }
    content.apply(&mut message);
    message.edited_ms = Some(inner.hub.now_ms());
    let body = wire::message(&world.state, channel, &message);
    replace(&mut world, guild, channel, message);
    Ok(Json(body).into_response())
}

/// Puts a message in the place of its older self and tells the bots.
pub fn replace(world: &mut World, guild: Snowflake, channel: Snowflake, message: Message) {
    world.announce_message("MESSAGE_UPDATE", guild, channel, &message);
    let messages = world.state.messages.entry(channel).or_default();
    if let Some(old) = messages.iter_mut().find(|old| old.id == message.id) {
        *old = message;
    }
}

pub async fn delete(
    State(inner): State<Arc<Inner>>,
    Bot(bot): Bot,
    Ids((channel, id)): Ids<(Snowflake, Snowflake)>,
) -> Answer {
    let mut world = inner.world();
    let (guild, found, own) = channel_of(&world.state, channel, bot, Permissions::VIEW_CHANNEL)?;
    let permissions = found.permissions_in(guild, own, bot);
    let message = find(&world, channel, id)?.clone();
    if message.author_id != bot && !permissions.contain(Permissions::MANAGE_MESSAGES) {
        return Err(ApiError::MISSING_PERMISSIONS);
    }
    remove(&mut world, guild, channel, &message);
    Ok(no_content())
}

pub fn remove(world: &mut World, guild: Snowflake, channel: Snowflake, message: &Message) {
    world.announce_message("MESSAGE_DELETE", guild, channel, message);
    world
        .state
        .messages
        .entry(channel)
        .or_default()
        .retain(|other| other.id != message.id);
}

fn find(world: &World, channel: Snowflake, id: Snowflake) -> Result<&Message, ApiError> {
    let mut messages = world.state.messages.get(&channel).into_iter().flatten();
    messages
        .find(|message| message.id == id)
        .ok_or(ApiError::UNKNOWN_MESSAGE)
}
