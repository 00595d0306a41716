//! `findByDiscord` and its older name `discordCheck`: the Steam id linked to a Discord id.

use storage::linking::lookups;

use crate::error::AppError;
use crate::plugin::{Call, Reply};

pub(super) async fn run(call: &Call<'_>) -> Result<Reply, AppError> {
    let id = call.discord_id()?;
    Ok(
        match lookups::find_by_discord(&call.app.db, call.key.guild, &id).await? {
            Some(player) => {
                call.mark_seen([player.steam_id.account()]);
                call.found_id(player.steam_id.as_str())
            }
            None => Reply::text(404, "No users found."),
        },
    )
}
