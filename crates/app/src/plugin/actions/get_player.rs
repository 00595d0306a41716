//! `getPlayer`: everything a game server may know about a player, or about many.

use std::collections::{BTreeMap, HashMap};

use domain::platform_id::{DiscordId, EitherId, SteamAccount, SteamId};
use domain::trust::TrustTier;
use serde::Serialize;
use serde_json::value::RawValue;
use storage::linking::lookups::{self, LinkedPlayer};
use storage::players::{server_players, trust};

use crate::error::AppError;
use crate::plugin::input::Listed;
use crate::plugin::reply::shown;
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
    /// Nothing for a moment after an upgrade.
    trust: Option<Trust>,
}

#[derive(Serialize, Clone, Copy)]
struct Trust {
    score: i64,
    tier: TrustTier,
}

#[derive(Serialize)]
#[serde(untagged)]
enum PlayerAnswer {
    Player(Box<Player>),
    Nobody { linked: bool },
}

const NOBODY: PlayerAnswer = PlayerAnswer::Nobody { linked: false };

pub(super) async fn run(call: &Call<'_>) -> Result<Reply, AppError> {
    if let Some(listed) = call.posted_ids() {
        return many(call, listed?).await;
    }
    let (db, guild) = (&call.app.db, call.key.guild);
    let found = match call.either_id()? {
        EitherId::Discord(id) => lookups::find_by_discord(db, guild, &id).await?,
        EitherId::Steam(id) => {
            let found = lookups::find_by_steam(db, guild, &id).await?;
            if found.is_none() {
                call.mark_strangers([id.account()]);
            }
            found
        }
    };
    let Some(player) = found else {
        return Reply::of(&NOBODY);
    };
    call.mark_seen([player.steam_id.account()]);
    let groups = server_players::find_groups(db, call.server()?, &player.steam_id).await?;
    let trust = trust_of(call, [&player.discord_id].into_iter()).await?;
    Reply::of(&answer_for(player, groups, &trust)?)
}

async fn trust_of<'a>(
    call: &Call<'_>,
    ids: impl Iterator<Item = &'a DiscordId>,
) -> Result<HashMap<String, Trust>, AppError> {
    let thresholds = &call.app.thresholds;
    let scores = trust::list_scores(&call.app.db, call.key.scope, ids).await?;
    let known = scores.into_iter().map(|one| {
        let (score, tier) = (one.score, thresholds.tier(u8::try_from(one.score).unwrap_or(0)));
        (one.discord_id, Trust { score, tier })
    });
    Ok(known.collect())
}

/// One object from asked id to player. Anyone not linked, and anything that is no id, gets `{"linked":false}`.
async fn many(call: &Call<'_>, asked: Listed<'_, EitherId>) -> Result<Reply, AppError> {
    let (db, guild, server) = (&call.app.db, call.key.guild, call.server()?);
    let (mut discords, mut steams): (Vec<DiscordId>, Vec<SteamId>) = (Vec::new(), Vec::new());
    let mut answer: BTreeMap<String, PlayerAnswer> = BTreeMap::new();
    for id in asked.ids {
        answer.insert(id.as_str().to_owned(), NOBODY);
        match id {
            EitherId::Discord(id) => discords.push(id),
            EitherId::Steam(id) => steams.push(id),
        }
    }
    answer.extend(asked.odd.iter().map(|(_, text)| ((*text).to_owned(), NOBODY)));
    let by_discord = lookups::list_by_discord(db, guild, &discords).await?;
    let by_steam = lookups::list_by_steam(db, guild, &steams).await?;
    let found: Vec<&SteamId> = by_discord
        .iter()
        .chain(&by_steam)
        .map(|player| &player.steam_id)
        .collect();
    let linked: Vec<SteamAccount> = found.iter().map(|id| id.account()).collect();
    call.mark_asked(&steams, &linked);
    let reported = server_players::list_groups(db, server, &found).await?;
    let groups: HashMap<String, String> = reported
        .into_iter()
        .map(|one| (one.steam_id, one.groups))
        .collect();
    let players = by_discord.iter().chain(&by_steam);
    let trust = trust_of(call, players.map(|player| &player.discord_id)).await?;
    let groups_of = |player: &LinkedPlayer| groups.get(player.steam_id.as_str()).cloned();
    for player in by_discord {
        let groups = groups_of(&player);
        answer.insert(player.discord_id.to_string(), answer_for(player, groups, &trust)?);
    }
    for player in by_steam {
        let groups = groups_of(&player);
        answer.insert(player.steam_id.to_string(), answer_for(player, groups, &trust)?);
    }
    Reply::of(&answer)
}

fn answer_for(
    player: LinkedPlayer,
    groups: Option<String>,
    trust: &HashMap<String, Trust>,
) -> Result<PlayerAnswer, AppError> {
    let groups = RawValue::from_string(groups.unwrap_or_else(|| "[]".to_owned()));
    Ok(PlayerAnswer::Player(Box::new(Player {
        linked: true,
        discord_id: player.discord_id.as_str().to_owned(),
        steam_id: player.steam_id.as_str().to_owned(),
        discord_name: player.discord_name.as_deref().and_then(shown),
        steam_name: player.steam_name.as_deref().and_then(shown),
        linked_at_ms: player.linked_at_ms,
        country: player.country,
        groups: groups.map_err(AppError::internal)?,
        trust: trust.get(player.discord_id.as_str()).copied(),
    })))
}
