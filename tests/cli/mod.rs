//! The command line, as a person or a script meets it.

mod bad_input;
mod billing;
mod bots;
mod browser;
mod config;
mod doctor;
mod help;
mod import;
mod init;
mod jobs;
mod log;
mod master_keys;
mod metrics;
mod mistyped;
mod newcomer;
mod online;
mod operators;
mod plugin;
mod postgres;
pub mod sandbox;
pub mod shell;
mod support;
mod upkeep;
mod version;
mod webhooks;

pub use shell::{BINARY, Shell, installed};
