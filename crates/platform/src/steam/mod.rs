//! Steam: who somebody is, and which groups they are in.

mod answers;
pub mod openid;
pub mod web_api;

pub use openid::OpenId;
pub use web_api::{PlayerSummary, WebApi};
