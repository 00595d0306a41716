//! What operators do: tell people something, end sessions, look for Orgs and accounts, visit them, recover what was lost.

pub mod announcements;
pub mod blocks;
pub mod builds;
pub mod find;
pub mod health;
pub mod operators;
pub mod recovery;
pub mod registration;
pub mod search;
pub mod sessions;
pub mod visits;
