//! What bots are told when a guild changes: found by comparing the guild before and after.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::snowflake::Snowflake;
use super::state::{DiscordState, Guild, Member};
use super::wire;

/// Which bots hear of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// Intent 1: guilds, roles, channels.
    Guilds,
    /// Intent 2, and always the bot that it is about.
    Members { about: Snowflake },
    /// Intent 512.
    Messages { author: Snowflake },
}

#[derive(Clone, Debug)]
pub struct Event {
    pub name: &'static str,
    pub audience: Audience,
    pub data: Value,
}

/// The events of a guild that is there before and after. `state` is the one after.
pub fn between(id: Snowflake, before: &Guild, after: &Guild, state: &DiscordState) -> Vec<Event> {
    let mut events = Vec::new();
    if (&before.name, &before.icon, before.owner_id) != (&after.name, &after.icon, after.owner_id) {
        events.push(for_guilds("GUILD_UPDATE", wire::guild(id, after)));
    }
    roles(id, before, after, &mut events);
    channels(id, before, after, &mut events);
    members(id, before, after, state, &mut events);
    events
}

fn roles(guild: Snowflake, before: &Guild, after: &Guild, events: &mut Vec<Event>) {
    for change in compare(&before.roles, &after.roles) {
        events.push(match change {
            Change::Added(id, role) => for_guilds(
                "GUILD_ROLE_CREATE",
                json!({"guild_id": guild, "role": wire::role(id, role)}),
            ),
            Change::Changed(id, role) => for_guilds(
                "GUILD_ROLE_UPDATE",
                json!({"guild_id": guild, "role": wire::role(id, role)}),
            ),
            Change::Removed(id, _) => {
                for_guilds("GUILD_ROLE_DELETE", json!({"guild_id": guild, "role_id": id}))
            }
        });
    }
}

fn channels(guild: Snowflake, before: &Guild, after: &Guild, events: &mut Vec<Event>) {
    for change in compare(&before.channels, &after.channels) {
        let (name, id, channel) = match change {
            Change::Added(id, channel) => ("CHANNEL_CREATE", id, channel),
            Change::Changed(id, channel) => ("CHANNEL_UPDATE", id, channel),
            Change::Removed(id, channel) => ("CHANNEL_DELETE", id, channel),
        };
        events.push(for_guilds(name, wire::channel(guild, id, channel, None)));
    }
}

fn members(guild: Snowflake, before: &Guild, after: &Guild, state: &DiscordState, events: &mut Vec<Event>) {
    for change in compare(&before.members, &after.members) {
        let (name, about, data) = match change {
            Change::Added(id, member) => ("GUILD_MEMBER_ADD", id, wire::member(state, id, member)),
            Change::Changed(id, member) => ("GUILD_MEMBER_UPDATE", id, wire::member(state, id, member)),
            Change::Removed(id, _) => (
                "GUILD_MEMBER_REMOVE",
                id,
                json!({"user": wire::known_user(state, id)}),
            ),
        };
        let mut data = data;
        data["guild_id"] = json!(guild);
        events.push(Event {
            name,
            audience: Audience::Members { about },
            data,
        });
    }
}

/// The event of one member who stayed.
pub fn member_changed(guild: Snowflake, id: Snowflake, member: &Member, state: &DiscordState) -> Event {
    let mut data = wire::member(state, id, member);
    data["guild_id"] = json!(guild);
    Event {
        name: "GUILD_MEMBER_UPDATE",
        audience: Audience::Members { about: id },
        data,
    }
}

fn for_guilds(name: &'static str, data: Value) -> Event {
    Event {
        name,
        audience: Audience::Guilds,
        data,
    }
}

enum Change<'a, T> {
    Added(Snowflake, &'a T),
    Changed(Snowflake, &'a T),
    Removed(Snowflake, &'a T),
}

fn compare<'a, T: PartialEq>(
    before: &'a BTreeMap<Snowflake, T>,
    after: &'a BTreeMap<Snowflake, T>,
) -> impl Iterator<Item = Change<'a, T>> {
    let gone = before.iter().filter(|(id, _)| !after.contains_key(id));
    let gone = gone.map(|(id, old)| Change::Removed(*id, old));
    let there = after.iter().filter_map(|(id, new)| match before.get(id) {
        None => Some(Change::Added(*id, new)),
        Some(old) if old != new => Some(Change::Changed(*id, new)),
        Some(_) => None,
    });
    gone.chain(there)
}
