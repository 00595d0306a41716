//! The sender of webhooks: what waits, how it is signed, and how it goes out.

pub mod flight;
pub mod outbox;
pub mod post;
pub mod signature;
