//! Discord: who somebody is, and what our bots see and do.

mod alerts;
mod answers;
pub mod cdn;
mod clients;
pub mod oauth;
pub mod rest;

pub use alerts::{AlertSink, Webhook};
pub use clients::Clients;
pub use oauth::OAuth;
pub use rest::{GUILD_ROUTE, Outgoing, Rest};
