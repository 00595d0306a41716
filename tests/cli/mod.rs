//! The command line, as a person or a script meets it.

mod bad_input;
mod browser;
mod config;
mod doctor;
mod help;
mod import;
mod master_keys;
mod newcomer;
mod operators;
mod sandbox;
mod shell;

pub use shell::{BINARY, Shell};
