//! Failures of what Steam is asked about players.

use super::answer::{ErrorAnswer, Fault};

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
    pub(super) fn answer(&self) -> ErrorAnswer<'_> {
        match self {
            Self::SteamNotConfigured => ErrorAnswer::new(
                503,
                "STEAM_NOT_CONFIGURED",
                "This installation has no key for Steam's Web API. The operator can set steam.api_key.",
            )
            .fault(Fault::Known),
            Self::SteamUnavailable => ErrorAnswer::new(
                503,
                "STEAM_UNAVAILABLE",
                "Steam returned nothing: it is unreachable, or the profiles are private. Try again later.",
            )
            .retry_after_s(30)
            .fault(Fault::Known),
        }
    }
}
