//! The REST interface, one file per kind of resource.

mod callbacks;
mod channels;
mod commands;
pub mod content;
mod followups;
mod gateway;
mod guilds;
mod members;
pub mod messages;
mod roles;
mod users;
mod webhooks;

use std::sync::Arc;

use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http::header::CONTENT_TYPE;

use super::Inner;
use super::error::ApiError;
use super::oauth::token;
use super::permissions::Permissions;
use super::snowflake::Snowflake;
use super::state::{Channel, DiscordState, Guild};
use crate::common::routes::Routes;

pub fn routes() -> Routes<Arc<Inner>> {
    let routes = Routes::new()
        .post("/api/v10/oauth2/token", token::token)
        .post("/api/v10/oauth2/token/revoke", token::revoke)
        .get("/api/v10/oauth2/@me", token::current)
        .get("/api/v10/oauth2/applications/@me", users::application)
        .get("/api/v10/applications/@me", users::application)
        .get("/api/v10/users/@me", users::me)
        .get("/api/v10/users/{user}", users::user)
        .get("/api/v10/users/@me/guilds", users::my_guilds)
        .get("/api/v10/users/@me/guilds/{guild}/member", users::my_member)
        .delete("/api/v10/users/@me/guilds/{guild}", users::leave)
        .get("/api/v10/gateway", gateway::address)
        .get("/api/v10/gateway/bot", gateway::for_bot);
    interaction_routes(guild_routes(routes))
}

fn guild_routes(routes: Routes<Arc<Inner>>) -> Routes<Arc<Inner>> {
    routes
        .get("/api/v10/guilds/{guild}", guilds::get)
        .get("/api/v10/guilds/{guild}/members", members::list)
        .get("/api/v10/guilds/{guild}/members/search", members::search)
        .get("/api/v10/guilds/{guild}/members/{user}", members::get)
        .put("/api/v10/guilds/{guild}/members/{user}", members::join)
        .patch("/api/v10/guilds/{guild}/members/@me", members::rename_self)
        .patch("/api/v10/guilds/{guild}/members/{user}", members::change)
        .delete("/api/v10/guilds/{guild}/members/{user}", members::kick)
        .put(
            "/api/v10/guilds/{guild}/members/{user}/roles/{role}",
            members::give_role,
        )
        .delete(
            "/api/v10/guilds/{guild}/members/{user}/roles/{role}",
            members::take_role,
        )
        .get("/api/v10/guilds/{guild}/roles", roles::list)
        .post("/api/v10/guilds/{guild}/roles", roles::create)
        .patch("/api/v10/guilds/{guild}/roles", roles::reorder)
        .get("/api/v10/guilds/{guild}/roles/{role}", roles::get)
        .patch("/api/v10/guilds/{guild}/roles/{role}", roles::change)
        .delete("/api/v10/guilds/{guild}/roles/{role}", roles::delete)
        .get("/api/v10/guilds/{guild}/channels", channels::list)
        .post("/api/v10/guilds/{guild}/channels", channels::create)
        .get("/api/v10/channels/{channel}", channels::get)
        .delete("/api/v10/channels/{channel}", channels::delete)
        .get("/api/v10/channels/{channel}/messages", messages::list)
        .post("/api/v10/channels/{channel}/messages", messages::create)
        .get("/api/v10/channels/{channel}/messages/{message}", messages::get)
        .patch("/api/v10/channels/{channel}/messages/{message}", messages::edit)
        .delete("/api/v10/channels/{channel}/messages/{message}", messages::delete)
}

fn interaction_routes(routes: Routes<Arc<Inner>>) -> Routes<Arc<Inner>> {
    routes
        .get(
            "/api/v10/applications/{application}/commands",
            commands::list_global,
        )
        .put(
            "/api/v10/applications/{application}/commands",
            commands::replace_global,
        )
        .post(
            "/api/v10/applications/{application}/commands",
            commands::create_global,
        )
        .get(
            "/api/v10/applications/{application}/guilds/{guild}/commands",
            commands::list,
        )
        .put(
            "/api/v10/applications/{application}/guilds/{guild}/commands",
            commands::replace,
        )
        .post(
            "/api/v10/applications/{application}/guilds/{guild}/commands",
            commands::create,
        )
        .delete(
            "/api/v10/applications/{application}/guilds/{guild}/commands/{command}",
            commands::delete,
        )
        .post("/api/v10/interactions/{id}/{token}/callback", callbacks::answer)
        .post("/api/v10/webhooks/{application}/{token}", followups::create)
        .get(
            "/api/v10/webhooks/{application}/{token}/messages/{message}",
            followups::get,
        )
        .patch(
            "/api/v10/webhooks/{application}/{token}/messages/{message}",
            followups::edit,
        )
        .delete(
            "/api/v10/webhooks/{application}/{token}/messages/{message}",
            followups::delete,
        )
}

/// The guild, if it exists and the bot is in it.
fn guild_of(state: &DiscordState, guild: Snowflake, bot: Snowflake) -> Result<&Guild, ApiError> {
    let found = state.guilds.get(&guild).ok_or(ApiError::UNKNOWN_GUILD)?;
    if found.members.contains_key(&bot) {
        Ok(found)
    } else {
        Err(ApiError::MISSING_ACCESS)
    }
}

/// The channel and its guild, if the bot can see it and may do this there.
fn channel_of(
    state: &DiscordState,
    channel: Snowflake,
    bot: Snowflake,
    needed: Permissions,
) -> Result<(Snowflake, &Guild, &Channel), ApiError> {
    let guild_id = state.guild_of_channel(channel).ok_or(ApiError::UNKNOWN_CHANNEL)?;
    let guild = guild_of(state, guild_id, bot)?;
    let found = guild.channels.get(&channel).ok_or(ApiError::UNKNOWN_CHANNEL)?;
    let permissions = guild.permissions_in(guild_id, found, bot);
    if !permissions.contain(Permissions::VIEW_CHANNEL) {
        return Err(ApiError::MISSING_ACCESS);
    }
    if !permissions.contain(needed) {
        return Err(ApiError::MISSING_PERMISSIONS);
    }
    Ok((guild_id, guild, found))
}

/// Fails unless the bot has these permissions in the guild.
fn require(guild: &Guild, guild_id: Snowflake, bot: Snowflake, needed: Permissions) -> Result<(), ApiError> {
    if guild.permissions(guild_id, bot).contain(needed) {
        Ok(())
    } else {
        Err(ApiError::MISSING_PERMISSIONS)
    }
}

/// Discord names a type even where it says nothing.
fn no_content() -> Response {
    (
        StatusCode::NO_CONTENT,
        [(CONTENT_TYPE, "text/html; charset=utf-8")],
    )
        .into_response()
}
