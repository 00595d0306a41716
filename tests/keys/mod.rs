//! Keys that programs present.

mod custom_keys;
mod freshness;
mod plugin_keys;
mod refused;
