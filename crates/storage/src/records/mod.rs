//! What is written down, and which requests were already done.

pub mod alerts;
pub mod audit;
pub mod audit_names;
pub mod audit_pages;
pub mod error_log;
pub mod idempotency;
