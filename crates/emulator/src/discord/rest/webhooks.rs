//! What is posted to a channel at an address that a member made. It shares its address with answers to interactions.

use axum::Json;
use axum::response::IntoResponse;

use super::content::Content;
use super::messages;
use crate::discord::error::{Answer, ApiError};
use crate::discord::snowflake::Snowflake;
use crate::discord::wire;
use crate::discord::world::World;

/// The message as it stands in the channel, as if `wait=true` was asked for.
pub fn execute(world: &mut World, webhook: Snowflake, token: &str, content: Content, now_ms: i64) -> Answer {
    let own = world
        .state
        .webhooks
        .get(&webhook)
        .ok_or(ApiError::UNKNOWN_WEBHOOK)?;
    if own.token != token {
        return Err(ApiError::INVALID_WEBHOOK_TOKEN);
    }
    let (channel, name) = (own.channel_id, own.name.clone());
    let guild = world
        .state
        .guild_of_channel(channel)
        .ok_or(ApiError::UNKNOWN_WEBHOOK)?;
    let id = world.snowflake(now_ms);
    let message = content.into_message(id, webhook, now_ms)?;
    let mut body = wire::message(&world.state, channel, &message);
    body["webhook_id"] = serde_json::json!(webhook);
    body["author"] = serde_json::json!({ "id": webhook, "username": name, "discriminator": "0000", "avatar": null, "bot": true });
    messages::post(world, guild, channel, message);
    Ok(Json(body).into_response())
}
