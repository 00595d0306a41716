mod audit;
mod ceilings;
mod custom_keys;
mod freshness;
mod keys;
mod names;
mod parallel;
mod rate;
mod refusals;
mod repeats;
mod servers;
mod sessions;

use testkit::Tenant;

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
