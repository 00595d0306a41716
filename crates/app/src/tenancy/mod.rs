//! Orgs and what belongs to them: Guilds, Servers, the team, invitations, navigation.

pub(crate) mod attention;
pub mod claims;
pub mod end_guild;
pub mod guild_changes;
mod guild_checks;
pub mod guilds;
pub mod invited;
pub mod invites;
pub mod navigation;
pub mod orgs;
pub mod overview;
pub mod servers;
pub mod team;
