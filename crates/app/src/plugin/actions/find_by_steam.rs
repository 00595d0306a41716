//! `findBySteam`: the Discord id linked to a Steam id. The look-up came with the key.

use crate::error::AppError;
use crate::plugin::{Call, Reply};

pub(super) fn run(call: &Call<'_>) -> Result<Reply, AppError> {
    let id = call.steam_id()?;
    Ok(match &call.key.linked_discord {
        Some(discord_id) => {
            call.mark_seen([id.account()]);
            call.found_id(discord_id)
        }
        None => {
            call.mark_strangers([id.account()]);
            Reply::text(404, "No users found.")
        }
    })
}
