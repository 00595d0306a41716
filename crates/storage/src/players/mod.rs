//! What is known of players beyond their link.

pub mod boosters;
pub mod chosen_links;
pub mod cleanup;
pub mod daily_calls;
pub mod dormant_links;
pub mod graph;
pub mod group_changes;
pub mod names;
pub mod people;
pub mod people_filter;
pub mod people_pages;
pub mod people_rows;
pub mod people_words;
pub mod person_marks;
pub mod person_page;
pub mod player_seen;
pub mod server_players;
pub mod stat_days;
pub mod sweeps;
pub mod trust;
