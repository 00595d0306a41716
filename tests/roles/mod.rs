//! Roles on Discord and groups in the game, kept in line with each other.

mod boosters;
mod grants;
mod revocation;
mod rules;
mod scene;
mod sync;
