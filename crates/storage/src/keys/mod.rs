//! Keys that programs present.

pub mod bot_keys;
pub mod custom_keys;
pub mod plugin_keys;
pub(crate) mod resolved_keys;
