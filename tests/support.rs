//! What tests of several areas share.

use axum::body::Body;
use http::Method;
use serde_json::Value;
use testkit::{Client, Reply, Tenant};

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

/// The Servers of a tenant, as the dashboard addresses them.
pub fn servers_of(tenant: &Tenant) -> String {
    format!("/orgs/{}/servers", tenant.org)
}

/// One Server of a tenant.
pub fn server_of(tenant: &Tenant) -> String {
    format!("/orgs/{}/servers/{}", tenant.org, tenant.server)
}

/// The body that creates a Server in a tenant's Guild.
pub fn new_server(tenant: &Tenant, name: &str) -> String {
    serde_json::json!({ "guild_id": tenant.guild.as_str(), "name": name }).to_string()
}
