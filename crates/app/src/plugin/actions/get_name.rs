//! `getSteam` and `getDiscord`: the name of one side of a Discord id's link, or `false`.

use storage::linking::lookups::{self, LinkedPlayer};

use crate::error::AppError;
use crate::plugin::reply::shown;
use crate::plugin::{Call, Reply};

pub(super) async fn steam(call: &Call<'_>) -> Result<Reply, AppError> {
    name(call, |player| player.steam_name).await
}

pub(super) async fn discord(call: &Call<'_>) -> Result<Reply, AppError> {
    name(call, |player| player.discord_name).await
}

async fn name(call: &Call<'_>, pick: impl Fn(LinkedPlayer) -> Option<String>) -> Result<Reply, AppError> {
    let id = call.discord_id()?;
    let player = lookups::find_by_discord(&call.app.db, call.key.guild, &id).await?;
    match player.and_then(pick).as_deref().and_then(shown) {
        Some(name) => Reply::of(&name),
        None => Ok(Reply::json("false".to_owned())),
    }
}
