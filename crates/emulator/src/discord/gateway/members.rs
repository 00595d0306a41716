//! REQUEST_GUILD_MEMBERS: the members of a guild in portions.

use serde_json::{Value, json};

use crate::discord::Inner;
use crate::discord::snowflake::Snowflake;
use crate::discord::state::Member;
use crate::discord::wire;
use crate::discord::world::INTENT_MEMBERS;

const PORTION: usize = 1_000;
const MOST_BY_ID: usize = 100;

/// What cannot be answered is passed over, as Discord does.
pub fn request(inner: &Inner, session_id: &str, data: &Value) {
    let mut world = inner.world();
    let world = &mut *world;
    let (state, sessions) = (&world.state, &mut world.sessions);
    let Some(session) = sessions.get_mut(session_id) else {
        return;
    };
    let guild_id = data["guild_id"]
        .as_str()
        .and_then(|id| id.parse::<Snowflake>().ok());
    let Some((guild_id, guild)) = guild_id.and_then(|id| state.guilds.get(&id).map(|guild| (id, guild)))
    else {
        return;
    };
    if !guild.members.contains_key(&session.application) {
        return;
    }
    let ids = wanted_ids(&data["user_ids"]);
    let everybody = ids.is_none() && data["query"] == "" && data["limit"] == 0;
    if everybody && session.intents & INTENT_MEMBERS == 0 {
        return;
    }
    let query = data["query"].as_str().unwrap_or_default().to_lowercase();
    let limit = match data["limit"].as_u64() {
        Some(limit) if limit > 0 => usize::try_from(limit).unwrap_or(PORTION).min(PORTION),
        Some(_) | None => usize::MAX,
    };
    let named = |id: &Snowflake, member: &Member| {
        let username = state.users.get(id).map(|user| &user.username);
        let mut names = username.into_iter().chain(&member.nick);
        names.any(|name| name.to_lowercase().starts_with(&query))
    };
    let found: Vec<Value> = guild
        .members
        .iter()
        .filter(|(id, member)| match &ids {
            Some(ids) => ids.contains(id),
            None => named(id, member),
        })
        .take(limit)
        .map(|(id, member)| wire::member(state, *id, member))
        .collect();
    let missing: Vec<_> = ids
        .iter()
        .flatten()
        .filter(|id| !guild.members.contains_key(id))
        .collect();
    for chunk in portions(guild_id, &found, &json!(missing), &data["nonce"]) {
        session.dispatch("GUILD_MEMBERS_CHUNK", &chunk);
    }
}

/// What was found, at least one portion of it.
fn portions(guild_id: Snowflake, found: &[Value], missing: &Value, nonce: &Value) -> Vec<Value> {
    let count = found.len().div_ceil(PORTION).max(1);
    let portion = |index: usize| {
        let members = &found[index * PORTION..found.len().min((index + 1) * PORTION)];
        let mut chunk = json!({
            "guild_id": guild_id,
            "members": members,
            "chunk_index": index,
            "chunk_count": count,
            "not_found": missing,
        });
        if nonce.is_string() {
            chunk["nonce"] = nonce.clone();
        }
        chunk
    };
    (0..count).map(portion).collect()
}

/// One id or a list of them.
fn wanted_ids(value: &Value) -> Option<Vec<Snowflake>> {
    let parse = |value: &Value| value.as_str().and_then(|id| id.parse().ok());
    match value {
        Value::String(_) => Some(parse(value).into_iter().collect()),
        Value::Array(list) => Some(list.iter().take(MOST_BY_ID).filter_map(parse).collect()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => None,
    }
}
