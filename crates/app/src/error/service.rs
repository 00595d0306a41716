//! Failures of the service itself.

use super::answer::{ErrorAnswer, Fault};

/// Why the service does not do what it otherwise would.
#[derive(Debug, thiserror::Error)]
pub enum ServiceError {
    /// The body took longer than the edge waits. The connection is closed after it.
    #[error("the body took too long")]
    Timeout,
    /// The answer took longer than the edge waits, which a caller cannot change. They are told the same.
    #[error("the answer took too long")]
    AnswerTooLate,
    /// A bounded queue is full; nothing was done.
    #[error("overloaded")]
    Overloaded,
    /// The database did not take the request; nothing was changed.
    #[error("storage unavailable: {0}")]
    StorageUnavailable(String),
    /// The database fell silent around a commit: it may have been stored, or may be soon.
    #[error("outcome unknown: {0}")]
    OutcomeUnknown(String),
    /// The dashboard is closed by its operator; the plugin API and the link pages are not.
    #[error("maintenance")]
    Maintenance {
        /// The operator's own words, which are the whole message.
        message: String,
    },
    /// A part of the service that its operator switched off.
    #[error("switched off by an operator")]
    FeatureOff,
    /// A program that was built without the dashboard's files.
    #[error("the dashboard's files are not there")]
    DashboardNotBuilt,
    /// A bug, or a stored value that nobody can read. The text is for the person on duty.
    #[error("internal error: {0}")]
    Internal(String),
}

impl ServiceError {
    pub(super) fn answer(&self) -> ErrorAnswer<'_> {
        match self {
            Self::Timeout => too_long(),
            Self::AnswerTooLate => too_long().fault(Fault::Ours),
            Self::Overloaded => ErrorAnswer::new(503, "OVERLOADED", "The service is busy. Try again in a moment.")
                .retry_after_s(1),
            Self::StorageUnavailable(_) => ErrorAnswer::new(
                503,
                "STORAGE_UNAVAILABLE",
                "The change could not be stored. Try again in a moment.",
            )
            .retry_after_s(5),
            Self::OutcomeUnknown(_) => ErrorAnswer::new(
                503,
                "OUTCOME_UNKNOWN",
                "The database did not confirm the change. It may have been saved: check before you try again.",
            ),
            Self::Maintenance { message } => ErrorAnswer::new(503, "MAINTENANCE", message)
                .retry_after_s(120)
                .fault(Fault::Known),
            Self::FeatureOff => ErrorAnswer::new(
                503,
                "FEATURE_OFF",
                "The operator of this site has switched this off for now. Nothing was changed.",
            )
            .fault(Fault::Known),
            Self::DashboardNotBuilt => ErrorAnswer::new(
                503,
                "DASHBOARD_NOT_BUILT",
                "The dashboard is not built. Run `make ui` and start again. Link pages and the API work without it.",
            )
            .fault(Fault::Known),
            Self::Internal(_) => ErrorAnswer::new(
                500,
                "INTERNAL",
                "Something went wrong on our side. Quote the request ID when you report it.",
            ),
        }
    }
}

fn too_long() -> ErrorAnswer<'static> {
    ErrorAnswer::new(408, "TIMEOUT", "The request took too long. Try again.").retry_after_s(1)
}
