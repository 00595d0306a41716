//! What is written down, and who may read it.

mod attention;
mod audit;
mod errors;
mod log;
mod names;
mod refusals;
