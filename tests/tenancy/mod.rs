//! What belongs to an Org, who works on it, and what is gone when it is removed.

mod ceilings;
mod checkup;
pub mod claims;
pub mod end_guild;
mod invites;
mod names;
mod navigation;
mod orgs;
mod overview;
mod parallel;
mod removed;
mod repeats;
mod revisions;
mod servers;
mod team;
mod windows;
