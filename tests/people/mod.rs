//! People of the dashboard: how they come in, what they own, who they work with.

mod block_race;
pub mod claims;
mod front_door;
mod invites;
mod log;
mod maintenance;
mod navigation;
mod operators;
mod orgs;
mod overview;
mod removed;
pub mod sign_in;
mod team;
mod windows;

use axum::body::Body;
use http::Method;
use serde_json::Value;
use testkit::{Client, Reply};

/// A call with a JSON body.
pub async fn call(person: &Client, method: Method, uri: &str, body: &Value) -> Reply {
    person.send(method, uri, Body::from(body.to_string())).await
}

/// Status and code of a refusal.
pub fn refusal(reply: &Reply) -> (u16, String) {
    (reply.status.as_u16(), reply.code())
}

pub fn refused(status: u16, code: &str) -> (u16, String) {
    (status, code.to_owned())
}
