//! How the line to the gateway ends, and what that means.

use twilight_model::gateway::CloseCode;

use crate::status::Failure;

/// Why the line is down.
#[derive(Debug, PartialEq, Eq)]
pub enum End {
    /// This process must not be the bot any more.
    LetGo,
    /// Discord wants less to be heard; the rest can be heard without.
    WithoutMembers,
    /// Until somebody changes something.
    Stopped(Failure),
}

/// The session cannot be gone on with.
pub fn ends_session(code: Option<u16>) -> bool {
    let code = code.map(CloseCode::try_from);
    matches!(
        code,
        Some(Ok(CloseCode::InvalidSequence | CloseCode::SessionTimedOut))
    )
}

/// Discord closed the connection for good.
pub fn refused(code: Option<u16>, members_intent: bool) -> End {
    match code.map(CloseCode::try_from) {
        Some(Ok(CloseCode::AuthenticationFailed)) => rejected(),
        Some(Ok(CloseCode::DisallowedIntents)) if members_intent => {
            tracing::error!(
                "Discord does not grant the Server Members Intent: switch it on in the developer portal; \
                 until then the bot runs without it"
            );
            End::WithoutMembers
        }
        Some(Ok(CloseCode::DisallowedIntents)) => {
            tracing::error!("Discord does not grant the intents that the bot needs");
            End::Stopped(Failure::IntentsMissing)
        }
        Some(Ok(CloseCode::ShardingRequired)) => {
            tracing::error!("the bot is in more Discord servers than one connection can serve");
            End::Stopped(Failure::ShardingRequired)
        }
        Some(_) | None => {
            tracing::error!(code, "Discord closed the connection for good");
            End::Stopped(Failure::Refused)
        }
    }
}

pub fn rejected() -> End {
    tracing::error!("Discord does not know the bot's token: set another one and start the bot again");
    End::Stopped(Failure::TokenRejected)
}
