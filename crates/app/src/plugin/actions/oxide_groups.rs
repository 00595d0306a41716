//! `updateOxideGroups` and `updateOxideGroupsBulk`: the permission groups a game server reports.

use domain::platform_id::SteamId;
use domain::roles::Cause;
use serde_json::{Map, Value};
use storage::players::group_changes::ServerPlace;
use storage::players::server_players;
use storage::roles::game_side;
use storage::tenancy::{guilds, servers};
use storage::{Tx, Work};

use crate::error::AppError;
use crate::people;
use crate::plugin::groups::{self, MOST_GROUPS};
use crate::plugin::{Call, Reply};
use crate::role_marks::{Place, Rank, mark_all_in};

pub(super) async fn one(call: &Call<'_>) -> Result<Reply, AppError> {
    let id = call.steam_id()?;
    let given = call.params.last("groups").unwrap_or_default();
    let listed = groups::parse_list(given).ok_or_else(|| {
        AppError::invalid(
            "groups",
            format!("up to {MOST_GROUPS} names as a list or a JSON array"),
        )
    })?;
    if report(
        call,
        Map::from_iter([(id.as_str().to_owned(), Value::from(listed))]),
    )
    .await?
        > 0
    {
        call.mark_seen([id.account()]);
    } else {
        call.mark_strangers([id.account()]);
    }
    Ok(Reply::text(200, "Oxide groups updated"))
}

pub(super) async fn bulk(call: &Call<'_>) -> Result<Reply, AppError> {
    let players = call.json_body()?.get("players").and_then(Value::as_object);
    let players =
        players.ok_or_else(|| AppError::invalid("players", "must be an object from Steam ID to groups"))?;
    call.check_count(players.len())?;
    let (mut ids, mut valid) = (Vec::new(), Map::new());
    for (id, listed) in players {
        // One bad entry must not lose the others; it is counted.
        if let (Ok(id), Some(listed)) = (SteamId::parse(id.trim()), groups::from_json(listed)) {
            valid.insert(id.as_str().to_owned(), Value::from(listed));
            ids.push(id);
        }
    }
    let updated = report(call, valid).await?;
    call.mark_named(&ids).await;
    Ok(Reply::counted(updated, players.len() as u64 - updated))
}

async fn report(call: &Call<'_>, players: Map<String, Value>) -> Result<u64, AppError> {
    let place = ServerPlace {
        scope: call.key.scope,
        guild: call.key.guild,
        server: call.server()?,
    };
    let work = Report {
        players: Value::from(players).to_string(),
        now_ms: call.app.now_ms(),
    };
    let (stored, is_news) = call.app.db.write_for(place, work).await?;
    if is_news {
        call.app.bell.ring();
    }
    Ok(stored)
}

struct Report {
    /// Steam id to the text of a JSON array.
    players: String,
    now_ms: i64,
}

impl Work for Report {
    type For = ServerPlace;
    /// How many were stored, and whether there is something to be done now.
    type Output = (u64, bool);
    type Error = AppError;
    const NAME: &'static str = "report_groups";

    async fn run(&self, tx: &mut Tx<'_>, &place: &ServerPlace) -> Result<(u64, bool), AppError> {
        servers::lock(tx, place).await?;
        // First: after it nobody could tell what is new.
        let is_news = people::mark_reported(tx, place, &self.players, self.now_ms).await?;
        let changed = game_side::list_changed(tx, place, &self.players, self.now_ms).await?;
        game_side::note_ends(tx, place, &self.players, self.now_ms).await?;
        let stored = server_players::report(tx, place, &self.players, self.now_ms).await?;
        if !changed.is_empty() {
            let (num, id) = (place.guild, guilds::get_id(tx, place.scope, place.guild).await?);
            let (marked, now_ms) = (Place { num, id }, self.now_ms);
            mark_all_in(
                tx,
                place.scope,
                &marked,
                &changed,
                Cause::Report,
                Rank::First,
                now_ms,
            )
            .await?;
        }
        Ok((stored, is_news || !changed.is_empty()))
    }
}
