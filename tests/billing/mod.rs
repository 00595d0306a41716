//! What is bought, what Stripe says of it, and the tier that follows.

mod buying;
mod clicks;
pub mod deeds;
mod events;
mod forgotten;
mod grants;
mod reads;
mod removal;
pub mod shop;
mod signatures;
