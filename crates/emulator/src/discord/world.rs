//! Everything the emulator holds, behind one lock: what Discord knows, and who is connected to hear of changes.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::changes::{self, Audience, Event};
use super::gateway::connection::AUTHENTICATION_FAILED;
use super::gateway::sessions::{Session, Sessions};
use super::interactions::Interactions;
use super::limits::Buckets;
use super::oauth::grants::Grants;
use super::snowflake::Snowflake;
use super::state::{DiscordState, Guild, Member, Message};
use super::wire;
use crate::common::dates;

const INTENT_GUILDS: u64 = 1;
pub const INTENT_MEMBERS: u64 = 1 << 1;
const INTENT_MESSAGES: u64 = 1 << 9;
const INTENT_CONTENT: u64 = 1 << 15;

#[derive(Default)]
pub struct World {
    pub state: DiscordState,
    pub grants: Grants,
    pub sessions: Sessions,
    pub interactions: Interactions,
    pub buckets: Buckets,
    made: u64,
}

impl World {
    /// A new id.
    pub fn snowflake(&mut self, now_ms: i64) -> Snowflake {
        self.made += 1;
        Snowflake::made_at(now_ms, self.made)
    }

    /// Changes one guild and tells the bots in it.
    pub fn change_guild<T>(&mut self, id: Snowflake, change: impl FnOnce(&mut Guild) -> T) -> Option<T> {
        let before = self.state.guilds.get(&id)?.clone();
        let result = change(self.state.guilds.get_mut(&id)?);
        self.announce(id, Some(&before));
        Some(result)
    }

    /// Changes one member and tells the bots of the guild. Guilds are large, so the others are not looked at.
    pub fn change_member(
        &mut self,
        id: Snowflake,
        user: Snowflake,
        change: impl FnOnce(&mut Member),
    ) -> Option<()> {
        let member = self.state.guilds.get_mut(&id)?.members.get_mut(&user)?;
        let before = member.clone();
        change(member);
        if *member == before {
            return Some(());
        }
        let guild = self.state.guilds.get(&id)?;
        let event = changes::member_changed(id, user, guild.members.get(&user)?, &self.state);
        for session in self.sessions.of_guild(id) {
            if guild.members.contains_key(&session.application) {
                tell(session, &event);
            }
        }
        Some(())
    }

    /// Puts another state in place of this one and tells the bots what is different.
    pub fn replace(&mut self, state: DiscordState) {
        let before = std::mem::replace(&mut self.state, state);
        let ids: BTreeSet<Snowflake> = before
            .guilds
            .keys()
            .chain(self.state.guilds.keys())
            .copied()
            .collect();
        for id in ids {
            self.announce(id, before.guilds.get(&id));
        }
        for (id, application) in &before.applications {
            let same = self
                .state
                .applications
                .get(id)
                .is_some_and(|now| now.token == application.token);
            if !same {
                self.sessions.expel(*id, AUTHENTICATION_FAILED);
            }
        }
    }

    fn announce(&mut self, id: Snowflake, before: Option<&Guild>) {
        let (state, sessions) = (&self.state, &mut self.sessions);
        let after = state.guilds.get(&id);
        let events = match (before, after) {
            (Some(before), Some(after)) => changes::between(id, before, after, state),
            (Some(_), None) | (None, Some(_)) | (None, None) => Vec::new(),
        };
        for session in sessions.of_guild(id) {
            let bot = session.application;
            let was = before.is_some_and(|guild| guild.members.contains_key(&bot));
            match after.filter(|guild| guild.members.contains_key(&bot)) {
                Some(guild) if !was => session.dispatch("GUILD_CREATE", &whole_guild(state, id, guild, bot)),
                None if was => session.dispatch("GUILD_DELETE", &json!({ "id": id })),
                Some(_) => events.iter().for_each(|event| tell(session, event)),
                None => {}
            }
        }
    }

    /// Tells the bots of a guild what happened to a message.
    pub fn announce_message(
        &mut self,
        name: &'static str,
        guild: Snowflake,
        channel: Snowflake,
        message: &Message,
    ) {
        let Some(found) = self.state.guilds.get(&guild) else {
            return;
        };
        let author = message.author_id;
        let data = if name == "MESSAGE_DELETE" {
            json!({"id": message.id, "channel_id": channel, "guild_id": guild})
        } else {
            let mut data = wire::message(&self.state, channel, message);
            data["guild_id"] = json!(guild);
            if let Some(member) = found.members.get(&author) {
                data["member"] = wire::bare_member(member);
            }
            data
        };
        let event = Event {
            name,
            audience: Audience::Messages { author },
            data,
        };
        for session in self.sessions.of_guild(guild) {
            if found.members.contains_key(&session.application) {
                tell(session, &event);
            }
        }
    }

    /// The newest message of a channel.
    pub fn last_message(&self, channel: Snowflake) -> Option<Snowflake> {
        self.state
            .messages
            .get(&channel)?
            .last()
            .map(|message| message.id)
    }
}

fn tell(session: &mut Session, event: &Event) {
    let wants = |intent| session.intents & intent != 0;
    match event.audience {
        Audience::Guilds if wants(INTENT_GUILDS) => session.dispatch(event.name, &event.data),
        Audience::Members { about } if wants(INTENT_MEMBERS) || own_update(session, event, about) => {
            session.dispatch(event.name, &event.data);
        }
        Audience::Messages { author } if wants(INTENT_MESSAGES) => {
            if wants(INTENT_CONTENT) || author == session.application || event.data.get("content").is_none() {
                return session.dispatch(event.name, &event.data);
            }
            let mut data = event.data.clone();
            data["content"] = "".into();
            data["embeds"] = json!([]);
            data["components"] = json!([]);
            session.dispatch(event.name, &data);
        }
        Audience::Guilds | Audience::Members { .. } | Audience::Messages { .. } => {}
    }
}

/// A bot always hears of its own roles.
fn own_update(session: &Session, event: &Event, about: Snowflake) -> bool {
    about == session.application && event.name == "GUILD_MEMBER_UPDATE"
}

/// A guild as a bot first sees it. Of the members there is only the bot itself: others are asked for.
pub fn whole_guild(state: &DiscordState, id: Snowflake, guild: &Guild, bot: Snowflake) -> Value {
    let mut data = wire::guild(id, guild);
    let own = guild.members.get(&bot);
    let channels = guild.channels.iter().map(|(channel_id, channel)| {
        let last = state
            .messages
            .get(channel_id)
            .and_then(|list| list.last())
            .map(|message| message.id);
        wire::channel(id, *channel_id, channel, last)
    });
    data["channels"] = channels.collect();
    data["members"] = own
        .map(|member| wire::member(state, bot, member))
        .into_iter()
        .collect();
    data["joined_at"] = json!(own.map(|member| dates::micros(member.joined_ms)));
    data["member_count"] = json!(guild.members.len());
    data["large"] = json!(guild.members.len() > 50);
    data["unavailable"] = false.into();
    for list in [
        "threads",
        "voice_states",
        "presences",
        "stage_instances",
        "guild_scheduled_events",
        "soundboard_sounds",
    ] {
        data[list] = json!([]);
    }
    data
}
