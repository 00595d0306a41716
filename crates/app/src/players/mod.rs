//! What is known of players beyond their link: when they were seen, their Steam groups, how far they can be trusted, and
//! lists of them for the team.

pub mod accounts;
pub mod bulk_unlink;
pub mod cleanup;
pub mod cleanup_preview;
pub(crate) mod cleanup_run;
pub(crate) mod following;
pub mod person;
mod rounds;
pub mod seen;
mod snapshot;
pub mod steam_calls;
pub(crate) mod steam_group_names;
pub(crate) mod steam_groups;
pub(crate) mod sweep;
pub mod trust_rules;
pub mod unlink;
pub mod users;
