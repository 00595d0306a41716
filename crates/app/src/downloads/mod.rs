//! Files for game servers: the builds of the plugin.

pub mod builds;
pub mod config;
pub mod shelf;
