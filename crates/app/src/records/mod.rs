//! What is written down: the audit log, the error log, and refusals.

pub mod alerts;
pub(crate) mod attention;
pub mod audit;
pub mod errors;
pub mod exports;
pub mod log_lines;
