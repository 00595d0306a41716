//! Discord: who somebody is, and what our bot may do with them.

mod answers;
mod members;
pub mod oauth;

pub use members::{GUILD_ROUTE, Members};
pub use oauth::OAuth;
