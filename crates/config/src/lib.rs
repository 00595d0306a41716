//! Typed configuration: defaults, then the file, then the environment, then
//! the command line, each stronger than the one before.
//!
//! Every setting is one row of the table in `settings`; the default file, the
//! reference page and the checks all read that table. No other crate reads the
//! environment.

mod abort;
mod config;
mod database_url;
mod error;
mod files;
mod kind;
mod layers;
mod load;
mod manager;
mod public_url;
mod reference;
mod service_url;
mod settings;
mod suggest;
mod warnings;

pub use abort::{abort_point, leak_point};
pub use config::{
    Alerts, Backup, Billing, Bot, BotHost, Config, Database, Discord, Keys, Limits, Log, LogFormat,
    PlanCeilings, Plans, Prices, RateLimits, Server, Steam,
};
pub use database_url::DatabaseUrl;
pub use error::{ConfigError, Place, Problem};
pub use layers::Overrides;
pub use manager::{Manager, manager};
pub use reference::{default_file, reference_markdown};
