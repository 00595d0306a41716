//! Keys that programs present.

pub mod bot_keys;
pub mod custom_keys;
pub mod plugin_keys;
pub mod refusals;
pub(crate) mod resolved_keys;
