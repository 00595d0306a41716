//! Failures of what was asked for, in whichever area.

use super::answer::{ErrorAnswer, seconds};

/// Why a request that could be read is not fulfilled.
#[derive(Debug, thiserror::Error)]
pub enum RequestError {
    /// Missing, repeated or not valid.
    #[error("invalid parameter {parameter}: {problem}")]
    InvalidParameter {
        /// The parameter or field, as the caller spells it.
        parameter: &'static str,
        /// What is wrong, in words for a person.
        problem: String,
    },
    /// The same in a list.
    #[error("invalid {parameter} in row {row}: {problem}")]
    InvalidRow {
        /// Counted from 0; the message counts from 1.
        row: usize,
        /// The field of the row.
        parameter: &'static str,
        /// What is wrong, in words for a person.
        problem: String,
    },
    /// No such thing, or another Org's: the two are answered alike.
    #[error("not found")]
    NotFound,
    /// For operators. Nobody else learns that there is anything.
    #[error("not an operator")]
    OperatorOnly,
    /// Taken, or changed at the same moment. The text is the whole message, with what to do.
    #[error("conflict: {0}")]
    Conflict(&'static str),
    /// Saved by somebody else since the revision that the caller saw.
    #[error("changed since the revision that was named")]
    ChangedMeanwhile,
    /// The key was sent with another body or to another route within a day.
    #[error("an idempotency key of another request")]
    IdempotencyKeyReused,
    /// A bucket of the gate is empty.
    #[error("rate limited for {retry_after_ms} ms")]
    RateLimited {
        /// Until the next call passes.
        retry_after_ms: i64,
    },
}

impl RequestError {
    pub(super) fn answer(&self) -> ErrorAnswer<'_> {
        match self {
            Self::InvalidParameter { parameter, problem } => {
                ErrorAnswer::new(400, "INVALID_PARAMETER", format!("{parameter}: {problem}"))
                    .parameter(parameter)
            }
            Self::InvalidRow {
                row,
                parameter,
                problem,
            } => ErrorAnswer::new(
                400,
                "INVALID_PARAMETER",
                format!("Row {}, {parameter}: {problem}", row + 1),
            )
            .parameter(parameter)
            .row(*row),
            Self::NotFound | Self::OperatorOnly => {
                ErrorAnswer::new(404, "NOT_FOUND", "There is nothing here.")
            }
            Self::Conflict(what) => ErrorAnswer::new(409, "CONFLICT", *what),
            Self::ChangedMeanwhile => ErrorAnswer::new(
                409,
                "CHANGED_MEANWHILE",
                "This was changed after you opened it. Nothing was saved. Check the current values, then save again.",
            ),
            Self::IdempotencyKeyReused => ErrorAnswer::new(
                422,
                "IDEMPOTENCY_KEY_REUSED",
                "This Idempotency-Key was used for another request in the last 24 hours. Use a new one for each request.",
            ),
            Self::RateLimited { retry_after_ms } => ErrorAnswer::new(
                429,
                "RATE_LIMITED",
                format!("Too many requests. Try again in {} s.", seconds(*retry_after_ms)),
            )
            .retry_after_s(seconds(*retry_after_ms)),
        }
    }
}
