//! What is known of players beyond their link: when they were seen, and their Steam groups.

pub mod steam_calls;
pub(crate) mod steam_group_names;
pub(crate) mod steam_groups;
