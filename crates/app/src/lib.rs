//! Use cases: each opens its transaction, decides with `domain`, writes, audits and enqueues.

pub mod background;
pub mod error;
pub mod gate;
pub mod identity;
pub mod import;
pub mod instance;
pub mod jobs;
pub mod keys;
pub mod linking;
pub mod master_keys;
pub mod once;
mod pace;
pub mod platforms;
pub mod players;
pub mod plugin;
pub mod readiness;
pub mod records;
pub mod set_up;
pub mod state;
pub mod tasks;
pub mod tenancy;
pub mod versions;
pub mod world_record;

pub use error::AppError;
pub use platforms::Platforms;
pub use state::{App, Parts, StartError};
pub use storage::{AccountNum, OrgScope};
