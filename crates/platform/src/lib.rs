//! Clients for other people's systems. Every address comes from the operator's configuration, but for those of `webhooks`,
//! which are checked; no call follows a redirect, uses a proxy from the environment, waits without an end or reads an
//! answer without a limit.

pub mod blobs;
mod dates;
pub mod discord;
pub mod geo;
mod guard;
mod http;
mod question;
mod remembered;
pub mod steam;
pub mod stripe;
mod text;
pub mod webhooks;

pub use guard::Standing;
pub use http::{SetupError, Unanswered};
