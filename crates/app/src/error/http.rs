//! What is refused for its form, before a use case is asked.

use super::answer::ErrorAnswer;

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
    /// A part of a file that it does not have.
    #[error("a range beyond the end")]
    RangeNotSatisfiable {
        /// What the file has.
        length: usize,
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
    pub(super) fn answer(&self) -> ErrorAnswer<'_> {
        match self {
            Self::BadRequest => ErrorAnswer::new(
                400,
                "BAD_REQUEST",
                "The request is not valid HTTP. Check that spaces and special characters in the URL are encoded.",
            ),
            Self::HeadTooLarge => ErrorAnswer::new(
                431,
                "HEAD_TOO_LARGE",
                "The URL and headers together exceed 64 KiB, or there are too many headers.",
            ),
            Self::UriTooLong => ErrorAnswer::new(
                414,
                "URI_TOO_LONG",
                "The URL is too long. Send long lists in the body.",
            ),
            Self::MethodNotAllowed { allow } => {
                ErrorAnswer::new(405, "METHOD_NOT_ALLOWED", format!("Use {allow} here.")).allow(allow)
            }
            Self::UnsupportedMediaType => ErrorAnswer::new(
                415,
                "UNSUPPORTED_MEDIA_TYPE",
                "Send the body as application/json, or as application/octet-stream where a file is expected.",
            ),
            Self::PayloadTooLarge { limit_bytes } => ErrorAnswer::new(
                413,
                "PAYLOAD_TOO_LARGE",
                format!("The body is larger than {} KiB.", limit_bytes / 1024),
            ),
            Self::RangeNotSatisfiable { length } => {
                let text = format!("The file has {length} bytes, and none of those that were asked for.");
                ErrorAnswer::new(416, "RANGE_NOT_SATISFIABLE", text)
                    .limit(i64::try_from(*length).unwrap_or(i64::MAX))
            }
            Self::InvalidJson { problem } => {
                ErrorAnswer::new(400, "INVALID_JSON", format!("The body is not valid: {problem}"))
            }
            Self::CrossSite => ErrorAnswer::new(
                403,
                "CROSS_SITE",
                "This request came from another site and was refused.",
            ),
            Self::TlsRequired => ErrorAnswer::new(403, "TLS_REQUIRED", "Send keys over HTTPS only."),
        }
    }
}
