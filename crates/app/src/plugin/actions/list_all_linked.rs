//! `listAllLinked`: every active link, page by page.

use serde::Serialize;
use storage::lookups::{self, LinkedPlayer};

use crate::error::AppError;
use crate::plugin::{Call, Reply};

const PAGE: i64 = 1000;

#[derive(Serialize)]
struct Page {
    #[serde(rename = "Result")]
    result: Vec<Entry>,
    /// To be sent as `cursor` for the next page.
    next: Option<String>,
}

#[derive(Serialize)]
struct Entry {
    discord_id: String,
    steam_id: String,
    discord_name: Option<String>,
    steam_name: Option<String>,
    linked_at_ms: i64,
}

impl From<LinkedPlayer> for Entry {
    fn from(player: LinkedPlayer) -> Self {
        Self {
            discord_id: player.discord_id.as_str().to_owned(),
            steam_id: player.steam_id.as_str().to_owned(),
            discord_name: player.discord_name,
            steam_name: player.steam_name,
            linked_at_ms: player.linked_at_ms,
        }
    }
}

pub(super) async fn run(call: &Call<'_>) -> Result<Reply, AppError> {
    let limit = match call.params.last("limit") {
        None => PAGE,
        Some(text) => text
            .parse()
            .ok()
            .filter(|limit| (1..=PAGE).contains(limit))
            .ok_or_else(|| AppError::invalid("limit", format!("it is a number from 1 to {PAGE}")))?,
    };
    let cursor = call.params.last("cursor").unwrap_or_default();
    let mut players = lookups::page(&call.app.db, call.key.guild, cursor, limit + 1).await?;
    if players.is_empty() {
        return Ok(Reply::json(r#"{"Result":0}"#.to_owned()));
    }
    let more = players.len() as i64 > limit;
    players.truncate(limit as usize);
    let next = players
        .last()
        .filter(|_| more)
        .map(|player| player.discord_id.as_str().to_owned());
    Reply::of(&Page {
        result: players.into_iter().map(Entry::from).collect(),
        next,
    })
}
