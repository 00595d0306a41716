//! What is written down: the audit log, the error log, and refusals.

pub mod audit;
pub(crate) mod deed;
