//! Keys that programs present, and the vault that seals what is secret.

pub(crate) mod attention;
pub mod bot_keys;
pub mod custom_keys;
pub mod plugin_keys;
pub mod refusals;
