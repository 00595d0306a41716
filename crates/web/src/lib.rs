//! axum only: read the request, call `app`, render the answer.

mod analytics;
mod answers;
mod app_shell;
pub mod attention;
pub mod bots;
mod constant;
mod docs;
mod downloads;
mod edge;
pub mod error;
mod export;
pub mod extract;
mod fields;
mod health;
pub mod identity;
pub mod keys;
pub mod layers;
pub mod linking;
pub mod metrics;
pub mod openapi;
mod ops;
pub mod players;
mod plugin;
mod privacy;
mod public;
pub mod records;
pub mod roles;
pub mod router;
pub mod routes;
pub mod serve;
pub mod state;
pub mod tenancy;

pub use edge::Edge;
pub use ops::operations_service;
pub use router::{service, table};
pub use state::{Settings, WebState};
