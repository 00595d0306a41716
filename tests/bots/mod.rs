//! Bots: who they are, what they tell and are told, and what they do on Discord.

mod aborts;
mod beside;
pub mod children;
mod engines;
mod facts;
mod fleet;
pub mod guild_list;
mod harbour;
mod hints;
mod hosts;
mod hundred;
pub mod interactions;
mod leases;
pub mod log;
mod log_trouble;
mod members;
pub mod own;
mod own_serving;
mod pauses;
mod places;
mod processes;
mod rest;
mod running;
mod secrets;
mod takeover;
