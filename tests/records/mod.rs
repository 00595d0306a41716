//! What is written down, and who may read it.

pub mod alerts;
mod attention;
mod audit;
mod errors;
mod log;
mod names;
mod refusals;
