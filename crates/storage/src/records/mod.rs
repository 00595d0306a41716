//! What is written down, and which requests were already done.

pub mod audit;
pub mod error_log;
pub mod idempotency;
