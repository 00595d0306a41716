//! The link page and the way through Discord and Steam.

pub mod link;
pub mod sign_in;
