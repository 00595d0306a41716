//! IDENTIFY and RESUME.

use serde_json::{Value, json};

use super::connection::{
    AUTHENTICATION_FAILED, Connection, DECODE_ERROR, DISALLOWED_INTENTS, INVALID_INTENTS, INVALID_SEQUENCE,
    INVALID_SHARD,
};
use super::sessions::{Opening, Resumed};
use crate::discord::snowflake::Snowflake;
use crate::discord::wire;
use crate::discord::world::{World, whole_guild};

/// Presences, members and message content need the owner's consent.
const PRIVILEGED: u64 = (1 << 1) | (1 << 8) | (1 << 15);
const KNOWN_INTENTS: u64 = (1 << 26) - 1;

type Verdict = Result<(), (u16, &'static str)>;

pub fn identify(connection: &mut Connection, data: &Value) -> Verdict {
    let inner = &connection.inner;
    let now_ms = inner.hub.now_ms();
    let mut world = inner.world();
    world.sessions.tried(presented(data)?);
    let application = authenticate(&world, data)?;
    let intents = data["intents"].as_u64().ok_or(DECODE_ERROR)?;
    if intents & !KNOWN_INTENTS != 0 {
        return Err(INVALID_INTENTS);
    }
    let allowed = world
        .state
        .applications
        .get(&application)
        .map_or(0, |own| own.privileged_intents);
    if intents & PRIVILEGED & !allowed != 0 {
        return Err(DISALLOWED_INTENTS);
    }
    let shard = shard(&data["shard"]).ok_or(INVALID_SHARD)?;
    if world.sessions.started(application, now_ms).0 >= world.state.gateway.identifies_per_day {
        drop(world);
        invalid_session(connection, false);
        return Ok(());
    }
    let session_id = inner.hub.random_hex::<16>();
    let opening = Opening {
        application,
        shard,
        intents,
        presence: data["presence"].clone(),
        line: connection.line.clone(),
    };
    world.sessions.open(&session_id, opening, now_ms);
    greet(&mut world, &session_id, application, &inner.gateway_url());
    drop(world);
    connection.session = Some(session_id);
    Ok(())
}

pub fn resume(connection: &mut Connection, data: &Value) -> Verdict {
    let inner = &connection.inner;
    let mut world = inner.world();
    let application = authenticate(&world, data)?;
    let (Some(id), Some(seq)) = (data["session_id"].as_str(), data["seq"].as_u64()) else {
        return Err(DECODE_ERROR);
    };
    let line = connection.line.clone();
    let resumed = world
        .sessions
        .resume(id, application, seq, line, inner.hub.now_ms());
    drop(world);
    match resumed {
        Resumed::Yes => connection.session = Some(id.to_owned()),
        Resumed::No => invalid_session(connection, false),
        Resumed::Ahead => return Err(INVALID_SEQUENCE),
    }
    Ok(())
}

fn invalid_session(connection: &Connection, resumable: bool) {
    connection.answer(&json!({"op": 9, "s": null, "t": null, "d": resumable}));
}

fn authenticate(world: &World, data: &Value) -> Result<Snowflake, (u16, &'static str)> {
    world
        .state
        .application_of(presented(data)?)
        .ok_or(AUTHENTICATION_FAILED)
}

fn presented(data: &Value) -> Result<&str, (u16, &'static str)> {
    let token = data["token"].as_str().ok_or(DECODE_ERROR)?;
    Ok(token.strip_prefix("Bot ").unwrap_or(token))
}

/// `[number, count]`; one shard has it all.
fn shard(value: &Value) -> Option<(u64, u64)> {
    if value.is_null() {
        return Some((0, 1));
    }
    let (number, count) = (value[0].as_u64()?, value[1].as_u64()?);
    (number < count).then_some((number, count))
}

/// READY, and then every guild.
fn greet(world: &mut World, session_id: &str, bot: Snowflake, gateway_url: &str) {
    let (state, sessions) = (&world.state, &mut world.sessions);
    let Some(session) = sessions.get_mut(session_id) else {
        return;
    };
    let (number, count) = session.shard;
    let own: Vec<_> = state
        .guilds
        .iter()
        .filter(|(id, guild)| guild.members.contains_key(&bot) && (id.0 >> 22) % count == number)
        .collect();
    let unavailable: Vec<Value> = own
        .iter()
        .map(|(id, _)| json!({"id": id, "unavailable": true}))
        .collect();
    let user = state.users.get(&bot).map(|user| wire::own_user(bot, user));
    let ready = json!({
        "v": 10,
        "user": user,
        "guilds": unavailable,
        "session_id": session_id,
        "session_type": "normal",
        "resume_gateway_url": gateway_url,
        "shard": session.shard,
        "application": {"id": bot, "flags": 0},
        "private_channels": [],
        "relationships": [],
        "presences": [],
        "guild_join_requests": [],
        "_trace": [],
    });
    session.dispatch("READY", &ready);
    for (id, guild) in own {
        session.dispatch("GUILD_CREATE", &whole_guild(state, *id, guild, bot));
    }
}
