//! Bots: who they are, what their processes say, and what is known of Guilds on Discord.

pub mod dedicated;
pub mod guild_bots;
pub mod guild_lists;
pub mod interactions;
pub mod leases;
pub mod log_batches;
pub mod log_lines;
pub mod places;
pub mod processes;
pub mod register;
pub mod runners;
