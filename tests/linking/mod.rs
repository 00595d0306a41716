//! The link and unlink pages, with both providers on loopback.

mod blocklist;
mod checks;
mod forgery;
mod outage;
mod pages;
mod privacy;
mod races;
mod relink;
pub mod stage;
mod trips;
mod unlink;
