//! What people write.

use serde::Deserialize;
use serde_json::json;

use super::permissions::Permissions;
use super::rest::content::Content;
use super::rest::messages;
use super::snowflake::Snowflake;
use super::state::Message;
use super::world::World;

/// Somebody writes this into a channel.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Said {
    pub channel_id: Snowflake,
    pub user_id: Snowflake,
    pub content: String,
}

/// The message as it was posted; the text says why it could not be.
pub fn say(world: &mut World, said: &Said, now_ms: i64) -> Result<Message, String> {
    let channel = said.channel_id;
    let guild_id = world
        .state
        .guild_of_channel(channel)
        .ok_or("There is no such channel.")?;
    let allowed = world.state.guilds.get(&guild_id).is_some_and(|guild| {
        let found = guild
            .channels
            .get(&channel)
            .filter(|_| guild.members.contains_key(&said.user_id));
        let permissions = found.map(|found| guild.permissions_in(guild_id, found, said.user_id));
        permissions.is_some_and(|own| own.contain(Permissions::VIEW_CHANNEL | Permissions::SEND_MESSAGES))
    });
    if !allowed {
        return Err("This person may not write there.".to_owned());
    }
    let content: Content =
        serde_json::from_value(json!({"content": said.content})).map_err(|error| error.to_string())?;
    let refused = |_| "A message has between 1 and 2,000 characters.";
    content.check().map_err(refused)?;
    let id = world.snowflake(now_ms);
    let message = content.into_message(id, said.user_id, now_ms).map_err(refused)?;
    messages::post(world, guild_id, channel, message.clone());
    Ok(message)
}
