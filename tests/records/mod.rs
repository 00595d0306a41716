//! What is written down, and who may read it.

mod audit;
mod log;
mod refusals;
