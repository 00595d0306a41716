//! Failures of the audit log and the error log.

use super::told::Told;

/// Why a record is not handed out.
#[derive(Debug, thiserror::Error)]
pub enum RecordsError {
    /// An export holds a reader for as long as it takes, so an Org has two at most.
    #[error("the Org has as many exports under way as it may have")]
    ExportsRunning,
}

impl RecordsError {
    pub(super) fn told(&self) -> Told<'_> {
        match self {
            Self::ExportsRunning => Told::new(
                429,
                "EXPORTS_RUNNING",
                "Two exports of this organisation are under way. Wait until one of them is finished, then try again.",
            )
            .retry_after_s(10),
        }
    }
}
