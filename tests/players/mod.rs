//! People of an Org: who they are, how far they are trusted, and what is done to them.

pub mod bulk_unlink;
mod cleanup;
pub mod crowd;
mod elsewhere;
mod graph;
mod holders;
mod person;
mod scores;
mod tenants;
mod trust_rules;
mod users;
