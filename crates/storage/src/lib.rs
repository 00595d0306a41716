//! The only crate that knows SQL.

pub mod accounts;
pub mod audit;
pub mod backup;
pub mod blocklist;
pub mod boosters;
pub mod bot_keys;
pub mod catalogue;
pub mod custom_keys;
pub mod daily_calls;
pub mod db;
mod dialect;
pub mod doctor;
pub mod error_log;
pub mod flows;
pub mod group_changes;
pub mod guilds;
pub mod idempotency;
pub mod imports;
pub mod invites;
pub mod jobs;
pub mod keys;
pub mod link_pages;
pub mod links;
pub mod lookups;
pub mod migrate;
pub mod names;
pub mod navigation;
pub mod orgs;
mod own_schema;
mod readable_ids;
pub mod registration;
mod resolved_keys;
pub mod role_changes;
mod scope;
pub mod sealed_flows;
pub mod server_config;
pub mod server_players;
pub mod servers;
pub mod sessions;
pub mod settings;
pub mod sign_ins;
pub mod team;
#[cfg(feature = "testing")]
pub mod testing;

pub use db::{Db, DbError, OpenError, OpenOptions, Target, Tx, Unfinished, Work, Writing};
pub use scope::{AccountNum, GuildNum, KeyNum, LinkNum, OrgScope, ServerNum};
