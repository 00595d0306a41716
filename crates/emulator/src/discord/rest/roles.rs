//! Roles and their order.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::Value;

use super::{guild_of, no_content, require};
use crate::discord::Inner;
use crate::discord::caller::{Bot, Ids, Input};
use crate::discord::error::{Answer, ApiError};
use crate::discord::permissions::Permissions;
use crate::discord::snowflake::Snowflake;
use crate::discord::state::{Guild, Role};
use crate::discord::wire;

const NAME_CHARACTERS: usize = 100;
const MOST_ROLES: usize = 250;

pub async fn list(State(inner): State<Arc<Inner>>, Bot(bot): Bot, Ids(guild): Ids<Snowflake>) -> Answer {
    let world = inner.world();
    Ok(all(guild_of(&world.state, guild, bot)?))
}

fn all(guild: &Guild) -> Response {
    let listed: Vec<Value> = guild
        .roles
        .iter()
        .map(|(id, role)| wire::role(*id, role))
        .collect();
    Json(listed).into_response()
}

pub async fn get(
    State(inner): State<Arc<Inner>>,
    Bot(bot): Bot,
    Ids((guild, role)): Ids<(Snowflake, Snowflake)>,
) -> Answer {
    let world = inner.world();
    let found = guild_of(&world.state, guild, bot)?;
    let own = found.roles.get(&role).ok_or(ApiError::UNKNOWN_ROLE)?;
    Ok(Json(wire::role(role, own)).into_response())
}

#[derive(Deserialize)]
pub struct RoleRequest {
    name: Option<String>,
    color: Option<u32>,
    colors: Option<Colors>,
    hoist: Option<bool>,
    mentionable: Option<bool>,
    permissions: Option<Permissions>,
}

#[derive(Deserialize)]
struct Colors {
    primary_color: Option<u32>,
}

impl RoleRequest {
    /// The bot cannot hand out what it does not have.
    fn check(&self, guild: &Guild, id: Snowflake, bot: Snowflake) -> Result<(), ApiError> {
        require(guild, id, bot, Permissions::MANAGE_ROLES)?;
        if let Some(permissions) = self.permissions {
            require(guild, id, bot, permissions)?;
        }
        if self
            .name
            .as_ref()
            .is_some_and(|name| name.chars().count() > NAME_CHARACTERS)
        {
            return Err(ApiError::too_long("name", NAME_CHARACTERS));
        }
        Ok(())
    }

    fn apply(self, role: &mut Role) {
        let color = self.colors.and_then(|colors| colors.primary_color).or(self.color);
        role.name = self.name.unwrap_or_else(|| std::mem::take(&mut role.name));
        role.color = color.unwrap_or(role.color);
        role.hoist = self.hoist.unwrap_or(role.hoist);
        role.mentionable = self.mentionable.unwrap_or(role.mentionable);
        role.permissions = self.permissions.unwrap_or(role.permissions);
    }
}

/// A new role stands just above everybody's.
pub async fn create(
    State(inner): State<Arc<Inner>>,
    Bot(bot): Bot,
    Ids(guild): Ids<Snowflake>,
    Input(request): Input<RoleRequest>,
) -> Answer {
    let mut world = inner.world();
    let found = guild_of(&world.state, guild, bot)?;
    request.check(found, guild, bot)?;
    if found.roles.len() >= MOST_ROLES {
        return Err(ApiError::TOO_MANY_ROLES);
    }
    let everybody = found
        .roles
        .get(&guild)
        .map(|role| role.permissions)
        .unwrap_or_default();
    let mut role = Role {
        name: "new role".to_owned(),
        position: 1,
        permissions: everybody,
        ..Role::default()
    };
    request.apply(&mut role);
    let id = world.snowflake(inner.hub.now_ms());
    let body = wire::role(id, &role);
    world.change_guild(guild, |guild| {
        guild.raise_roles();
        guild.roles.insert(id, role);
    });
    Ok(Json(body).into_response())
}

pub async fn change(
    State(inner): State<Arc<Inner>>,
    Bot(bot): Bot,
    Ids((guild, role)): Ids<(Snowflake, Snowflake)>,
    Input(request): Input<RoleRequest>,
) -> Answer {
    let mut world = inner.world();
    let found = guild_of(&world.state, guild, bot)?;
    let own = found.roles.get(&role).ok_or(ApiError::UNKNOWN_ROLE)?;
    request.check(found, guild, bot)?;
    if own.position >= found.rank(bot) {
        return Err(ApiError::MISSING_PERMISSIONS);
    }
    let mut changed = own.clone();
    request.apply(&mut changed);
    let body = wire::role(role, &changed);
    world.change_guild(guild, |guild| guild.roles.insert(role, changed));
    Ok(Json(body).into_response())
}

#[derive(Deserialize)]
pub struct Place {
    id: Snowflake,
    position: Option<i64>,
}

pub async fn reorder(
    State(inner): State<Arc<Inner>>,
    Bot(bot): Bot,
    Ids(guild): Ids<Snowflake>,
    Input(places): Input<Vec<Place>>,
) -> Answer {
    let mut world = inner.world();
    let found = guild_of(&world.state, guild, bot)?;
    require(found, guild, bot, Permissions::MANAGE_ROLES)?;
    let rank = found.rank(bot);
    for place in &places {
        let role = found.roles.get(&place.id).ok_or(ApiError::UNKNOWN_ROLE)?;
        let target = place.position.unwrap_or(role.position);
        // What stays where it is may be named by anybody; clients send whole lists.
        let moved = target != role.position;
        let below = role.position < rank && target < rank && target > 0 && place.id != guild;
        if moved && !below {
            return Err(ApiError::MISSING_PERMISSIONS);
        }
    }
    world.change_guild(guild, |guild| {
        for place in places {
            if let (Some(role), Some(position)) = (guild.roles.get_mut(&place.id), place.position) {
                role.position = position;
            }
        }
    });
    Ok(all(guild_of(&world.state, guild, bot)?))
}

pub async fn delete(
    State(inner): State<Arc<Inner>>,
    Bot(bot): Bot,
    Ids((guild, role)): Ids<(Snowflake, Snowflake)>,
) -> Answer {
    let mut world = inner.world();
    let found = guild_of(&world.state, guild, bot)?;
    if !found.roles.contains_key(&role) {
        return Err(ApiError::UNKNOWN_ROLE);
    }
    if !found.commands_role(guild, bot, role) {
        return Err(ApiError::MISSING_PERMISSIONS);
    }
    world.change_guild(guild, |guild| {
        guild.roles.remove(&role);
        for member in guild.members.values_mut() {
            member.roles.retain(|own| *own != role);
        }
    });
    Ok(no_content())
}
