//! `updateSteam`: the current Steam names of players, one in the address or many in a body.

use domain::name::{GIVEN_NAME_MAX, given_name};
use domain::platform_id::SteamId;
use serde_json::{Map, Value};
use storage::players::names;
use storage::tenancy::guilds;
use storage::{GuildNum, OrgScope, Tx, Work};

use crate::error::AppError;
use crate::people;
use crate::plugin::{Body, Call, Reply};

pub(super) async fn run(call: &Call<'_>) -> Result<Reply, AppError> {
    match call.params.body() {
        Body::Json(body) if body.get("players").is_some() => many(call, body).await,
        Body::Json(_) | Body::Empty | Body::Unreadable => one(call).await,
    }
}

async fn one(call: &Call<'_>) -> Result<Reply, AppError> {
    let id = call.steam_id()?;
    let given = call.params.free_text("name");
    let given = given.ok_or_else(|| AppError::invalid("name", "it is missing"))?;
    let name = given_name(&given)
        .ok_or_else(|| AppError::invalid("name", format!("it has 1 to {GIVEN_NAME_MAX} characters")))?;
    if report(call, Map::from_iter([(id.as_str().to_owned(), name.into())])).await? > 0 {
        call.mark_seen([id.account()]);
    } else {
        call.mark_strangers([id.account()]);
    }
    Ok(Reply::text(200, "Steam updated"))
}

async fn many(call: &Call<'_>, body: &Value) -> Result<Reply, AppError> {
    let players = body.get("players").and_then(Value::as_object);
    let players =
        players.ok_or_else(|| AppError::invalid("players", "must be an object from Steam ID to name"))?;
    call.check_count(players.len())?;
    let (mut ids, mut valid) = (Vec::new(), Map::new());
    for (id, name) in players {
        // One bad entry must not lose the others; it is counted.
        if let (Ok(id), Some(name)) = (SteamId::parse(id.trim()), name.as_str().and_then(given_name)) {
            valid.insert(id.as_str().to_owned(), name.into());
            ids.push(id);
        }
    }
    let updated = report(call, valid).await?;
    call.mark_named(&ids).await;
    Ok(Reply::counted(updated, players.len() as u64 - updated))
}

async fn report(call: &Call<'_>, players: Map<String, Value>) -> Result<u64, AppError> {
    let work = SetNames {
        guild: call.key.guild,
        players: Value::from(players).to_string(),
        now_ms: call.app.now_ms(),
    };
    let (stored, is_news) = call.app.db.write_for(call.key.scope, work).await?;
    if is_news {
        call.app.bell.ring();
    }
    Ok(stored)
}

struct SetNames {
    guild: GuildNum,
    /// Steam id to name.
    players: String,
    now_ms: i64,
}

impl Work for SetNames {
    type For = OrgScope;
    /// How many are linked, and whether anybody had another name.
    type Output = (u64, bool);
    type Error = AppError;
    const NAME: &'static str = "update_steam_names";

    async fn run(&self, tx: &mut Tx<'_>, &scope: &OrgScope) -> Result<(u64, bool), AppError> {
        guilds::lock(tx, scope, self.guild).await?;
        let is_news = people::mark_renamed(tx, scope, self.guild, &self.players, self.now_ms).await?;
        let stored = names::set_steam(tx, scope, self.guild, &self.players).await?;
        Ok((stored, is_news))
    }
}
