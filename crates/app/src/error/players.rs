//! Failures of what Steam is asked about players, and of what is done to people.

use super::answer::{ErrorAnswer, Fault};

/// Why nothing is known about players on Steam, or nothing is done to people.
#[derive(Debug, thiserror::Error)]
pub enum PlayersError {
    /// The installation asks Steam nothing.
    #[error("no key for Steam's Web API")]
    SteamNotConfigured,
    /// Away, over our quota, or silent about every player that was asked for.
    #[error("Steam gave no answer")]
    SteamUnavailable,
    /// More than can be unlinked in one go.
    #[error("more than {most} people")]
    TooManyChosen {
        /// That many are allowed.
        most: usize,
    },
    /// An Org has one at a time.
    #[error("another bulk unlink is under way")]
    UnlinkRunning,
    /// Each goes through everybody, so an Org has two at most.
    #[error("the Org has as many simulations under way as it may have")]
    SimulationsRunning,
    /// Nothing is done about dormant links unless somebody asked for it.
    #[error("the cleanup is off")]
    CleanupOff,
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
            Self::TooManyChosen { most } => ErrorAnswer::new(
                400,
                "TOO_MANY_USERS",
                format!(
                    "Up to {most} people can be unlinked in one go. Narrow the filter, and repeat it for the rest."
                ),
            ),
            Self::UnlinkRunning => ErrorAnswer::new(
                409,
                "UNLINK_RUNNING",
                "Links of this organisation are being ended already. Wait until that is done, or cancel it.",
            ),
            Self::SimulationsRunning => ErrorAnswer::new(
                429,
                "SIMULATIONS_RUNNING",
                "This organisation already has two previews under way. Try again in a moment.",
            )
            .retry_after_s(5),
            Self::CleanupOff => ErrorAnswer::new(
                409,
                "CLEANUP_OFF",
                "The cleanup of dormant accounts is off. Turn it on first, or look at the preview.",
            ),
        }
    }
}
