//! Failures of the key that a caller holds.

use super::answer::ErrorAnswer;

/// Why a key opens nothing.
#[derive(Debug, thiserror::Error)]
pub enum KeysError {
    /// A stranger never learns which of the three it is.
    #[error("missing, malformed or unknown key")]
    Unauthorized,
    /// Known, and switched off by its owner; told only to who holds it.
    #[error("key revoked")]
    KeyRevoked,
    /// The Org's own switch against keys in access logs.
    #[error("key in the query of an Org that refuses that")]
    QueryKeyRefused,
}

impl KeysError {
    pub(super) fn answer(&self) -> ErrorAnswer<'_> {
        match self {
            Self::Unauthorized => ErrorAnswer::new(
                401,
                "UNAUTHORIZED",
                "The key is missing or not valid. Send it in the X-API-Key header and check its value.",
            ),
            Self::KeyRevoked => ErrorAnswer::new(
                403,
                "KEY_REVOKED",
                "This key was revoked. Regenerate it in the dashboard.",
            ),
            Self::QueryKeyRefused => ErrorAnswer::new(
                403,
                "QUERY_KEY_REFUSED",
                "This organisation does not accept keys in the URL. Send the key in the X-API-Key header.",
            ),
        }
    }
}
