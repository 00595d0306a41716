//! Failures of the plugin API behind its key.

use super::answer::ErrorAnswer;

/// Why a call with a good key is refused.
#[derive(Debug, thiserror::Error)]
pub enum PluginError {
    /// The key's Server, or the one that the call names, is switched off.
    #[error("server inactive")]
    ServerInactive,
    /// The call names another Guild or Server than the key's.
    #[error("scope mismatch on {parameter}")]
    ScopeMismatch {
        /// `guild_id` or `server_id`.
        parameter: &'static str,
    },
    /// Not in the table of actions; case matters.
    #[error("unknown action")]
    UnknownAction,
    /// The action exists, and this key may not call it.
    #[error("action {action} outside the allow-list")]
    PermissionDenied {
        /// The action by its own spelling, not by the caller's.
        action: &'static str,
    },
    /// More than the plan allows in one call. Nothing was done.
    #[error("more than {limit} ids")]
    TooManyIds {
        /// How many the plan allows.
        limit: u32,
    },
    /// A link with a key in it, opened by a browser or a preview, changes nothing.
    #[error("a page navigation tried a mutating action")]
    BrowserRefused,
}

impl PluginError {
    pub(super) fn answer(&self) -> ErrorAnswer<'_> {
        match self {
            Self::ServerInactive => ErrorAnswer::new(
                403,
                "SERVER_INACTIVE",
                "This Server is inactive. Activate it in the dashboard.",
            ),
            Self::ScopeMismatch { parameter } => ErrorAnswer::new(
                403,
                "SCOPE_MISMATCH",
                format!("{parameter} does not belong to this key."),
            )
            .parameter(parameter),
            Self::UnknownAction => ErrorAnswer::new(
                400,
                "UNKNOWN_ACTION",
                "Unknown action. See /docs/api for the list.",
            ),
            Self::PermissionDenied { action } => ErrorAnswer::new(
                403,
                "PERMISSION_DENIED",
                format!("This key cannot call {action}. Adjust its permissions in the dashboard."),
            )
            .action(action),
            Self::TooManyIds { limit } => ErrorAnswer::new(
                400,
                "TOO_MANY_IDS",
                format!("Your plan allows {limit} IDs per call. Send fewer at a time."),
            )
            .limit(i64::from(*limit)),
            Self::BrowserRefused => ErrorAnswer::new(
                403,
                "BROWSER_REFUSED",
                "This action cannot be run from a link or a page. Send the key in the X-API-Key header.",
            ),
        }
    }
}
