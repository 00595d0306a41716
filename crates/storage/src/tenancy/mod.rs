//! Orgs and what belongs to them.

pub mod guild_settings;
pub mod guilds;
pub mod invites;
pub mod navigation;
pub mod orgs;
pub mod registration;
pub mod removals;
pub mod server_config;
pub mod servers;
pub mod team;
