//! What operators tell people, switch, visit and look for.

pub mod announcements;
pub mod flags;
pub mod search;
pub mod visits;
pub mod waiting_jobs;
