//! Our own plugin on a game server of its own, under mono, against the real service.

mod faults;
mod host;
mod players;
mod reports;
mod roles;
pub mod service;
mod settings;
