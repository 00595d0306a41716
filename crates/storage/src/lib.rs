//! The only crate that knows SQL.

pub mod accounts;
pub mod audit;
pub mod backup;
pub mod catalogue;
pub mod db;
mod dialect;
pub mod doctor;
pub mod error_log;
pub mod guilds;
pub mod jobs;
pub mod keys;
pub mod links;
pub mod migrate;
pub mod orgs;
mod scope;
pub mod servers;
pub mod sessions;
pub mod settings;
#[cfg(feature = "testing")]
pub mod testing;

pub use db::{Db, DbError, OpenError, OpenOptions, Target, Tx, Work};
pub use scope::{AccountNum, GuildNum, KeyNum, LinkNum, OrgScope, ServerNum};
