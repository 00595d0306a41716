//! Where changes of an Org are sent, what signs them, and the messages that wait.
//!
//! Order of locks: the Org's, where a unit needs it, then the lane of the receiver, then rows of these tables.

pub mod deliveries;
pub mod endpoints;
pub mod signing_secrets;
