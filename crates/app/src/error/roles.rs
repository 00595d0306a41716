//! Failures of rules between groups and roles.

use super::answer::ErrorAnswer;

/// Why rules cannot be saved.
#[derive(Debug, thiserror::Error)]
pub enum RolesError {
    /// Two rules change the same thing.
    #[error("two rules for the same thing")]
    Twice {
        /// Of the caller's list, where it is one of them.
        row: Option<usize>,
    },
    /// What a rule gives comes back to it through others.
    #[error("rules in a ring")]
    Ring {
        /// Of the caller's list, where it is one of them.
        row: Option<usize>,
    },
    /// Whoever has the role can administer the Discord server.
    #[error("a role with a lot of power")]
    TooPowerful {
        /// Of the caller's list.
        row: usize,
        /// As Discord calls it.
        name: String,
    },
    /// What the rule gives leads to such a role by other rules.
    #[error("a rule that leads to a role with a lot of power")]
    LeadsUp {
        /// Of the caller's list.
        row: usize,
        /// As Discord calls it.
        name: String,
    },
    /// Each goes through everybody of a Guild, so an Org has two at most.
    #[error("the Org has as many dry runs under way as it may have")]
    DryRunsRunning,
}

fn with(answer: ErrorAnswer<'_>, row: Option<usize>) -> ErrorAnswer<'_> {
    match row {
        Some(row) => answer.row(row),
        None => answer,
    }
}

impl RolesError {
    pub(super) fn answer(&self) -> ErrorAnswer<'_> {
        match self {
            Self::Twice { row } => with(
                ErrorAnswer::new(
                    400,
                    "MAPPING_TWICE",
                    "Two rules of this Guild change the same role or group. Remove one of them, or make one that works both ways.",
                ),
                *row,
            ),
            Self::Ring { row } => with(
                ErrorAnswer::new(
                    400,
                    "MAPPING_RING",
                    "Rules of this Guild lead in a circle: what one gives comes back to it through another. Remove one of them.",
                ),
                *row,
            ),
            Self::DryRunsRunning => ErrorAnswer::new(
                429,
                "DRY_RUNS_RUNNING",
                "This organisation is already checking two sets of rules. Try again in a moment.",
            )
            .retry_after_s(5),
            Self::TooPowerful { row, name } => ErrorAnswer::new(
                403,
                "ROLE_TOO_POWERFUL",
                format!("Whoever has the role {name} can administer the Discord server. Only the Owner of the organisation can let a rule give it."),
            )
            .row(*row),
            Self::LeadsUp { row, name } => ErrorAnswer::new(
                403,
                "RULE_LEADS_TO_POWER",
                format!("What this rule gives leads, by another rule, to the role {name}, which can administer the Discord server. Only the Owner of the organisation can save such a rule."),
            )
            .row(*row),
        }
    }
}
