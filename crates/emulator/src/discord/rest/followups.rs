//! What a bot says to an interaction after its first answer.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::response::IntoResponse;

use super::content::{Content, EPHEMERAL};
use super::{callbacks, messages, no_content, webhooks};
use crate::discord::Inner;
use crate::discord::caller::{Ids, Input};
use crate::discord::error::{Answer, ApiError};
use crate::discord::interactions::Interaction;
use crate::discord::snowflake::Snowflake;
use crate::discord::state::Message;
use crate::discord::wire;
use crate::discord::world::World;

/// The flag of an answer that was promised.
const LOADING: u64 = 1 << 7;
type Address = (Snowflake, String, String);

pub async fn create(
    State(inner): State<Arc<Inner>>,
    Ids((application, token)): Ids<(Snowflake, String)>,
    Input(content): Input<Content>,
) -> Answer {
    content.check()?;
    let now_ms = inner.hub.now_ms();
    let mut world = inner.world();
    if world.state.webhooks.contains_key(&application) {
        return webhooks::execute(&mut world, application, &token, content, now_ms);
    }
    let interaction = world.interactions.answered(application, &token, now_ms)?.clone();
    let message = callbacks::say(&mut world, &interaction, content, now_ms)?;
    let body = wire::message(&world.state, interaction.channel_id, &message);
    world
        .interactions
        .answered(application, &token, now_ms)?
        .messages
        .push(message);
    Ok(Json(body).into_response())
}

pub async fn get(State(inner): State<Arc<Inner>>, Ids(address): Ids<Address>) -> Answer {
    let mut world = inner.world();
    let (interaction, message) = find(&mut world, &address, inner.hub.now_ms())?;
    Ok(Json(wire::message(&world.state, interaction.channel_id, &message)).into_response())
}

/// Also how a promised answer is given.
pub async fn edit(
    State(inner): State<Arc<Inner>>,
    Ids(address): Ids<Address>,
    Input(content): Input<Content>,
) -> Answer {
    content.check()?;
    let now_ms = inner.hub.now_ms();
    let mut world = inner.world();
    let (interaction, mut message) = find(&mut world, &address, now_ms)?;
    content.apply(&mut message);
    message.flags &= !LOADING;
    message.edited_ms = Some(now_ms);
    if message.flags & EPHEMERAL == 0 {
        messages::replace(
            &mut world,
            interaction.guild_id,
            interaction.channel_id,
            message.clone(),
        );
    }
    let own = world.interactions.answered(address.0, &address.1, now_ms)?;
    if let Some(old) = own.messages.iter_mut().find(|old| old.id == message.id) {
        *old = message.clone();
    }
    Ok(Json(wire::message(&world.state, interaction.channel_id, &message)).into_response())
}

pub async fn delete(State(inner): State<Arc<Inner>>, Ids(address): Ids<Address>) -> Answer {
    let now_ms = inner.hub.now_ms();
    let mut world = inner.world();
    let (interaction, message) = find(&mut world, &address, now_ms)?;
    if message.flags & EPHEMERAL == 0 {
        messages::remove(&mut world, interaction.guild_id, interaction.channel_id, &message);
    }
    world
        .interactions
        .answered(address.0, &address.1, now_ms)?
        .messages
        .retain(|old| old.id != message.id);
    Ok(no_content())
}

/// The message by its id, or the first one as `@original`.
fn find(
    world: &mut World,
    (application, token, message): &Address,
    now_ms: i64,
) -> Result<(Interaction, Message), ApiError> {
    let interaction = world.interactions.answered(*application, token, now_ms)?;
    let mut messages = interaction.messages.iter();
    let found = if message == "@original" {
        messages.next()
    } else {
        messages.find(|own| own.id.to_string() == *message)
    };
    let found = found.ok_or(ApiError::UNKNOWN_MESSAGE)?.clone();
    Ok((interaction.clone(), found))
}
