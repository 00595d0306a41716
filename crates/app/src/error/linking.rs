//! Failures of links; those of the ways to Discord and Steam are `identity`'s.

use super::told::{Told, seconds, waiting_time};

/// Why two accounts are not linked.
#[derive(Debug, thiserror::Error)]
pub enum LinkingError {
    /// The Guild's pause between two links of a person is not over.
    #[error("relinked again after {wait_ms} ms too few")]
    RelinkTooSoon {
        /// What is left of the pause.
        wait_ms: i64,
    },
}

impl LinkingError {
    pub(super) fn told(&self) -> Told<'_> {
        match self {
            Self::RelinkTooSoon { wait_ms } => Told::new(
                409,
                "RELINK_TOO_SOON",
                format!(
                    "You ended or changed your link a short while ago. You can link another account in {}.",
                    waiting_time(*wait_ms)
                ),
            )
            .retry_after_s(seconds(*wait_ms)),
        }
    }
}
