//! Accounts and what they see of themselves.

use std::sync::Arc;

use axum::Json;
use axum::extract::{RawQuery, State};
use axum::response::IntoResponse;
use serde_json::Value;

use super::no_content;
use crate::common::forms::Form;
use crate::discord::Inner;
use crate::discord::caller::{Bot, Caller, Ids};
use crate::discord::error::{Answer, ApiError};
use crate::discord::snowflake::Snowflake;
use crate::discord::wire;

const MOST_GUILDS: usize = 200;

pub async fn me(State(inner): State<Arc<Inner>>, caller: Caller) -> Answer {
    caller.require("identify")?;
    let world = inner.world();
    let user = world
        .state
        .users
        .get(&caller.user())
        .ok_or(ApiError::UNAUTHORIZED)?;
    let mut body = wire::own_user(caller.user(), user);
    // Only who asked for the address gets it, and people here have none.
    if caller.require("email").is_err()
        && let Value::Object(fields) = &mut body
    {
        fields.remove("email");
        fields.remove("verified");
    }
    Ok(Json(body).into_response())
}

pub async fn user(State(inner): State<Arc<Inner>>, _: Bot, Ids(id): Ids<Snowflake>) -> Answer {
    let world = inner.world();
    let user = world.state.users.get(&id).ok_or(ApiError::UNKNOWN_USER)?;
    Ok(Json(wire::user(id, user)).into_response())
}

/// In the order of their ids; `after` continues.
pub async fn my_guilds(State(inner): State<Arc<Inner>>, caller: Caller, RawQuery(query): RawQuery) -> Answer {
    caller.require("guilds")?;
    let query = Form::parse(query.unwrap_or_default().as_bytes());
    let after = query
        .get("after")
        .and_then(|id| id.parse().ok())
        .unwrap_or(Snowflake(0));
    let limit = query
        .get("limit")
        .and_then(|limit| limit.parse().ok())
        .unwrap_or(MOST_GUILDS);
    let user = caller.user();
    let world = inner.world();
    let own = world
        .state
        .guilds
        .iter()
        .filter(|(id, guild)| **id > after && guild.members.contains_key(&user));
    let listed: Vec<Value> = own
        .take(limit.clamp(1, MOST_GUILDS))
        .map(|(id, guild)| wire::listed_guild(*id, guild, user))
        .collect();
    Ok(Json(listed).into_response())
}

/// A person as member of a guild, asked in their own name.
pub async fn my_member(
    State(inner): State<Arc<Inner>>,
    caller: Caller,
    Ids(guild): Ids<Snowflake>,
) -> Answer {
    if matches!(caller, Caller::Bot(_)) {
        return Err(ApiError::NOT_FOR_THIS_USER);
    }
    caller.require("guilds.members.read")?;
    let world = inner.world();
    let found = world.state.guilds.get(&guild).ok_or(ApiError::UNKNOWN_GUILD)?;
    let member = found.members.get(&caller.user()).ok_or(ApiError::UNKNOWN_GUILD)?;
    Ok(Json(wire::member(&world.state, caller.user(), member)).into_response())
}

pub async fn leave(State(inner): State<Arc<Inner>>, Bot(bot): Bot, Ids(guild): Ids<Snowflake>) -> Answer {
    let mut world = inner.world();
    super::guild_of(&world.state, guild, bot)?;
    world.change_guild(guild, |guild| guild.members.remove(&bot));
    Ok(no_content())
}

pub async fn application(State(inner): State<Arc<Inner>>, Bot(bot): Bot) -> Answer {
    let world = inner.world();
    let own = world
        .state
        .applications
        .get(&bot)
        .ok_or(ApiError::UNKNOWN_APPLICATION)?;
    Ok(Json(wire::own_application(&world.state, bot, own)).into_response())
}
