//! The job engine, with workers of the tests' own.

mod engine;
mod failures;
pub mod stage;
