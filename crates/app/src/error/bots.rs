//! Failures of bots.

use super::answer::{ErrorAnswer, seconds};

/// Why a bot cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum BotsError {
    /// A secret under the name of another bot.
    #[error("the secret of another bot")]
    Mismatch,
    /// Two processes under one secret; the one that was there first goes on.
    #[error("another process runs the bot")]
    RunsTwice,
    /// Discord ends a bot's token that begins sessions without end.
    #[error("too many new sessions on Discord's gateway")]
    IdentifyBudget {
        /// Until the next may begin.
        retry_after_ms: i64,
    },
}

impl BotsError {
    pub(super) fn answer(&self) -> ErrorAnswer<'_> {
        match self {
            Self::Mismatch => ErrorAnswer::new(
                403,
                "BOT_MISMATCH",
                "This secret does not belong to the bot in X-Bot-Id. Send the ID the secret was made for.",
            )
            .parameter("X-Bot-Id"),
            Self::RunsTwice => ErrorAnswer::new(
                409,
                "BOT_RUNS_TWICE",
                "Another process runs this bot. Stop one of them; this one takes over when the other goes silent.",
            )
            .retry_after_s(5),
            Self::IdentifyBudget { retry_after_ms } => ErrorAnswer::new(
                429,
                "IDENTIFY_BUDGET",
                "This bot has started too many sessions on Discord's gateway. Wait, and find out why it does not resume.",
            )
            .retry_after_s(seconds(*retry_after_ms)),
        }
    }
}
