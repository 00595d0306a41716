//! Slash commands, per guild and everywhere.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::response::IntoResponse;
use http::StatusCode;
use serde_json::{Value, json};

use super::{guild_of, no_content};
use crate::discord::Inner;
use crate::discord::caller::{Bot, Ids, Input};
use crate::discord::error::{Answer, ApiError};
use crate::discord::snowflake::Snowflake;
use crate::discord::world::World;

const MOST: usize = 100;
const NAME_CHARACTERS: usize = 32;
const DESCRIPTION_CHARACTERS: usize = 100;

/// Where commands are registered: in a guild, or everywhere.
type Scope = Option<Snowflake>;

pub async fn list_global(
    State(inner): State<Arc<Inner>>,
    Bot(bot): Bot,
    Ids(application): Ids<Snowflake>,
) -> Answer {
    read(&inner, bot, application, None)
}

pub async fn replace_global(
    State(inner): State<Arc<Inner>>,
    Bot(bot): Bot,
    Ids(application): Ids<Snowflake>,
    Input(commands): Input<Vec<Value>>,
) -> Answer {
    overwrite(&inner, bot, application, None, commands)
}

pub async fn create_global(
    State(inner): State<Arc<Inner>>,
    Bot(bot): Bot,
    Ids(application): Ids<Snowflake>,
    Input(command): Input<Value>,
) -> Answer {
    add(&inner, bot, application, None, command)
}

pub async fn list(
    State(inner): State<Arc<Inner>>,
    Bot(bot): Bot,
    Ids((application, guild)): Ids<(Snowflake, Snowflake)>,
) -> Answer {
    read(&inner, bot, application, Some(guild))
}

/// All commands at once; the same list twice changes nothing.
pub async fn replace(
    State(inner): State<Arc<Inner>>,
    Bot(bot): Bot,
    Ids((application, guild)): Ids<(Snowflake, Snowflake)>,
    Input(commands): Input<Vec<Value>>,
) -> Answer {
    overwrite(&inner, bot, application, Some(guild), commands)
}

pub async fn create(
    State(inner): State<Arc<Inner>>,
    Bot(bot): Bot,
    Ids((application, guild)): Ids<(Snowflake, Snowflake)>,
    Input(command): Input<Value>,
) -> Answer {
    add(&inner, bot, application, Some(guild), command)
}

pub async fn delete(
    State(inner): State<Arc<Inner>>,
    Bot(bot): Bot,
    Ids([application, guild, command]): Ids<[Snowflake; 3]>,
) -> Answer {
    let mut world = inner.world();
    let commands = commands_of(&mut world, bot, application, Some(guild))?;
    let before = commands.len();
    commands.retain(|own| own["id"] != command.to_string());
    if commands.len() == before {
        return Err(ApiError::UNKNOWN_COMMAND);
    }
    Ok(no_content())
}

fn read(inner: &Inner, bot: Snowflake, application: Snowflake, scope: Scope) -> Answer {
    let mut world = inner.world();
    let commands = commands_of(&mut world, bot, application, scope)?;
    Ok(Json(commands.clone()).into_response())
}

fn overwrite(inner: &Inner, bot: Snowflake, application: Snowflake, scope: Scope, new: Vec<Value>) -> Answer {
    if new.len() > MOST {
        return Err(ApiError::too_long("commands", MOST));
    }
    for (index, command) in new.iter().enumerate() {
        check(command, &format!("{index}."))?;
        if new[..index]
            .iter()
            .any(|other| other["name"] == command["name"] && other["type"] == command["type"])
        {
            let message = "Application command names must be unique";
            return Err(ApiError::field(
                "0",
                "APPLICATION_COMMANDS_DUPLICATE_NAME",
                message,
            ));
        }
    }
    let mut world = inner.world();
    let old = commands_of(&mut world, bot, application, scope)?.clone();
    let now_ms = inner.hub.now_ms();
    let complete: Vec<Value> = new
        .into_iter()
        .map(|command| completed(&mut world, command, &old, application, scope, now_ms))
        .collect();
    commands_of(&mut world, bot, application, scope)?.clone_from(&complete);
    Ok(Json(complete).into_response())
}

/// A command of the same name is replaced.
fn add(inner: &Inner, bot: Snowflake, application: Snowflake, scope: Scope, command: Value) -> Answer {
    check(&command, "")?;
    let mut world = inner.world();
    let old = commands_of(&mut world, bot, application, scope)?.clone();
    let complete = completed(&mut world, command, &old, application, scope, inner.hub.now_ms());
    let commands = commands_of(&mut world, bot, application, scope)?;
    commands.retain(|own| own["id"] != complete["id"]);
    let status = if commands.len() < old.len() {
        StatusCode::OK
    } else {
        StatusCode::CREATED
    };
    commands.push(complete.clone());
    Ok((status, Json(complete)).into_response())
}

/// The list itself, if the bot may touch it.
fn commands_of(
    world: &mut World,
    bot: Snowflake,
    application: Snowflake,
    scope: Scope,
) -> Result<&mut Vec<Value>, ApiError> {
    if application != bot {
        return Err(ApiError::FOREIGN_APPLICATION);
    }
    if let Some(guild) = scope {
        guild_of(&world.state, guild, bot)?;
    }
    let own = world
        .state
        .applications
        .get_mut(&bot)
        .ok_or(ApiError::UNKNOWN_APPLICATION)?;
    Ok(match scope {
        Some(guild) => own.guild_commands.entry(guild).or_default(),
        None => &mut own.commands,
    })
}

/// The command with what Discord adds; an old one of the same name and type keeps its id.
fn completed(
    world: &mut World,
    command: Value,
    old: &[Value],
    application: Snowflake,
    scope: Scope,
    now_ms: i64,
) -> Value {
    let kind = command["type"].as_u64().unwrap_or(1);
    let same = old
        .iter()
        .find(|own| own["name"] == command["name"] && own["type"] == kind);
    let id = same.map_or_else(|| json!(world.snowflake(now_ms)), |own| own["id"].clone());
    let mut complete = json!({
        "id": id,
        "application_id": application,
        "version": world.snowflake(now_ms),
        "type": kind,
        "name": command["name"],
        "name_localizations": command["name_localizations"],
        "description": command["description"].as_str().unwrap_or_default(),
        "description_localizations": command["description_localizations"],
        "default_member_permissions": command["default_member_permissions"],
        "dm_permission": command["dm_permission"].as_bool().unwrap_or(true),
        "contexts": command["contexts"],
        "integration_types": command["integration_types"].as_array().cloned().unwrap_or_else(|| vec![json!(0)]),
        "nsfw": command["nsfw"].as_bool().unwrap_or(false),
    });
    if command["options"].is_array() {
        complete["options"] = command["options"].clone();
    }
    if let Some(guild) = scope {
        complete["guild_id"] = json!(guild);
    }
    complete
}

fn check(command: &Value, path: &str) -> Result<(), ApiError> {
    let slash = command["type"].as_u64().unwrap_or(1) == 1;
    let name = command["name"]
        .as_str()
        .ok_or_else(|| ApiError::required(&format!("{path}name")))?;
    let valid = |character: char| {
        let letter = character.is_alphanumeric() || matches!(character, '-' | '_' | '\'');
        letter && !character.is_uppercase()
    };
    let length = name.chars().count();
    if !(1..=NAME_CHARACTERS).contains(&length) || (slash && !name.chars().all(valid)) {
        let message = "Command name is invalid";
        return Err(ApiError::field(
            &format!("{path}name"),
            "APPLICATION_COMMAND_INVALID_NAME",
            message,
        ));
    }
    let description = command["description"]
        .as_str()
        .unwrap_or_default()
        .chars()
        .count();
    let path = format!("{path}description");
    match description {
        0 if slash => Err(ApiError::required(&path)),
        0..=DESCRIPTION_CHARACTERS => Ok(()),
        _ => Err(ApiError::too_long(&path, DESCRIPTION_CHARACTERS)),
    }
}
