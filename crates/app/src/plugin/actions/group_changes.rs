//! Changes on their way from Discord to a game server: saved, fetched and cleared.

use std::collections::BTreeMap;

use domain::erased::{Tombstone, is_erased};
use domain::platform_id::{DiscordId, EitherId, SteamId};
use serde::Serialize;
use serde_json::Value;
use storage::linking::links;
use storage::players::group_changes::{self, GroupChange, ServerPlace};
use storage::roles::ledger;
use storage::tenancy::servers;
use storage::{Tx, Work};

use crate::error::AppError;
use crate::plugin::groups::{self, MOST_GROUPS};
use crate::plugin::{Call, Reply};

/// Changes that may wait for one player; a server that never fetches must not grow without end.
const MOST_PER_PLAYER: i64 = 100;

pub(super) async fn set(call: &Call<'_>) -> Result<Reply, AppError> {
    let body = call.json_body()?;
    let id = body.get("discord_id").and_then(Value::as_str).unwrap_or_default();
    let id = DiscordId::parse(id.trim()).map_err(|error| AppError::invalid("discord_id", error))?;
    let listed = body
        .get("changes")
        .and_then(Value::as_array)
        .filter(|listed| listed.len() <= MOST_GROUPS);
    let listed = listed
        .ok_or_else(|| AppError::invalid("changes", format!("a list of up to {MOST_GROUPS} changes")))?;
    let changes = listed.iter().map(read_change).collect::<Result<Vec<_>, _>>()?;
    let work = Save {
        id,
        changes,
        now_ms: call.app.now_ms(),
    };
    call.app.db.write_for(place(call)?, work).await?;
    Ok(Reply::text(200, "Pending Oxide changes saved"))
}

fn read_change(change: &Value) -> Result<(String, &'static str), AppError> {
    let group = change.get("group").and_then(Value::as_str).and_then(groups::name);
    let action = match change.get("action").and_then(Value::as_str) {
        Some("add") => "add",
        Some("remove") => "remove",
        Some(_) | None => return Err(AppError::invalid("changes", "an action must be add or remove")),
    };
    group
        .map(|group| (group, action))
        .ok_or_else(|| AppError::invalid("changes", "a group has a name"))
}

pub(super) async fn get(call: &Call<'_>) -> Result<Reply, AppError> {
    let asked = Asked::of(call, vec![call.steam_id()?]);
    let found = group_changes::list(&call.app.db, call.server()?, asked.all()).await?;
    call.mark_named(&asked.ids).await;
    Reply::of(&found.into_iter().map(Entry::from).collect::<Vec<_>>())
}

pub(super) async fn get_bulk(call: &Call<'_>) -> Result<Reply, AppError> {
    let asked = Asked::of(call, call.steam_ids()?.ids);
    let mut players: BTreeMap<String, Vec<Entry>> = BTreeMap::new();
    for change in group_changes::list(&call.app.db, call.server()?, asked.all()).await? {
        let waiting = players
            .entry(asked.whose(&change.steam_id).to_owned())
            .or_default();
        waiting.push(change.into());
    }
    call.mark_named(&asked.ids).await;
    Reply::of(&players)
}

pub(super) async fn clear(call: &Call<'_>) -> Result<Reply, AppError> {
    let ids = vec![call.steam_id()?];
    clear_all(call, ids).await?;
    Ok(Reply::text(200, "Pending changes cleared"))
}

pub(super) async fn clear_bulk(call: &Call<'_>) -> Result<Reply, AppError> {
    let ids = call.steam_ids()?.ids;
    clear_all(call, ids).await?;
    Ok(Reply::text(200, "Bulk pending changes cleared"))
}

async fn clear_all(call: &Call<'_>, ids: Vec<SteamId>) -> Result<(), AppError> {
    let named = ids.clone();
    let work = Clear {
        asked: Asked::of(call, ids),
        now_ms: call.app.now_ms(),
    };
    call.app.db.write_for(place(call)?, work).await?;
    call.mark_named(&named).await;
    Ok(())
}

/// Players that a plugin asks about. What remained of one who was erased is known while they are asked about.
struct Asked {
    ids: Vec<SteamId>,
    /// In the same order.
    erased: Vec<Tombstone>,
}

impl Asked {
    fn of(call: &Call<'_>, ids: Vec<SteamId>) -> Self {
        let erased = ids
            .iter()
            .map(|id| call.app.erase_key.tombstone(&EitherId::Steam(id.clone())));
        Self {
            erased: erased.collect(),
            ids,
        }
    }

    fn all(&self) -> impl Iterator<Item = &str> {
        let erased = self.erased.iter().map(Tombstone::as_str);
        self.ids.iter().map(SteamId::as_str).chain(erased)
    }

    /// The player whose change it is, as they were asked about.
    fn whose<'a>(&'a self, stored: &'a str) -> &'a str {
        let mut pairs = self.ids.iter().zip(&self.erased);
        let found = pairs.find(|(_, erased)| is_erased(stored) && erased.as_str() == stored);
        found.map_or(stored, |(id, _)| id.as_str())
    }
}

fn place(call: &Call<'_>) -> Result<ServerPlace, AppError> {
    Ok(ServerPlace {
        scope: call.key.scope,
        guild: call.key.guild,
        server: call.server()?,
    })
}

/// A change as it is told, in this order of fields.
#[derive(Serialize)]
struct Entry {
    group: String,
    action: String,
}

impl From<GroupChange> for Entry {
    fn from(change: GroupChange) -> Self {
        Self {
            group: change.group,
            action: change.action,
        }
    }
}

struct Save {
    id: DiscordId,
    changes: Vec<(String, &'static str)>,
    now_ms: i64,
}

impl Work for Save {
    type For = ServerPlace;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "save_group_changes";

    /// Nothing is kept for someone who is not linked: no game server would know whom to change.
    async fn run(&self, tx: &mut Tx<'_>, &place: &ServerPlace) -> Result<(), AppError> {
        servers::lock(tx, place).await?;
        let Some(link) = links::find_by_discord(tx, place.guild, &self.id).await? else {
            return Ok(());
        };
        for (group, action) in &self.changes {
            group_changes::put(tx, place, &link.steam_id, group, action, self.now_ms).await?;
        }
        if group_changes::count(tx, place.server, &link.steam_id).await? > MOST_PER_PLAYER {
            return Err(AppError::invalid(
                "changes",
                format!("at most {MOST_PER_PLAYER} changes wait for a player"),
            ));
        }
        Ok(())
    }
}

struct Clear {
    asked: Asked,
    now_ms: i64,
}

impl Work for Clear {
    type For = ServerPlace;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "clear_group_changes";

    async fn run(&self, tx: &mut Tx<'_>, &place: &ServerPlace) -> Result<(), AppError> {
        servers::lock(tx, place).await?;
        let Asked { ids, erased } = &self.asked;
        let gone = group_changes::clear(tx, place.server, ids, erased, self.now_ms).await?;
        for change in gone {
            let (player, group) = (&change.tombstone, &change.group);
            ledger::note_end_shown(tx, place.guild, place.server, player, group).await?;
        }
        Ok(())
    }
}
