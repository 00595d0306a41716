//! Discord: who somebody is, and what our bot may do with them.

mod answers;
pub mod oauth;

pub use oauth::OAuth;
