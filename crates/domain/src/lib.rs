//! The rules of the product as plain values and functions: no network, no database, no async.
//! Time and randomness come in through [`clock::Clock`] and [`random::Random`], so that every rule can be replayed.

mod digest;
mod secret;
mod text;
mod words;

pub mod action;
pub mod action_docs;
pub mod audit;
pub mod blocklist;
pub mod bot;
pub mod breaker;
pub mod clock;
pub mod device;
pub mod discord;
pub mod face;
pub mod flow;
pub mod id;
pub mod idempotency;
pub mod import;
pub mod invitation;
pub mod invite;
pub mod job;
pub mod key;
pub mod lines;
pub mod link;
pub mod log_message;
pub mod name;
pub mod navigation;
pub mod network;
pub mod oauth;
pub mod pacing;
pub mod permission;
pub mod picture;
pub mod plan;
pub mod platform_id;
pub mod plugin_build;
pub mod quota;
pub mod random;
pub mod rate;
pub mod refusals;
pub mod return_path;
pub mod roles;
pub mod seal;
pub mod share;
pub mod steam_group;
pub mod token;
