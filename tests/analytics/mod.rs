//! An Org in numbers: what is counted, whom it is shown to, and what it says.

mod counters;
mod nights;
mod numbers;

use domain::id::GuildId;
use http::Method;
use serde_json::Value;
use testkit::{Client, Tenant};

use crate::players::crowd::call;

const DAY_MS: i64 = 24 * 3_600_000;

fn analytics(tenant: &Tenant) -> String {
    format!("/orgs/{}/analytics", tenant.org)
}

async fn get(client: &Client, tenant: &Tenant, query: &str) -> Value {
    let uri = format!("{}?{query}", analytics(tenant));
    call(client, Method::GET, &uri, "", 200).await.json()
}

async fn get_of(client: &Client, tenant: &Tenant, guild: &GuildId) -> Value {
    get(client, tenant, &format!("guild_id={guild}")).await
}

/// What the day says, by its date.
fn day<'a>(found: &'a Value, date: &str) -> &'a Value {
    let days = found["days"].as_array().expect("days");
    days.iter().find(|day| day["day"] == date).expect("the day")
}

/// Links that began, ended by each cause, and are active.
fn counts(day: &Value) -> [i64; 7] {
    let number = |value: &Value| value.as_i64().expect("a number");
    let of = |cause: &str| number(&day["ended"][cause]);
    let ended = ["user", "admin", "plugin", "relink", "zombie-cleanup"].map(of);
    let [user, admin, plugin, relink, cleanup] = ended;
    [
        number(&day["linked"]),
        user,
        admin,
        plugin,
        relink,
        cleanup,
        number(&day["active"]),
    ]
}
