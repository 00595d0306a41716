//! The bot's program: it holds the connection to Discord's gateway, answers interactions with what the service says, and
//! tells the service what it hears. It knows no database; everything it asks, it asks over HTTP.

mod answering;
mod backoff;
mod connection;
mod discord;
mod gate;
mod gateway;
mod heard;
mod hints;
mod http;
mod intent;
mod members;
mod missing;
mod presence;
mod reach;
mod refusal;
mod resume;
mod run;
mod service;
mod session;
mod settings;
mod status;

pub use run::run;
pub use settings::{Parent, Settings, Stop};

/// The bot cannot start at all: the settings or the machine do not allow it.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct SetupError(String);
