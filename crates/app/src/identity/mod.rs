//! Who people are: accounts, sessions, signing in with Discord, and who is kept out.

pub mod accounts;
pub(crate) mod attention;
pub mod blocklist;
pub(crate) mod discord_visit;
pub(crate) mod operator_grants;
pub mod sessions;
pub mod sign_in;
