//! Somebody uses a command or presses a button, and the bot has three seconds to say something.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::error::ApiError;
use super::snowflake::Snowflake;
use super::state::{DiscordState, Message};
use super::wire;
use super::world::World;

const ANSWER_WITHIN_MS: i64 = 3_000;
const TOKEN_VALID_MS: i64 = 15 * 60_000;
const REMEMBERED: usize = 1_000;
const USER_OPTION: u64 = 6;

/// What a person does, and where.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "AnyUse")]
pub struct Use {
    pub application_id: Snowflake,
    pub guild_id: Snowflake,
    pub channel_id: Snowflake,
    pub user_id: Snowflake,
    pub what: What,
}

#[derive(Clone, Debug)]
pub enum What {
    Command(CommandUse),
    Component(ComponentUse),
}

/// A slash command by its name.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CommandUse {
    pub name: String,
    #[serde(default)]
    pub options: Vec<Value>,
}

/// A button or menu of a message.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ComponentUse {
    pub message_id: Snowflake,
    pub custom_id: String,
    #[serde(default)]
    pub values: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AnyUse {
    application_id: Snowflake,
    guild_id: Snowflake,
    channel_id: Snowflake,
    user_id: Snowflake,
    command: Option<CommandUse>,
    component: Option<ComponentUse>,
}

impl TryFrom<AnyUse> for Use {
    type Error = &'static str;

    fn try_from(any: AnyUse) -> Result<Self, &'static str> {
        let what = match (any.command, any.component) {
            (Some(command), None) => What::Command(command),
            (None, Some(component)) => What::Component(component),
            (None, None) | (Some(_), Some(_)) => return Err("name a command or a component, one of them"),
        };
        Ok(Self {
            application_id: any.application_id,
            guild_id: any.guild_id,
            channel_id: any.channel_id,
            user_id: any.user_id,
            what,
        })
    }
}

/// One use and everything the bot said to it.
#[derive(Clone, Debug, Serialize)]
pub struct Interaction {
    pub id: Snowflake,
    pub application_id: Snowflake,
    pub guild_id: Snowflake,
    pub channel_id: Snowflake,
    pub user_id: Snowflake,
    pub token: String,
    pub created_ms: i64,
    /// How the bot answered; missing while it has not.
    pub callback: Option<Value>,
    /// What the person sees, the first answer first. Some of it nobody else does.
    pub messages: Vec<Message>,
    /// The message whose button was pressed.
    pub source: Option<Snowflake>,
}

impl Interaction {
    pub fn open_for_answer(&self, now_ms: i64) -> Result<(), ApiError> {
        if self.callback.is_some() {
            return Err(ApiError::ALREADY_ACKNOWLEDGED);
        }
        if now_ms - self.created_ms > ANSWER_WITHIN_MS {
            return Err(ApiError::UNKNOWN_INTERACTION);
        }
        Ok(())
    }
}

#[derive(Default)]
pub struct Interactions(BTreeMap<Snowflake, Interaction>);

impl Interactions {
    pub fn get(&self, id: Snowflake) -> Option<&Interaction> {
        self.0.get(&id)
    }

    pub fn latest(&self) -> impl Iterator<Item = &Interaction> {
        self.0.values().rev()
    }

    pub fn by_token(&mut self, id: Snowflake, token: &str) -> Result<&mut Interaction, ApiError> {
        let found = self
            .0
            .get_mut(&id)
            .filter(|interaction| interaction.token == token);
        found.ok_or(ApiError::UNKNOWN_INTERACTION)
    }

    /// For messages after the first answer.
    pub fn answered(
        &mut self,
        application: Snowflake,
        token: &str,
        now_ms: i64,
    ) -> Result<&mut Interaction, ApiError> {
        let found = self
            .0
            .values_mut()
            .find(|interaction| interaction.application_id == application && interaction.token == token)
            .ok_or(ApiError::UNKNOWN_WEBHOOK)?;
        if now_ms - found.created_ms > TOKEN_VALID_MS {
            return Err(ApiError::INVALID_WEBHOOK_TOKEN);
        }
        if found.callback.is_none() {
            return Err(ApiError::UNKNOWN_WEBHOOK);
        }
        Ok(found)
    }

    fn add(&mut self, interaction: Interaction) {
        if self.0.len() == REMEMBERED {
            self.0.pop_first();
        }
        self.0.insert(interaction.id, interaction);
    }
}

/// Lets a person do something, and tells the bot. The text says why that is impossible.
pub fn fire(world: &mut World, used: &Use, token: String, now_ms: i64) -> Result<Interaction, String> {
    let id = world.snowflake(now_ms);
    let (kind, data, message) = content(&world.state, used)?;
    let mut payload = context(&world.state, used)?;
    payload["id"] = json!(id);
    payload["type"] = kind.into();
    payload["data"] = data;
    payload["token"] = token.as_str().into();
    if let Some(message) = message {
        payload["message"] = message;
    }
    let mut heard = false;
    for session in world.sessions.of_guild(used.guild_id) {
        if session.application == used.application_id && session.is_connected() {
            session.dispatch("INTERACTION_CREATE", &payload);
            heard = true;
        }
    }
    if !heard {
        return Err(format!("the bot {} is not connected", used.application_id));
    }
    let interaction = Interaction {
        id,
        application_id: used.application_id,
        guild_id: used.guild_id,
        channel_id: used.channel_id,
        user_id: used.user_id,
        token,
        created_ms: now_ms,
        callback: None,
        messages: Vec::new(),
        source: match &used.what {
            What::Command(_) => None,
            What::Component(component) => Some(component.message_id),
        },
    };
    world.interactions.add(interaction.clone());
    Ok(interaction)
}

/// Type, data and, for a component, its message.
fn content(state: &DiscordState, used: &Use) -> Result<(u8, Value, Option<Value>), String> {
    match &used.what {
        What::Command(CommandUse { name, options }) => {
            let command =
                find_command(state, used, name).ok_or(format!("there is no command /{name} here"))?;
            let mut data = json!({
                "id": command["id"],
                "name": name,
                "type": 1,
                "guild_id": used.guild_id,
                "options": typed(options, &command["options"]),
            });
            data["resolved"] = resolved(state, used.guild_id, &data["options"]);
            Ok((2, data, None))
        }
        What::Component(ComponentUse {
            message_id,
            custom_id,
            values,
        }) => {
            let list = state.messages.get(&used.channel_id);
            let message = list.and_then(|list| list.iter().find(|message| message.id == *message_id));
            let message = message.ok_or("there is no such message in this channel")?;
            let component = find_component(&message.components, custom_id);
            let component = component.ok_or(format!("that message has no component `{custom_id}`"))?;
            let mut data = json!({"custom_id": custom_id, "component_type": component["type"], "id": 1});
            if component["type"] != 2 {
                data["values"] = json!(values);
            }
            let shown = wire::message(state, used.channel_id, message);
            Ok((3, data, Some(shown)))
        }
    }
}

fn find_command<'a>(state: &'a DiscordState, used: &Use, name: &str) -> Option<&'a Value> {
    let application = state.applications.get(&used.application_id)?;
    let own = application.guild_commands.get(&used.guild_id);
    own.into_iter()
        .flatten()
        .chain(&application.commands)
        .find(|command| command["name"] == name)
}

/// The component with this id, in whatever row or container it stands.
fn find_component<'a>(components: &'a [Value], custom_id: &str) -> Option<&'a Value> {
    components.iter().find_map(|component| {
        if component["custom_id"] == custom_id {
            return Some(component);
        }
        find_component(component["components"].as_array()?, custom_id)
    })
}

/// Options with the type that the command declares, where the caller did not say.
fn typed(options: &[Value], declared: &Value) -> Vec<Value> {
    let type_of = |name: &Value| {
        let declared = declared.as_array().into_iter().flatten();
        declared
            .into_iter()
            .find(|option| option["name"] == *name)
            .map(|option| option["type"].clone())
    };
    let complete = |option: &Value| {
        let mut option = option.clone();
        if option["type"].is_null() {
            option["type"] = type_of(&option["name"]).unwrap_or(json!(3));
        }
        option
    };
    options.iter().map(complete).collect()
}

/// The people that options name.
fn resolved(state: &DiscordState, guild: Snowflake, options: &Value) -> Value {
    let (mut users, mut members) = (json!({}), json!({}));
    for option in options.as_array().into_iter().flatten() {
        let id = option["value"]
            .as_str()
            .and_then(|id| id.parse::<Snowflake>().ok());
        if let Some(id) = id.filter(|_| option["type"] == USER_OPTION) {
            users[id.to_string()] = wire::known_user(state, id);
            if let Some(member) = state.guilds.get(&guild).and_then(|guild| guild.members.get(&id)) {
                members[id.to_string()] = wire::bare_member(member);
            }
        }
    }
    json!({"users": users, "members": members})
}

/// Where it happens and who does it.
fn context(state: &DiscordState, used: &Use) -> Result<Value, String> {
    let guild = state.guilds.get(&used.guild_id).ok_or("there is no such guild")?;
    let channel = guild
        .channels
        .get(&used.channel_id)
        .ok_or("the guild has no such channel")?;
    let member = guild
        .members
        .get(&used.user_id)
        .ok_or("the guild has no such member")?;
    let allowed = |who| guild.permissions_in(used.guild_id, channel, who);
    let last = state
        .messages
        .get(&used.channel_id)
        .and_then(|list| list.last())
        .map(|message| message.id);
    Ok(json!({
        "application_id": used.application_id,
        "guild_id": used.guild_id,
        "guild": {"id": used.guild_id, "locale": "en-US", "features": []},
        "guild_locale": "en-US",
        "locale": "en-US",
        "channel_id": used.channel_id,
        "channel": wire::channel(used.guild_id, used.channel_id, channel, last),
        "member": wire::acting_member(state, used.user_id, member, allowed(used.user_id)),
        "app_permissions": allowed(used.application_id),
        "entitlements": [],
        "authorizing_integration_owners": {"0": used.guild_id},
        "context": 0,
        "attachment_size_limit": 10_485_760,
        "version": 1,
    }))
}
