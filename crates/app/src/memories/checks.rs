//! Questions of the link page to Discord and Steam.

use std::sync::Arc;

use domain::flow::Finding;
use domain::platform_id::{DiscordId, SteamAccount};
use domain::steam_group::Groups;

use super::pace::Pace;

/// Questions that are under way or were asked a moment ago.
#[derive(Default)]
pub(crate) struct Checks {
    /// By guild and person.
    pub(crate) members: Pace<(DiscordId, DiscordId), Finding>,
    /// Steam tells all groups of a player at once. None when it told nothing.
    pub(crate) groups: Pace<SteamAccount, Option<Arc<Groups>>>,
}
