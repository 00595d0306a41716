//! Who is in a guild and which roles they have.

use std::sync::Arc;

use axum::Json;
use axum::extract::{RawQuery, State};
use axum::response::IntoResponse;
use http::StatusCode;
use serde::Deserialize;
use serde_json::Value;

use super::{guild_of, no_content, require};
use crate::common::forms::Form;
use crate::discord::Inner;
use crate::discord::caller::{Bot, Ids, Input};
use crate::discord::error::{Answer, ApiError};
use crate::discord::permissions::Permissions;
use crate::discord::snowflake::Snowflake;
use crate::discord::state::{Guild, Member};
use crate::discord::wire;
use crate::discord::world::{INTENT_MEMBERS, World};

const MOST: usize = 1_000;
const NICK_CHARACTERS: usize = 32;

pub async fn get(
    State(inner): State<Arc<Inner>>,
    Bot(bot): Bot,
    Ids((guild, user)): Ids<(Snowflake, Snowflake)>,
) -> Answer {
    let world = inner.world();
    let found = guild_of(&world.state, guild, bot)?;
    let member = member_of(found, user, &world)?;
    Ok(Json(wire::member(&world.state, user, member)).into_response())
}

/// In the order of their ids; `after` continues. Needs the privileged intent.
pub async fn list(
    State(inner): State<Arc<Inner>>,
    Bot(bot): Bot,
    Ids(guild): Ids<Snowflake>,
    RawQuery(query): RawQuery,
) -> Answer {
    let query = Form::parse(query.unwrap_or_default().as_bytes());
    let after = query
        .get("after")
        .and_then(|id| id.parse().ok())
        .unwrap_or(Snowflake(0));
    let limit = query
        .get("limit")
        .and_then(|limit| limit.parse().ok())
        .unwrap_or(1)
        .clamp(1, MOST);
    let world = inner.world();
    let found = guild_of(&world.state, guild, bot)?;
    let allowed = world
        .state
        .applications
        .get(&bot)
        .map_or(0, |own| own.privileged_intents);
    if allowed & INTENT_MEMBERS == 0 {
        return Err(ApiError::MISSING_ACCESS);
    }
    let members = found.members.iter().filter(|(id, _)| **id > after).take(limit);
    let listed: Vec<Value> = members
        .map(|(id, member)| wire::member(&world.state, *id, member))
        .collect();
    Ok(Json(listed).into_response())
}

/// By the beginning of a name.
pub async fn search(
    State(inner): State<Arc<Inner>>,
    Bot(bot): Bot,
    Ids(guild): Ids<Snowflake>,
    RawQuery(query): RawQuery,
) -> Answer {
    let query = Form::parse(query.unwrap_or_default().as_bytes());
    let wanted = query
        .get("query")
        .ok_or_else(|| ApiError::required("query"))?
        .to_lowercase();
    let limit = query
        .get("limit")
        .and_then(|limit| limit.parse().ok())
        .unwrap_or(1)
        .clamp(1, MOST);
    let world = inner.world();
    let found = guild_of(&world.state, guild, bot)?;
    let named = |id: &Snowflake, member: &Member| {
        let user = world.state.users.get(id);
        let names = [
            user.map(|user| &user.username),
            user.and_then(|user| user.global_name.as_ref()),
            member.nick.as_ref(),
        ];
        names
            .into_iter()
            .flatten()
            .any(|name| name.to_lowercase().starts_with(&wanted))
    };
    let members = found
        .members
        .iter()
        .filter(|(id, member)| named(id, member))
        .take(limit);
    let listed: Vec<Value> = members
        .map(|(id, member)| wire::member(&world.state, *id, member))
        .collect();
    Ok(Json(listed).into_response())
}

#[derive(Deserialize)]
pub struct Join {
    access_token: String,
    nick: Option<String>,
    #[serde(default)]
    roles: Vec<Snowflake>,
}

/// Adds a person who agreed to it. 201 for a newcomer, 204 for somebody who is there already.
pub async fn join(
    State(inner): State<Arc<Inner>>,
    Bot(bot): Bot,
    Ids((guild, user)): Ids<(Snowflake, Snowflake)>,
    Input(wish): Input<Join>,
) -> Answer {
    let now_ms = inner.hub.now_ms();
    let mut world = inner.world();
    let found = guild_of(&world.state, guild, bot)?;
    require(found, guild, bot, Permissions::CREATE_INSTANT_INVITE)?;
    let grant = world.grants.by_access(&wish.access_token, now_ms);
    let grant = grant.filter(|grant| grant.application == bot && grant.user == user);
    let grant = grant.ok_or(ApiError::INVALID_ACCESS_TOKEN)?;
    if !grant.scopes.contains("guilds.join") {
        return Err(ApiError::MISSING_SCOPE);
    }
    if found.bans.contains(&user) {
        return Err(ApiError::BANNED);
    }
    if found.members.contains_key(&user) {
        return Ok(no_content());
    }
    check_nick(found, guild, bot, wish.nick.as_deref())?;
    if !wish.roles.is_empty() {
        check_roles(found, guild, bot, &[], &wish.roles)?;
    }
    let member = Member {
        roles: wish.roles,
        nick: wish.nick.filter(|nick| !nick.is_empty()),
        joined_ms: now_ms,
        ..Member::default()
    };
    let body = wire::member(&world.state, user, &member);
    world.change_guild(guild, |guild| guild.members.insert(user, member));
    Ok((StatusCode::CREATED, Json(body)).into_response())
}

#[derive(Deserialize)]
pub struct Change {
    /// Missing: stays; null: goes.
    #[serde(default, deserialize_with = "present")]
    nick: Option<Option<String>>,
    roles: Option<Vec<Snowflake>>,
}

fn present<'de, D: serde::Deserializer<'de>>(value: D) -> Result<Option<Option<String>>, D::Error> {
    Option::deserialize(value).map(Some)
}

pub async fn change(
    State(inner): State<Arc<Inner>>,
    Bot(bot): Bot,
    Ids((guild, user)): Ids<(Snowflake, Snowflake)>,
    Input(change): Input<Change>,
) -> Answer {
    let mut world = inner.world();
    let found = guild_of(&world.state, guild, bot)?;
    let member = member_of(found, user, &world)?;
    if let Some(nick) = &change.nick {
        check_nick(found, guild, bot, Some(nick.as_deref().unwrap_or_default()))?;
        if user != bot && found.rank(user) >= found.rank(bot) {
            return Err(ApiError::MISSING_PERMISSIONS);
        }
    }
    if let Some(roles) = &change.roles {
        check_roles(found, guild, bot, &member.roles, roles)?;
    }
    update(&mut world, guild, user, |member| {
        if let Some(nick) = change.nick {
            member.nick = nick.filter(|nick| !nick.is_empty());
        }
        if let Some(mut roles) = change.roles {
            roles.sort_unstable();
            roles.dedup();
            member.roles = roles;
        }
    })
}

#[derive(Deserialize)]
pub struct OwnNick {
    nick: Option<String>,
}

pub async fn rename_self(
    State(inner): State<Arc<Inner>>,
    Bot(bot): Bot,
    Ids(guild): Ids<Snowflake>,
    Input(change): Input<OwnNick>,
) -> Answer {
    let mut world = inner.world();
    let found = guild_of(&world.state, guild, bot)?;
    require(found, guild, bot, Permissions::CHANGE_NICKNAME)?;
    if change
        .nick
        .as_ref()
        .is_some_and(|nick| nick.chars().count() > NICK_CHARACTERS)
    {
        return Err(ApiError::too_long("nick", NICK_CHARACTERS));
    }
    update(&mut world, guild, bot, |member| {
        member.nick = change.nick.filter(|nick| !nick.is_empty())
    })
}

fn update(world: &mut World, guild: Snowflake, user: Snowflake, change: impl FnOnce(&mut Member)) -> Answer {
    world.change_member(guild, user, change);
    let member = world
        .state
        .guilds
        .get(&guild)
        .and_then(|guild| guild.members.get(&user));
    let member = member.ok_or(ApiError::UNKNOWN_MEMBER)?;
    Ok(Json(wire::member(&world.state, user, member)).into_response())
}

pub async fn kick(
    State(inner): State<Arc<Inner>>,
    Bot(bot): Bot,
    Ids((guild, user)): Ids<(Snowflake, Snowflake)>,
) -> Answer {
    let mut world = inner.world();
    let found = guild_of(&world.state, guild, bot)?;
    member_of(found, user, &world)?;
    require(found, guild, bot, Permissions::KICK_MEMBERS)?;
    if found.rank(user) >= found.rank(bot) {
        return Err(ApiError::MISSING_PERMISSIONS);
    }
    world.change_guild(guild, |guild| guild.members.remove(&user));
    Ok(no_content())
}

pub async fn give_role(
    State(inner): State<Arc<Inner>>,
    Bot(bot): Bot,
    Ids(ids): Ids<[Snowflake; 3]>,
) -> Answer {
    set_role(&inner, bot, ids, |roles, role| {
        if !roles.contains(&role) {
            roles.push(role);
        }
    })
}

pub async fn take_role(
    State(inner): State<Arc<Inner>>,
    Bot(bot): Bot,
    Ids(ids): Ids<[Snowflake; 3]>,
) -> Answer {
    set_role(&inner, bot, ids, |roles, role| roles.retain(|own| *own != role))
}

fn set_role(
    inner: &Inner,
    bot: Snowflake,
    [guild, user, role]: [Snowflake; 3],
    change: impl FnOnce(&mut Vec<Snowflake>, Snowflake),
) -> Answer {
    let mut world = inner.world();
    let found = guild_of(&world.state, guild, bot)?;
    member_of(found, user, &world)?;
    if !found.roles.contains_key(&role) {
        return Err(ApiError::UNKNOWN_ROLE);
    }
    if !found.commands_role(guild, bot, role) {
        return Err(ApiError::MISSING_PERMISSIONS);
    }
    world.change_member(guild, user, |member| change(&mut member.roles, role));
    Ok(no_content())
}

fn member_of<'a>(guild: &'a Guild, user: Snowflake, world: &World) -> Result<&'a Member, ApiError> {
    guild
        .members
        .get(&user)
        .ok_or(if world.state.users.contains_key(&user) {
            ApiError::UNKNOWN_MEMBER
        } else {
            ApiError::UNKNOWN_USER
        })
}

/// Every role that comes or goes must exist and obey the bot.
fn check_roles(
    guild: &Guild,
    id: Snowflake,
    bot: Snowflake,
    old: &[Snowflake],
    new: &[Snowflake],
) -> Result<(), ApiError> {
    if new.iter().any(|role| !guild.roles.contains_key(role)) {
        return Err(ApiError::INVALID_ROLE);
    }
    let come = new.iter().filter(|role| !old.contains(role));
    let mut changed = come.chain(old.iter().filter(|role| !new.contains(role)));
    require(guild, id, bot, Permissions::MANAGE_ROLES)?;
    if changed.all(|role| guild.commands_role(id, bot, *role)) {
        Ok(())
    } else {
        Err(ApiError::MISSING_PERMISSIONS)
    }
}

fn check_nick(guild: &Guild, id: Snowflake, bot: Snowflake, nick: Option<&str>) -> Result<(), ApiError> {
    let Some(nick) = nick else { return Ok(()) };
    if nick.chars().count() > NICK_CHARACTERS {
        return Err(ApiError::too_long("nick", NICK_CHARACTERS));
    }
    require(guild, id, bot, Permissions::MANAGE_NICKNAMES)
}
