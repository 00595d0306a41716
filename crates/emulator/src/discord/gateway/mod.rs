//! The gateway: long-lived connections over which bots hear what happens.

pub mod connection;
mod hello;
mod members;
pub mod sessions;
