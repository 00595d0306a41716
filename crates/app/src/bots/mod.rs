//! Bots of the platform: who they are, what their processes say and are told, and what is read and done on Discord for
//! Guilds.

pub(crate) mod attention;
pub mod commands;
pub mod facts;
pub mod fleet;
pub mod guild_list;
pub mod hints;
pub mod interactions;
pub mod leases;
pub mod log;
mod log_batch;
pub mod look;
pub mod members;
pub(crate) mod notices;
pub mod own_bot;
pub mod own_token;
pub mod processes;
pub mod register;
mod registration;
mod replies;
mod texts;
mod unlinking;

pub(crate) use log_batch::tell_anew;
