//! `findBySteam`: the Discord id linked to a Steam id. The look-up came with the key.

use domain::platform_id::SteamId;

use crate::error::AppError;
use crate::plugin::{Call, Reply};

pub(super) fn run(call: &Call<'_>) -> Result<Reply, AppError> {
    let id = call
        .params
        .last("id")
        .ok_or_else(|| AppError::invalid("id", "a Steam id is needed"))?;
    SteamId::parse(id.trim()).map_err(|error| AppError::invalid("id", error))?;
    Ok(match &call.key.linked_discord {
        Some(discord_id) => Reply::text(200, discord_id),
        None => Reply::text(404, "No users found."),
    })
}
