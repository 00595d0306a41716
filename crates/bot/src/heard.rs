//! What the bot hears on the gateway, read only as far as it is needed. Discord adds fields and kinds at any time, so
//! whatever is not known here is passed over.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use twilight_model::gateway::event::GatewayEventDeserializer;

use crate::members::Change;

const HELLO: u8 = 10;
const DISCORD_EPOCH_MS: i64 = 1_420_070_400_000;

/// A message that means something to us.
#[derive(Debug, PartialEq)]
pub enum Heard {
    /// A connection was made.
    Hello,
    Ready {
        bot_user_id: String,
        guilds: Vec<u64>,
    },
    Resumed,
    GuildHere(u64),
    GuildGone(u64),
    /// Roles, channels or names are not what they were.
    GuildChanged(u64),
    /// A member came or went, or their roles or names are not what they were.
    Member(MemberHeard),
    Interaction(Box<Interaction>),
}

/// Somebody in a guild. Whether it is the bot itself decides what follows.
#[derive(Debug, PartialEq)]
pub struct MemberHeard {
    pub guild: u64,
    pub user: u64,
    /// Also of another bot.
    pub is_bot: bool,
    pub change: Change,
}

/// Somebody used a command or a button.
#[derive(Debug, PartialEq)]
pub struct Interaction {
    pub id: String,
    pub application_id: String,
    /// For answering; it proves that the answer is ours.
    pub token: String,
    pub guild: u64,
    pub asked: Asked,
}

impl Interaction {
    /// When they did, by Discord's clock, which is in its id.
    pub fn asked_ms(&self) -> Option<i64> {
        let since_epoch = number(&self.id)? >> 22;
        Some(i64::try_from(since_epoch).ok()? + DISCORD_EPOCH_MS)
    }
}

/// The same for the service.
#[derive(Debug, PartialEq, Serialize)]
pub struct Asked {
    pub id: String,
    pub application_id: String,
    pub kind: Kind,
    pub name: String,
    pub options: BTreeMap<String, String>,
    pub discord_guild_id: String,
    pub channel_id: String,
    pub user_id: String,
    pub user_name: String,
    pub locale: String,
    pub guild_locale: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    Command,
    Button,
}

/// What a message of the gateway says; None when it is nothing to us.
pub fn read(text: &str) -> Option<Heard> {
    let event = GatewayEventDeserializer::from_json(text)?;
    if event.op() == HELLO {
        return Some(Heard::Hello);
    }
    match event.event_type()? {
        "READY" => data::<Ready>(text).map(|ready| Heard::Ready {
            bot_user_id: ready.user.id,
            guilds: ready
                .guilds
                .iter()
                .filter_map(|guild| number(&guild.id))
                .collect(),
        }),
        "RESUMED" => Some(Heard::Resumed),
        "GUILD_CREATE" => there(text).map(Heard::GuildHere),
        // A guild that is unavailable has an outage; the bot is still in it.
        "GUILD_DELETE" => there(text).map(Heard::GuildGone),
        "GUILD_UPDATE" => there(text).map(Heard::GuildChanged),
        "GUILD_ROLE_CREATE" | "GUILD_ROLE_UPDATE" | "GUILD_ROLE_DELETE" | "CHANNEL_CREATE"
        | "CHANNEL_UPDATE" | "CHANNEL_DELETE" => {
            number(&data::<InGuild>(text)?.guild_id).map(Heard::GuildChanged)
        }
        "GUILD_MEMBER_ADD" => member(text, Change::Joined),
        "GUILD_MEMBER_UPDATE" => member(text, Change::Changed),
        "GUILD_MEMBER_REMOVE" => member(text, Change::Left),
        "INTERACTION_CREATE" => interaction(data(text)?).map(Box::new).map(Heard::Interaction),
        _ => None,
    }
}

/// The guild of an event about one, unless it is unavailable.
fn there(text: &str) -> Option<u64> {
    let guild = data::<GuildEvent>(text)?;
    (!guild.unavailable).then(|| number(&guild.id)).flatten()
}

fn member(text: &str, change: Change) -> Option<Heard> {
    let event = data::<MemberEvent>(text)?;
    Some(Heard::Member(MemberHeard {
        guild: number(&event.guild_id)?,
        user: number(&event.user.id)?,
        is_bot: event.user.bot,
        change,
    }))
}

fn data<'a, T: Deserialize<'a>>(text: &'a str) -> Option<T> {
    #[derive(Deserialize)]
    struct Dispatch<T> {
        d: T,
    }
    let read = serde_json::from_str::<Dispatch<T>>(text);
    let read = read.inspect_err(|error| tracing::warn!(%error, "an event could not be read"));
    read.ok().map(|dispatch| dispatch.d)
}

fn number(id: &str) -> Option<u64> {
    id.parse().ok()
}

fn interaction(made: InteractionCreate) -> Option<Interaction> {
    let (kind, name) = match (made.kind, made.data.name, made.data.custom_id) {
        (2, Some(name), _) => (Kind::Command, name),
        (3, _, Some(custom_id)) => (Kind::Button, custom_id),
        _ => return None,
    };
    let options = made.data.options.into_iter().filter_map(|option| {
        let value = option.value?;
        let text = value.as_str().map(str::to_owned);
        Some((option.name, text.unwrap_or_else(|| value.to_string())))
    });
    let guild_id = made.guild_id?;
    let user = made.member?.user?;
    let asked = Asked {
        id: made.id.clone(),
        application_id: made.application_id.clone(),
        kind,
        name,
        options: options.collect(),
        channel_id: made.channel_id?,
        user_id: user.id,
        user_name: user.global_name.or(user.username).unwrap_or_default(),
        locale: made.locale.unwrap_or_else(|| "en-US".to_owned()),
        guild_locale: made.guild_locale,
        discord_guild_id: guild_id.clone(),
    };
    Some(Interaction {
        id: made.id,
        application_id: made.application_id,
        token: made.token,
        guild: number(&guild_id)?,
        asked,
    })
}

#[derive(Deserialize)]
struct Ready {
    user: User,
    #[serde(default)]
    guilds: Vec<GuildEvent>,
}

#[derive(Deserialize)]
struct User {
    id: String,
    #[serde(default)]
    username: Option<String>,
    #[serde(default)]
    global_name: Option<String>,
    #[serde(default)]
    bot: bool,
}

#[derive(Deserialize)]
struct GuildEvent {
    id: String,
    #[serde(default)]
    unavailable: bool,
}

#[derive(Deserialize)]
struct InGuild {
    guild_id: String,
}

#[derive(Deserialize)]
struct MemberEvent {
    guild_id: String,
    user: User,
}

#[derive(Deserialize)]
struct InteractionCreate {
    id: String,
    application_id: String,
    #[serde(rename = "type")]
    kind: u8,
    token: String,
    guild_id: Option<String>,
    channel_id: Option<String>,
    member: Option<Acting>,
    locale: Option<String>,
    guild_locale: Option<String>,
    #[serde(default)]
    data: InteractionData,
}

#[derive(Deserialize)]
struct Acting {
    user: Option<User>,
}

#[derive(Default, Deserialize)]
struct InteractionData {
    name: Option<String>,
    custom_id: Option<String>,
    #[serde(default)]
    options: Vec<ChosenOption>,
}

#[derive(Deserialize)]
struct ChosenOption {
    name: String,
    value: Option<Value>,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn dispatch(name: &str, data: &Value) -> Option<Heard> {
        read(&json!({"op": 0, "s": 3, "t": name, "d": data}).to_string())
    }

    #[test]
    fn an_outage_of_a_guild_is_not_its_end() {
        let guild = json!({"id": "800000000000000001", "unavailable": true});
        assert_eq!(dispatch("GUILD_DELETE", &guild), None);
        assert_eq!(dispatch("GUILD_CREATE", &guild), None);
        let guild = json!({"id": "800000000000000001"});
        assert_eq!(
            dispatch("GUILD_DELETE", &guild),
            Some(Heard::GuildGone(800_000_000_000_000_001))
        );
    }

    #[test]
    fn members_come_change_and_go() {
        for (name, change) in [
            ("GUILD_MEMBER_ADD", Change::Joined),
            ("GUILD_MEMBER_UPDATE", Change::Changed),
            ("GUILD_MEMBER_REMOVE", Change::Left),
        ] {
            let event = json!({"guild_id": "3", "user": {"id": "5", "username": "ada"}, "roles": []});
            let expected = MemberHeard {
                guild: 3,
                user: 5,
                is_bot: false,
                change,
            };
            assert_eq!(dispatch(name, &event), Some(Heard::Member(expected)));
        }
        let event = json!({"guild_id": "3", "user": {"id": "5", "bot": true}});
        let heard = dispatch("GUILD_MEMBER_REMOVE", &event);
        assert!(matches!(heard, Some(Heard::Member(heard)) if heard.is_bot));
    }

    #[test]
    fn a_command_is_read_with_what_was_chosen() {
        let made = json!({
            "id": "1", "application_id": "2", "type": 2, "token": "t", "guild_id": "3", "channel_id": "4",
            "member": {"user": {"id": "5", "username": "ada", "global_name": "Ada"}, "roles": []},
            "locale": "de", "guild_locale": "fr",
            "data": {"name": "whois", "options": [{"name": "user", "type": 6, "value": "7"}, {"name": "n", "value": 8}]},
        });
        let Some(Heard::Interaction(found)) = dispatch("INTERACTION_CREATE", &made) else {
            panic!("no interaction");
        };
        let sent = serde_json::to_value(&found.asked).unwrap();
        let expected = json!({
            "id": "1", "application_id": "2", "kind": "command", "name": "whois",
            "options": {"user": "7", "n": "8"}, "discord_guild_id": "3", "channel_id": "4", "user_id": "5",
            "user_name": "Ada", "locale": "de", "guild_locale": "fr",
        });
        assert_eq!((sent, found.token.as_str()), (expected, "t"));
    }

    #[test]
    fn what_is_new_or_broken_is_passed_over() {
        for (name, data) in [
            ("SOMETHING_NEW", json!({"id": 1})),
            ("GUILD_CREATE", json!({"id": 1})),
            (
                "INTERACTION_CREATE",
                json!({"id": "1", "application_id": "2", "type": 9, "token": "t"}),
            ),
        ] {
            assert_eq!(dispatch(name, &data), None, "{name}");
        }
        assert_eq!(read("{"), None);
        assert_eq!(read("{\"op\":11}"), None);
    }
}
