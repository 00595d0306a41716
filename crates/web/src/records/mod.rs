//! What was written down, as the dashboard shows it.

pub mod audit;
