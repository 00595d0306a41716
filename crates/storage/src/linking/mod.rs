//! Links, the flows that make and end them, and what a Guild looks up about them.

pub mod flows;
pub mod guild_links;
pub mod import_rows;
pub mod import_runs;
pub mod imports;
pub mod link_days;
pub mod link_pages;
pub mod link_steps;
pub mod links;
pub mod lookups;
pub mod sealed_flows;
mod whole_guilds;
