//! Discord.

mod cdn;
mod commands;
mod gateway;
mod guild;
mod interactions;
mod limits;
mod members;
mod messages;
mod oauth;
mod portal;
mod roles;
mod sessions;
mod socket;
mod window;
mod world;
