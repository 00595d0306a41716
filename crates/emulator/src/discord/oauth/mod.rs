//! OAuth2: people let an application act in their name, or let its bot into their guild.

pub mod authorize;
pub mod grants;
mod install;
pub mod token;
