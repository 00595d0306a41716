//! `getPlayer`: everything a game server may know about one player.

use domain::platform_id::EitherId;
use serde::Serialize;
use serde_json::value::RawValue;
use storage::{lookups, server_players};

use crate::error::AppError;
use crate::plugin::{Call, Reply};

#[derive(Serialize)]
struct Player {
    linked: bool,
    discord_id: String,
    steam_id: String,
    discord_name: Option<String>,
    steam_name: Option<String>,
    linked_at_ms: i64,
    country: Option<String>,
    groups: Box<RawValue>,
}

pub(super) async fn run(call: &Call<'_>) -> Result<Reply, AppError> {
    let (db, guild) = (&call.app.db, call.key.guild);
    let found = match call.either_id()? {
        EitherId::Discord(id) => lookups::find_by_discord(db, guild, &id).await?,
        EitherId::Steam(id) => lookups::find_by_steam(db, guild, &id).await?,
    };
    let Some(player) = found else {
        return Ok(Reply::json(r#"{"linked":false}"#.to_owned()));
    };
    call.mark_seen([player.steam_id.account()]);
    let groups = server_players::find_groups(db, call.server()?, &player.steam_id).await?;
    let groups = RawValue::from_string(groups.unwrap_or_else(|| "[]".to_owned()));
    Reply::of(&Player {
        linked: true,
        discord_id: player.discord_id.as_str().to_owned(),
        steam_id: player.steam_id.as_str().to_owned(),
        discord_name: player.discord_name,
        steam_name: player.steam_name,
        linked_at_ms: player.linked_at_ms,
        country: player.country,
        groups: groups.map_err(|error| AppError::Internal(error.to_string()))?,
    })
}
