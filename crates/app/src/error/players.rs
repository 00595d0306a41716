//! Failures of what Steam is asked about players.

use super::told::{Fault, Told};

/// Why nothing is known about players on Steam.
#[derive(Debug, thiserror::Error)]
pub enum PlayersError {
    /// The installation asks Steam nothing.
    #[error("no key for Steam's Web API")]
    SteamNotConfigured,
    /// Away, over our quota, or silent about every player that was asked for.
    #[error("Steam gave no answer")]
    SteamUnavailable,
}

impl PlayersError {
    pub(super) fn told(&self) -> Told<'_> {
        match self {
            Self::SteamNotConfigured => Told::new(
                503,
                "STEAM_NOT_CONFIGURED",
                "This installation has no key for Steam's Web API. Its operator can set steam.api_key.",
            )
            .fault(Fault::Known),
            Self::SteamUnavailable => Told::new(
                503,
                "STEAM_UNAVAILABLE",
                "Steam told nothing: it is not reachable, or the profiles asked for are private. Try again later.",
            )
            .retry_after_s(30)
            .fault(Fault::Known),
        }
    }
}
