//! What operators tell people, switch, visit and look for.

pub mod announcements;
pub mod flags;
pub mod person_search;
pub mod search;
pub mod visits;
pub mod waiting_jobs;

use crate::scope::OperatorScope;

/// The right of whoever may open the admin socket or the data directory. It is for the command line alone: everybody else has
/// a session to show.
pub fn command_line() -> OperatorScope {
    OperatorScope::new()
}
