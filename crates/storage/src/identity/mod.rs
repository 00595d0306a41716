//! Accounts, sessions, sign-ins under way, and who is kept out.

pub mod accounts;
pub mod blocklist;
pub mod mass_sign_out;
pub mod sessions;
pub mod sign_ins;
