//! The link and unlink pages, with both providers on loopback.

mod blocklist;
mod checks;
mod forgery;
mod outage;
mod pages;
mod patience;
mod privacy;
mod providers;
mod quota;
mod races;
mod relink;
pub mod stage;
mod steps;
mod tabs;
mod tenants;
mod tokens;
mod trips;
mod unlink;
