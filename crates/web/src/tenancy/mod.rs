//! The dashboard's routes of Orgs, Guilds, Servers and the team.

pub mod guilds;
pub mod invites;
pub mod navigation;
pub mod orgs;
pub mod overview;
pub mod servers;
pub mod team;
