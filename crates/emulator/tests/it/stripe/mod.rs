//! Stripe.

mod checkout;
mod control;
mod faults;
mod idempotency;
mod interface;
mod portal;
mod receiver;
mod subscriptions;
mod time;
mod versions;
mod webhooks;
mod world;
