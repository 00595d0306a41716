//! Failures of the plugin API behind its key.

use super::told::Told;

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
    pub(super) fn told(&self) -> Told<'_> {
        match self {
            Self::ServerInactive => Told::new(
                403,
                "SERVER_INACTIVE",
                "This server is switched off. Switch it on in the dashboard.",
            ),
            Self::ScopeMismatch { parameter } => Told::new(
                403,
                "SCOPE_MISMATCH",
                format!("{parameter} does not belong to this key."),
            )
            .parameter(parameter),
            Self::UnknownAction => Told::new(
                400,
                "UNKNOWN_ACTION",
                "There is no such action. See /docs/api for the list.",
            ),
            Self::PermissionDenied { action } => Told::new(
                403,
                "PERMISSION_DENIED",
                format!("This key may not call {action}. Adjust its permissions in the dashboard."),
            )
            .action(action),
            Self::TooManyIds { limit } => Told::new(
                400,
                "TOO_MANY_IDS",
                format!("Your plan allows {limit} ids per call. Send fewer at a time."),
            )
            .limit(i64::from(*limit)),
            Self::BrowserRefused => Told::new(
                403,
                "BROWSER_REFUSED",
                "A link or a page cannot run this action. Send the key in the X-API-Key header.",
            ),
        }
    }
}
