//! The actions that are built, one file each.

mod count;
mod find_by_steam;
mod remove;

use domain::action::Action;

use super::{Call, Reply};
use crate::error::AppError;

/// Runs an action the key may call. An action without a file here is known and refused, never guessed.
pub(super) async fn run(action: Action, call: &Call<'_>) -> Result<Reply, AppError> {
    match action {
        Action::FindBySteam => find_by_steam::run(call),
        Action::Count => count::run(call).await,
        Action::Remove => remove::run(call).await,
        Action::FindByDiscord
        | Action::DiscordCheck
        | Action::IsLinkedSteamBulk
        | Action::SteamChecks
        | Action::NitroChecks
        | Action::GroupChecks
        | Action::GetSteam
        | Action::GetSteamBulk
        | Action::GetDiscord
        | Action::ListAllLinked
        | Action::ListNitro
        | Action::Update
        | Action::UpdateNitro
        | Action::UpdateNitroBulk
        | Action::UpdateSteam
        | Action::UpdateOxideGroups
        | Action::UpdateOxideGroupsBulk
        | Action::PendingNicknames
        | Action::ConfirmNicknameSync
        | Action::ListAllNicknames
        | Action::PendingRoles
        | Action::ConfirmRoleSync
        | Action::SetOxideGroupFromDiscord
        | Action::GetPendingOxideChanges
        | Action::GetPendingOxideChangesBulk
        | Action::ClearPendingOxideChanges
        | Action::ClearPendingOxideChangesBulk
        | Action::GetServerConfig
        | Action::GetPlayer => Err(AppError::ActionUnavailable {
            action: action.name(),
        }),
    }
}
