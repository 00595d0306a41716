//! Who pays for what: customers, purchases, subscriptions as Stripe tells of them, and plans that operators gave.

pub mod checkouts;
pub mod payers;
pub mod stripe_events;
pub mod subscriptions;
pub mod tier_grants;
pub mod turns;
