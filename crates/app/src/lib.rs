//! Use cases: each opens its transaction, decides with `domain`, writes, audits and enqueues.

#![warn(missing_docs)]

pub mod admin;
pub mod analytics;
pub mod attention;
pub mod background;
pub mod bell;
pub mod billing;
pub mod bots;
pub mod by_operator;
mod changes;
pub mod checkup;
pub mod downloads;
mod erased;
pub mod error;
pub mod flags;
pub mod identity;
pub mod import;
pub mod instance;
pub mod jobs;
pub mod keys;
pub mod linking;
pub mod master_keys;
pub mod memories;
pub mod metrics;
pub mod notice;
pub mod once;
mod people;
pub mod pictures;
pub mod platforms;
pub mod players;
pub mod plugin;
pub mod privacy;
pub mod readiness;
pub mod records;
pub mod retention;
mod role_ends;
mod role_marks;
pub mod roles;
pub mod runtime;
mod sealed_settings;
mod serving;
pub mod set_up;
pub mod start;
pub mod state;
pub mod tasks;
pub mod tenancy;
pub mod vault;
pub mod webhooks;
pub mod work;
pub mod world_record;

pub use error::AppError;
pub use platforms::Platforms;
pub use start::{Parts, StartError};
pub use state::App;
pub use storage::{AccountNum, OperatorScope, OrgScope};
