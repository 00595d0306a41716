//! Bots: who they are, what they tell and are told, and what they do on Discord.

pub mod children;
mod facts;
mod guild_list;
mod hints;
pub mod interactions;
mod leases;
pub mod log;
mod log_trouble;
mod members;
mod processes;
mod rest;
mod running;
mod secrets;
