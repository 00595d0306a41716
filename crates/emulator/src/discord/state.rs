//! What Discord knows.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::permissions::Permissions;
use super::snowflake::Snowflake;
use crate::common::dates;
use crate::common::person::Purpose;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DiscordState {
    pub users: BTreeMap<Snowflake, User>,
    /// By application id, which is also the id of its bot.
    pub applications: BTreeMap<Snowflake, Application>,
    pub guilds: BTreeMap<Snowflake, Guild>,
    /// By channel, oldest first.
    pub messages: BTreeMap<Snowflake, Vec<Message>>,
    /// Addresses of channels at which whoever knows them posts.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub webhooks: BTreeMap<Snowflake, Webhook>,
    pub limits: Limits,
    pub gateway: GatewayRules,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct User {
    pub username: String,
    pub global_name: Option<String>,
    pub avatar: Option<String>,
    pub bot: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub purpose: Option<Purpose>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Application {
    pub name: String,
    pub token: String,
    pub secret: String,
    pub redirect_uris: Vec<String>,
    /// The privileged intents its owner switched on, as gateway bits.
    pub privileged_intents: u64,
    /// Commands that are offered everywhere.
    pub commands: Vec<Value>,
    pub guild_commands: BTreeMap<Snowflake, Vec<Value>>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Guild {
    pub name: String,
    pub icon: Option<String>,
    pub owner_id: Option<Snowflake>,
    /// The role with the guild's own id is everybody's; it is made if it is missing.
    pub roles: BTreeMap<Snowflake, Role>,
    pub members: BTreeMap<Snowflake, Member>,
    pub channels: BTreeMap<Snowflake, Channel>,
    pub bans: BTreeSet<Snowflake>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Role {
    pub name: String,
    pub color: u32,
    pub hoist: bool,
    /// Higher stands above lower; everybody's role is at 0.
    pub position: i64,
    pub permissions: Permissions,
    /// Belongs to a bot or an integration; nobody can give or take it.
    pub managed: bool,
    pub mentionable: bool,
    pub bot_id: Option<Snowflake>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Member {
    pub roles: Vec<Snowflake>,
    pub nick: Option<String>,
    pub joined_ms: i64,
    /// Since when they boost the guild, such as `2026-01-01T00:00:00Z`.
    pub premium_since: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Channel {
    pub name: String,
    /// 0 is text, 2 voice, 4 a category.
    #[serde(rename = "type")]
    pub kind: u8,
    pub position: i64,
    pub topic: Option<String>,
    pub parent_id: Option<Snowflake>,
    pub permission_overwrites: Vec<Overwrite>,
}

/// What a role (type 0) or a member (type 1) may do differently in a channel.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Overwrite {
    pub id: Snowflake,
    #[serde(rename = "type")]
    pub kind: u8,
    #[serde(default)]
    pub allow: Permissions,
    #[serde(default)]
    pub deny: Permissions,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Message {
    pub id: Snowflake,
    pub author_id: Snowflake,
    pub content: String,
    pub embeds: Vec<Value>,
    pub components: Vec<Value>,
    pub flags: u64,
    pub created_ms: i64,
    pub edited_ms: Option<i64>,
    pub nonce: Option<String>,
    /// As it was sent: who the author let the message ping.
    pub allowed_mentions: Option<Value>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Webhook {
    pub channel_id: Snowflake,
    pub name: String,
    pub token: String,
}

/// How many calls are let through.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    pub enforced: bool,
    /// Per token, over all routes.
    pub global_per_second: u32,
    /// Instead of the usual limit of a route.
    pub routes: BTreeMap<String, Window>,
}

/// So many calls in so much time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Window {
    pub limit: u32,
    pub window_ms: i64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            enforced: true,
            global_per_second: 50,
            routes: BTreeMap::new(),
        }
    }
}

/// How strict the gateway is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GatewayRules {
    /// How often connections have to show that they live, in real time.
    pub heartbeat_ms: u64,
    /// How many sessions a bot may start in 24 hours.
    pub identifies_per_day: usize,
    /// Every new connection is closed with this code, without a word before.
    pub closes_with: Option<u16>,
}

impl Default for GatewayRules {
    fn default() -> Self {
        Self {
            heartbeat_ms: 41_250,
            identifies_per_day: 1_000,
            closes_with: None,
        }
    }
}

impl User {
    pub fn named(username: &str) -> Self {
        Self {
            username: username.to_owned(),
            ..Self::default()
        }
    }
}

impl DiscordState {
    /// Fills in what follows from the rest, and says what does not fit together.
    pub fn complete(&mut self, now_ms: i64) -> Result<(), String> {
        for (id, application) in &self.applications {
            let bot = self
                .users
                .entry(*id)
                .or_insert_with(|| User::named(&application.name));
            bot.bot = true;
        }
        for (guild_id, guild) in &mut self.guilds {
            guild.complete(*guild_id, now_ms)?;
            for id in guild.members.keys().chain(&guild.owner_id) {
                let name = || User::named(&format!("user{id}"));
                self.users.entry(*id).or_insert_with(name);
            }
        }
        if self.gateway.heartbeat_ms == 0 || self.limits.global_per_second == 0 {
            return Err("gateway.heartbeat_ms and limits.global_per_second start at 1".to_owned());
        }
        let empty = self
            .limits
            .routes
            .iter()
            .find(|(_, window)| window.limit == 0 || window.window_ms <= 0);
        empty.map_or(Ok(()), |(route, _)| {
            Err(format!("the limit of `{route}` lets nothing through"))
        })
    }

    /// Whose bot has this token.
    pub fn application_of(&self, token: &str) -> Option<Snowflake> {
        let own = |application: &Application| !token.is_empty() && application.token == token;
        self.applications
            .iter()
            .find(|(_, application)| own(application))
            .map(|(id, _)| *id)
    }

    pub fn guild_of_channel(&self, channel: Snowflake) -> Option<Snowflake> {
        let found = self
            .guilds
            .iter()
            .find(|(_, guild)| guild.channels.contains_key(&channel));
        found.map(|(id, _)| *id)
    }
}

impl Guild {
    /// Makes room for a new role just above everybody's.
    pub fn raise_roles(&mut self) {
        for role in self.roles.values_mut().filter(|role| role.position > 0) {
            role.position += 1;
        }
    }

    fn complete(&mut self, own_id: Snowflake, now_ms: i64) -> Result<(), String> {
        self.roles.entry(own_id).or_insert_with(|| Role {
            name: "@everyone".to_owned(),
            permissions: Permissions::EVERYBODY,
            ..Role::default()
        });
        for (id, member) in &mut self.members {
            if member.joined_ms == 0 {
                member.joined_ms = now_ms;
            }
            if let Some(missing) = member.roles.iter().find(|role| !self.roles.contains_key(role)) {
                return Err(format!(
                    "member {id} has role {missing}, which guild {own_id} does not have"
                ));
            }
            if let Some(wrong) = member
                .premium_since
                .as_ref()
                .filter(|since| dates::parse_ms(since).is_none())
            {
                return Err(format!("premium_since of member {id} is no time: `{wrong}`"));
            }
        }
        Ok(())
    }
}
