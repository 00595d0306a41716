//! What somebody may ask of us as a person: what is held about them, and to have it erased.

pub mod account;
pub mod erase;
pub mod held;
mod keep;
pub mod visit;

use domain::platform_id::{DiscordId, EitherId, SteamId};

pub(crate) use keep::keep;

/// The accounts that somebody has shown to be theirs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sides {
    /// None where they did not sign in there.
    pub discord: Option<DiscordId>,
    /// None where they did not sign in there.
    pub steam: Option<SteamId>,
}

impl Sides {
    /// One by one.
    pub fn accounts(&self) -> Vec<EitherId> {
        let discord = self.discord.clone().map(EitherId::Discord);
        let steam = self.steam.clone().map(EitherId::Steam);
        discord.into_iter().chain(steam).collect()
    }
}
