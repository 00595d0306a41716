//! Use cases: each opens its transaction, decides with `domain`, writes, audits and enqueues.

pub mod accounts;
pub mod audit;
pub mod background;
pub mod blocklist;
pub mod bot_keys;
pub mod custom_keys;
mod deed;
pub mod error;
pub mod error_log;
pub mod gate;
pub mod guilds;
pub mod import;
pub mod jobs;
pub mod keys;
pub mod linking;
pub mod links;
pub mod master_keys;
pub mod orgs;
pub mod platforms;
pub mod plugin;
pub mod seen;
pub mod servers;
pub mod sessions;
pub mod state;
pub mod steam_calls;
pub mod steam_groups;
pub mod tasks;
pub mod vault;
pub mod world_record;

pub use error::AppError;
pub use platforms::Platforms;
pub use state::{App, Parts, StartError};
pub use storage::OrgScope;
