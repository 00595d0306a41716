//! JSON for the dashboard. A handler reads its input, calls one use case and shapes the answer.

pub mod audit;
pub mod keys;
pub mod servers;
