//! Failures of the audit log and the error log.

use super::answer::ErrorAnswer;

/// Why a record is not handed out.
#[derive(Debug, thiserror::Error)]
pub enum RecordsError {
    /// An export holds a reader for as long as it takes, so an Org has two at most.
    #[error("the Org has as many exports under way as it may have")]
    ExportsRunning,
}

impl RecordsError {
    pub(super) fn answer(&self) -> ErrorAnswer<'_> {
        match self {
            Self::ExportsRunning => ErrorAnswer::new(
                429,
                "EXPORTS_RUNNING",
                "This organisation already has two exports running. Try again when one has finished.",
            )
            .retry_after_s(10),
        }
    }
}
