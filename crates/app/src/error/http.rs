//! What is refused for its form, before a use case is asked.

use super::told::Told;

/// Why a request is not read, or not taken from where it comes.
#[derive(Debug, thiserror::Error)]
pub enum HttpError {
    /// The connection is closed after it.
    #[error("not HTTP")]
    BadRequest,
    /// The connection is closed after it.
    #[error("head too large")]
    HeadTooLarge,
    /// Path and query together.
    #[error("address too long")]
    UriTooLong,
    /// The address exists, and does not take this method.
    #[error("method not allowed")]
    MethodNotAllowed {
        /// What it takes, as in the header `Allow`.
        allow: String,
    },
    /// A changing request that is not marked as JSON: a form of another site could send it.
    #[error("unsupported media type")]
    UnsupportedMediaType,
    /// Refused by its announced length, or as soon as more than that has arrived.
    #[error("body too large")]
    PayloadTooLarge {
        /// What the address takes.
        limit_bytes: usize,
    },
    /// No JSON, or not of the expected form.
    #[error("invalid JSON: {problem}")]
    InvalidJson {
        /// What is wrong, in words for a person.
        problem: String,
    },
    /// A browser says that another site sent it.
    #[error("cross-site request")]
    CrossSite,
    /// The instance takes keys over TLS only.
    #[error("a key was sent over plain HTTP")]
    TlsRequired,
}

impl HttpError {
    pub(super) fn told(&self) -> Told<'_> {
        match self {
            Self::BadRequest => Told::new(
                400,
                "BAD_REQUEST",
                "The request could not be read as HTTP. A space or another sign in the address may need encoding.",
            ),
            Self::HeadTooLarge => Told::new(
                431,
                "HEAD_TOO_LARGE",
                "Address and headers together are larger than 64 KiB, or there are too many headers.",
            ),
            Self::UriTooLong => Told::new(
                414,
                "URI_TOO_LONG",
                "The address is too long. Send long lists in the body.",
            ),
            Self::MethodNotAllowed { allow } => {
                Told::new(405, "METHOD_NOT_ALLOWED", format!("Use {allow} here.")).allow(allow)
            }
            Self::UnsupportedMediaType => Told::new(
                415,
                "UNSUPPORTED_MEDIA_TYPE",
                "Send the body as application/json.",
            ),
            Self::PayloadTooLarge { limit_bytes } => Told::new(
                413,
                "PAYLOAD_TOO_LARGE",
                format!("The body is larger than {} KiB.", limit_bytes / 1024),
            ),
            Self::InvalidJson { problem } => Told::new(
                400,
                "INVALID_JSON",
                format!("The body is not what was expected: {problem}"),
            ),
            Self::CrossSite => Told::new(
                403,
                "CROSS_SITE",
                "This request came from another site and was refused.",
            ),
            Self::TlsRequired => Told::new(403, "TLS_REQUIRED", "Send keys over HTTPS only."),
        }
    }
}
