//! People to look through.

use app::linking::links::{self, LinkRequest};
use app::tenancy::guilds::{self, NewGuildRequest};
use axum::body::Body;
use domain::audit::Actor;
use domain::id::GuildId;
use domain::link::{Country, UnlinkCause};
use domain::name::{DisplayName, Slug};
use domain::platform_id::EitherId;
use http::Method;
use serde_json::Value;
use testkit::{Client, Engine, Reply, Tenant, TestApp, discord, steam};

/// Somebody looks at a great many pages here.
pub async fn start(engine: Engine) -> TestApp {
    TestApp::start_with(engine, |limits| limits.dashboard.burst = 10_000, |_| {}).await
}

/// A call that is answered with this status.
pub async fn call(client: &Client, method: Method, uri: &str, body: &str, status: u16) -> Reply {
    let reply = client
        .send(method.clone(), uri, Body::from(body.to_owned()))
        .await;
    assert_eq!(reply.status, status, "{method} {uri}: {}", reply.text());
    reply
}

/// Somebody to be linked.
#[derive(Clone)]
pub struct Who<'a> {
    pub number: u64,
    pub steam: u64,
    pub discord_name: &'a str,
    pub steam_name: &'a str,
    pub country: Option<&'a str>,
}

pub fn who(number: u64, discord_name: &str) -> Who<'_> {
    Who {
        number,
        steam: number,
        discord_name,
        steam_name: "Player",
        country: None,
    }
}

pub async fn link(test: &TestApp, tenant: &Tenant, guild: &GuildId, who: &Who<'_>) {
    let request = LinkRequest {
        guild: guild.clone(),
        discord_id: discord(who.number),
        steam_id: steam(who.steam),
        country: who
            .country
            .map(|country| Country::parse(country).expect("a country")),
    };
    let (discord_name, steam_name) = (who.discord_name.to_owned(), who.steam_name.to_owned());
    links::link_named(
        &test.app,
        tenant.scope,
        request,
        discord_name,
        steam_name,
        Actor::System,
    )
    .await
    .expect("a link");
}

pub async fn unlink(test: &TestApp, tenant: &Tenant, guild: &GuildId, number: u64, cause: UnlinkCause) {
    let either = EitherId::Discord(discord(number));
    let ended = links::unlink(
        &test.app,
        tenant.scope,
        guild.clone(),
        either,
        cause,
        Actor::System,
    );
    ended.await.expect("an answer").expect("there was a link");
}

pub async fn owner(test: &TestApp, tenant: &Tenant) -> Client {
    test.person(&test.session(&tenant.owner).await)
}

pub fn users(tenant: &Tenant) -> String {
    format!("/orgs/{}/users", tenant.org)
}

pub fn user(tenant: &Tenant, number: u64) -> String {
    format!("{}/{}", users(tenant), discord(number))
}

/// The Discord ids on a page, as the numbers they were made from.
pub fn numbers(page: &Value) -> Vec<u64> {
    let listed = page["users"].as_array().expect("a list");
    listed.iter().map(|user| number_of(&user["discord_id"])).collect()
}

pub fn number_of(id: &Value) -> u64 {
    let id: u64 = id.as_str().expect("an id").parse().expect("a number");
    id - 700_000_000_000_000_000
}

/// Everybody whom a question finds, page by page.
pub async fn all(client: &Client, tenant: &Tenant, query: &str, limit: usize) -> Vec<u64> {
    let (mut found, mut cursor) = (Vec::new(), String::new());
    loop {
        let uri = format!("{}?{query}&limit={limit}&cursor={cursor}", users(tenant));
        let page = call(client, Method::GET, &uri, "", 200).await.json();
        found.extend(numbers(&page));
        match page["next"].as_str() {
            Some(next) => next.clone_into(&mut cursor),
            None => return found,
        }
        assert!(found.len() < 10_000, "it does not end");
    }
}

/// What the page of somebody says.
pub async fn page(client: &Client, tenant: &Tenant, number: u64) -> Value {
    call(client, Method::GET, &user(tenant, number), "", 200)
        .await
        .json()
}

/// Another Guild of the same Org.
pub async fn second_guild(test: &TestApp, tenant: &Tenant) -> GuildId {
    let request = NewGuildRequest {
        discord_guild_id: discord(810_000_000),
        name: DisplayName::parse("Second").expect("a name"),
        slug: Slug::parse("second").expect("a slug"),
        log_channel_id: None,
    };
    let made = guilds::create(&test.app, tenant.scope, request, Actor::System).await;
    made.expect("a Guild").0
}
