//! What is known of players beyond their link.

pub mod boosters;
pub mod daily_calls;
pub mod group_changes;
pub mod names;
pub mod server_players;
