//! `listAllLinked`: every active link, or every link that changed since a moment, page by page.

use domain::id::LinkId;
use serde::Serialize;
use storage::linking::lookups::{self, ChangedLink, LinkedPlayer};

use crate::error::AppError;
use crate::plugin::reply::shown;
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
    /// Unix milliseconds, of ended links only.
    #[serde(skip_serializing_if = "Option::is_none")]
    ended_at: Option<i64>,
}

impl From<LinkedPlayer> for Entry {
    fn from(player: LinkedPlayer) -> Self {
        Self {
            discord_id: player.discord_id.as_str().to_owned(),
            steam_id: player.steam_id.as_str().to_owned(),
            discord_name: player.discord_name.as_deref().and_then(shown),
            steam_name: player.steam_name.as_deref().and_then(shown),
            linked_at_ms: player.linked_at_ms,
            ended_at: None,
        }
    }
}

impl From<ChangedLink> for Entry {
    fn from(link: ChangedLink) -> Self {
        Self {
            discord_id: link.discord_id,
            steam_id: link.steam_id,
            discord_name: link.discord_name.as_deref().and_then(shown),
            steam_name: link.steam_name.as_deref().and_then(shown),
            linked_at_ms: link.linked_at_ms,
            ended_at: link.ended_at_ms,
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
    let (db, guild) = (&call.app.db, call.key.guild);
    let cursor = call.params.last("cursor").unwrap_or_default();
    let Some(since) = call.params.last("since") else {
        let players = lookups::page(db, guild, cursor, limit + 1).await?;
        return page(players, limit, |player| player.discord_id.to_string());
    };
    let since_ms = since.parse().ok().filter(|since_ms: &i64| *since_ms >= 0);
    let since_ms =
        since_ms.ok_or_else(|| AppError::invalid("since", "must be a time in Unix milliseconds"))?;
    let (from_ms, after) = match cursor {
        "" => (since_ms, String::new()),
        _ => resumed(cursor)
            .ok_or_else(|| AppError::invalid("cursor", "must be the next of an earlier page"))?,
    };
    let changed = lookups::list_changed(db, guild, from_ms, &after, limit + 1).await?;
    page(changed, limit, |link| {
        format!("{}.{}", link.changed_at_ms, link.id)
    })
}

/// Where the page before ended: the time of its last change and the link.
fn resumed(cursor: &str) -> Option<(i64, String)> {
    let (at_ms, id) = cursor.split_once('.')?;
    Some((at_ms.parse().ok()?, LinkId::parse(id).ok()?.as_str().to_owned()))
}

/// One row more than the limit shows that there is another page.
fn page<T: Into<Entry>>(
    mut rows: Vec<T>,
    limit: i64,
    cursor: impl Fn(&T) -> String,
) -> Result<Reply, AppError> {
    if rows.is_empty() {
        return Ok(Reply::json(r#"{"Result":0}"#.to_owned()));
    }
    let more = rows.len() as i64 > limit;
    rows.truncate(limit as usize);
    let next = rows.last().filter(|_| more).map(cursor);
    Reply::of(&Page {
        result: rows.into_iter().map(T::into).collect(),
        next,
    })
}
