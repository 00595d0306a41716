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
    /// A bot of its own for a Guild that nobody pays for.
    #[error("nobody pays for a bot of this Guild")]
    NotSubscribed,
    /// Where there is no shared bot, nothing would work while a Guild's own does not.
    #[error("no bots run here")]
    NotSetUp,
    /// Discord does not take it, or it is somebody's who is no bot.
    #[error("not the token of a bot")]
    TokenRejected,
    /// Discord has rejected the token that the bot has, and is not shown it again.
    #[error("the bot needs another token")]
    TokenNeeded,
    /// One bot cannot be in two places.
    #[error("another Guild has this bot")]
    InUse,
    /// The token of another bot than before.
    #[error("another bot than before")]
    OtherIdentity,
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
            Self::NotSubscribed => ErrorAnswer::new(
                409,
                "BOT_NOT_SUBSCRIBED",
                "This Guild has no Custom Bot subscription. Buy one under Billing first, then save the token.",
            ),
            Self::NotSetUp => ErrorAnswer::new(
                409,
                "BOTS_NOT_SET_UP",
                "Custom Bots cannot run on this installation: its operator has not set discord.bot_token.",
            ),
            Self::TokenRejected => ErrorAnswer::new(
                400,
                "BOT_TOKEN_REJECTED",
                "Discord does not accept this as the token of a bot. Reset the token in Discord's developer portal and paste the new one.",
            )
            .parameter("token"),
            Self::TokenNeeded => ErrorAnswer::new(
                409,
                "BOT_TOKEN_NEEDED",
                "Discord has rejected this bot's token and would do so again. Replace the token, and the bot starts by itself.",
            ),
            Self::InUse => ErrorAnswer::new(
                409,
                "BOT_IN_USE",
                "This bot is used elsewhere already. Create another application in Discord's developer portal.",
            )
            .parameter("token"),
            Self::OtherIdentity => ErrorAnswer::new(
                409,
                "BOT_OTHER_IDENTITY",
                "This token belongs to another bot than before. Send new_identity as true to replace the bot.",
            )
            .parameter("new_identity"),
        }
    }
}
