//! `groupChecks`: which of many Steam ids are in a Steam group.

use domain::platform_id::SteamId;
use domain::steam_group::{GroupId, PastedGroup};
use storage::linking::lookups;
use storage::tenancy::guild_settings;

use crate::error::{AppError, PlayersError};
use crate::players::steam_groups;
use crate::plugin::{Call, Reply};

/// Every id is asked about, linked or not, because game servers also poll for players who have yet to link. Linked ones
/// come first, in case Steam is slow or the day's calls run out.
pub(super) async fn run(call: &Call<'_>) -> Result<Reply, AppError> {
    let asked = call.steam_ids()?.ids;
    if asked.is_empty() {
        return Ok(Reply::json("{}".to_owned()));
    }
    let group = group(call).await?;
    let mut linked = lookups::linked(&call.app.db, call.key.guild, &asked).await?;
    call.mark_asked(&asked, &linked);
    linked.sort_unstable();
    let is_linked = |player: &SteamId| linked.binary_search(&player.account()).is_ok();
    let known = steam_groups::of_players(call.app, call.key.scope.num(), &asked, is_linked).await?;
    let answers: Vec<(&str, bool)> = asked
        .iter()
        .zip(known)
        .filter_map(|(player, groups)| Some((player.as_str(), groups?.contains(group)?)))
        .collect();
    if answers.is_empty() {
        return Err(PlayersError::SteamUnavailable.into());
    }
    Ok(Reply::pairs(answers.into_iter()))
}

/// The group that is asked for by its number, and the Guild's own for anything that is no number: old plugins send names
/// here that only mean something to them.
async fn group(call: &Call<'_>) -> Result<GroupId, AppError> {
    if let Some(Ok(PastedGroup::Id(id))) = call.params.last("group").map(PastedGroup::parse) {
        return Ok(id);
    }
    let own = guild_settings::find_steam_group(&call.app.db, call.key.guild).await?;
    own.ok_or_else(|| {
        AppError::invalid(
            "group",
            "the Guild has no Steam group; set one in its settings or name a group by its ID",
        )
    })
}
