//! Roles on Discord and groups in the game, kept in line with each other.

mod boosters;
mod ends;
mod grants;
mod held_up;
mod nightly;
mod others;
mod revocation;
mod rules;
pub mod scene;
mod sync;
mod trouble;
