//! The actions, a file for each idea.

mod count;
mod find_by_discord;
mod find_by_steam;
mod get_name;
mod get_player;
mod get_server_config;
mod get_steam_bulk;
mod group_changes;
mod group_checks;
mod list_all_linked;
mod list_nitro;
mod nicknames;
mod nitro_checks;
mod oxide_groups;
mod remove;
mod role_sync;
mod steam_checks;
mod update;
mod update_nitro;
mod update_steam;

use domain::action::Action;

use super::{Call, Reply};
use crate::error::AppError;

/// Runs an action the key may call.
pub(super) async fn run(action: Action, call: &Call<'_>) -> Result<Reply, AppError> {
    // Most calls are this one, and its answer came with the key.
    if action == Action::FindBySteam {
        return find_by_steam::run(call);
    }
    // In a box, so that those calls do not carry the state of every other action around.
    Box::pin(run_other(action, call)).await
}

/// An action that is not built yet is known and refused, never guessed.
async fn run_other(action: Action, call: &Call<'_>) -> Result<Reply, AppError> {
    match action {
        Action::FindBySteam => find_by_steam::run(call),
        Action::FindByDiscord | Action::DiscordCheck => find_by_discord::run(call).await,
        Action::IsLinkedSteamBulk | Action::SteamChecks => steam_checks::run(call).await,
        Action::NitroChecks => nitro_checks::run(call).await,
        Action::GroupChecks => group_checks::run(call).await,
        Action::GetSteam => get_name::steam(call).await,
        Action::GetSteamBulk => get_steam_bulk::run(call).await,
        Action::GetDiscord => get_name::discord(call).await,
        Action::Count => count::run(call).await,
        Action::ListAllLinked => list_all_linked::run(call).await,
        Action::ListNitro => list_nitro::run(call).await,
        Action::Update => update::run(call).await,
        Action::UpdateNitro => update_nitro::one(call).await,
        Action::UpdateNitroBulk => update_nitro::bulk(call).await,
        Action::UpdateSteam => update_steam::run(call).await,
        Action::UpdateOxideGroups => oxide_groups::one(call).await,
        Action::UpdateOxideGroupsBulk => oxide_groups::bulk(call).await,
        Action::PendingNicknames => nicknames::pending(call).await,
        Action::ConfirmNicknameSync => nicknames::confirm(call).await,
        Action::ListAllNicknames => nicknames::all(call).await,
        Action::PendingRoles => role_sync::pending(call).await,
        Action::ConfirmRoleSync => role_sync::confirm(call).await,
        Action::SetOxideGroupFromDiscord => group_changes::set(call).await,
        Action::GetPendingOxideChanges => group_changes::get(call).await,
        Action::GetPendingOxideChangesBulk => group_changes::get_bulk(call).await,
        Action::Remove => remove::run(call).await,
        Action::ClearPendingOxideChanges => group_changes::clear(call).await,
        Action::ClearPendingOxideChangesBulk => group_changes::clear_bulk(call).await,
        Action::GetServerConfig => get_server_config::run(call).await,
        Action::GetPlayer => get_player::run(call).await,
    }
}
