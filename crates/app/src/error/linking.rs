//! Failures of links; those of the ways to Discord and Steam are `identity`'s.

use super::answer::{ErrorAnswer, seconds, waiting_time};

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
    pub(super) fn answer(&self) -> ErrorAnswer<'_> {
        match self {
            Self::RelinkTooSoon { wait_ms } => ErrorAnswer::new(
                409,
                "RELINK_TOO_SOON",
                format!(
                    "You unlinked or relinked recently. You can link another account in {}.",
                    waiting_time(*wait_ms)
                ),
            )
            .retry_after_s(seconds(*wait_ms)),
        }
    }
}
