//! `remove`: ends the link of either id. Asking twice is the same as asking once.

use domain::audit::Actor;
use domain::id::GuildId;
use domain::link::UnlinkCause;
use domain::platform_id::EitherId;

use crate::error::AppError;
use crate::links;
use crate::plugin::{Call, Reply};

pub(super) async fn run(call: &Call<'_>) -> Result<Reply, AppError> {
    let id = call
        .params
        .last("id")
        .ok_or_else(|| AppError::invalid("id", "a Discord or Steam id is needed"))?;
    let either = EitherId::parse(id.trim()).map_err(|error| AppError::invalid("id", error))?;
    let guild = GuildId::parse(&call.guild.id).map_err(|error| AppError::Internal(error.to_string()))?;
    let actor = Actor::Key(call.key.id.clone());
    links::unlink(
        call.app,
        call.key.scope,
        guild,
        either,
        UnlinkCause::Plugin,
        actor,
    )
    .await?;
    Ok(Reply::text(200, "User Removed"))
}
