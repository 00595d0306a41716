//! The only crate that knows SQL.

#![warn(missing_docs)]

pub mod admin;
pub mod backup;
pub mod billing;
pub mod bots;
pub mod catalogue;
mod columns;
pub mod db;
mod dialect;
pub mod doctor;
pub mod identity;
pub mod jobs;
pub mod keys;
pub mod linking;
pub mod migrate;
pub mod pictures;
pub mod players;
pub mod privacy;
pub mod records;
pub mod roles;
mod scope;
pub mod settings;
pub mod tenancy;
#[cfg(feature = "testing")]
pub mod testing;
pub mod webhooks;

pub use db::{Db, DbError, Load, OpenError, OpenOptions, Target, Tx, Unfinished, Work, Writing};
pub use scope::{AccountNum, BotNum, GuildNum, KeyNum, NoOrg, OperatorScope, OrgScope, ServerNum, Whose};
