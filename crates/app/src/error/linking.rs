//! Failures of links; those of the ways to Discord and Steam are `identity`'s.

use super::answer::{ErrorAnswer, seconds, waiting_time};

/// Why two accounts are not linked.
#[derive(Debug, thiserror::Error)]
pub enum LinkingError {
    /// The Guild's pause between two links of a person is not over.
    #[error("relinked again after {wait_ms} ms too few")]
    RelinkTooSoon {
        /// What is left of the pause.
        wait_ms: i64,
    },
    /// An Org has one at a time.
    #[error("another import is not over")]
    ImportRunning,
    /// A node reads a few files at a time, because their rows are in memory until all were read.
    #[error("as many files are read as may be")]
    UploadsRunning,
    /// More than is read of a file.
    #[error("a file of more than {most_bytes} bytes")]
    FileTooLarge {
        /// That much is.
        most_bytes: usize,
    },
    /// Nothing in it is taken.
    #[error("a file that cannot be read: {problem}")]
    FileUnreadable {
        /// In words for a person.
        problem: String,
    },
}

impl LinkingError {
    pub(super) fn answer(&self) -> ErrorAnswer<'_> {
        match self {
            Self::RelinkTooSoon { wait_ms } => ErrorAnswer::new(
                409,
                "RELINK_TOO_SOON",
                format!(
                    "You unlinked or relinked recently. You can link another account in {}.",
                    waiting_time(*wait_ms)
                ),
            )
            .retry_after_s(seconds(*wait_ms)),
            Self::ImportRunning => ErrorAnswer::new(
                409,
                "IMPORT_RUNNING",
                "This organisation has an import that is not finished. Finish or cancel it first.",
            ),
            Self::UploadsRunning => ErrorAnswer::new(
                429,
                "UPLOADS_RUNNING",
                "Other files are being read right now. Try again in a few seconds.",
            )
            .retry_after_s(5),
            Self::FileTooLarge { most_bytes } => ErrorAnswer::new(
                413,
                "FILE_TOO_LARGE",
                format!(
                    "The file is larger than {} MiB. Split it, or ask the operator to import it at the command line.",
                    most_bytes / (1024 * 1024)
                ),
            ),
            Self::FileUnreadable { problem } => {
                ErrorAnswer::new(400, "FILE_UNREADABLE", format!("Nothing was imported: {problem}"))
            }
        }
    }
}
