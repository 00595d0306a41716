//! How every route of the table is called. A route without an example fails the tests that walk the table.

use std::sync::atomic::{AtomicU64, Ordering};

use axum::body::Body;
use http::Method;
use testkit::{Client, Reply, Tenant};
use web::routes::RouteSpec;

use super::{bought, operated};

/// A correct call of a route.
#[derive(Clone, Debug)]
pub struct Example {
    pub method: Method,
    pub uri: String,
    /// None for routes that read no body.
    pub body: Option<String>,
    /// Whether the body is a file.
    pub is_file: bool,
    /// What a caller who may call it gets.
    pub success: u16,
}

/// What the parameters of a path stand for.
#[derive(Clone)]
pub struct Target {
    pub org: String,
    pub guild: String,
    pub server: String,
    /// A custom key.
    pub key: String,
    /// A member of the team who may be changed and removed.
    pub account: String,
    pub invite: String,
    /// The code of an invitation.
    pub code: String,
    /// The link page of a Guild.
    pub slug: String,
    /// The name of a session in its owner's list.
    pub session: String,
    /// Somebody who is linked.
    pub user: String,
    /// An import that is over.
    pub import: String,
    /// What is typed to confirm something that cannot be undone.
    pub confirm: String,
}

impl From<&Tenant> for Target {
    fn from(tenant: &Tenant) -> Self {
        Target {
            org: tenant.org.to_string(),
            guild: tenant.guild.to_string(),
            server: tenant.server.to_string(),
            key: tenant
                .custom_key
                .as_ref()
                .map_or("key_".to_owned(), ToString::to_string),
            account: tenant
                .helper
                .as_ref()
                .map_or("usr_".to_owned(), ToString::to_string),
            invite: tenant
                .invite
                .as_ref()
                .map_or("inv_".to_owned(), |(id, _)| id.to_string()),
            code: tenant
                .invite
                .as_ref()
                .map_or_else(|| "A".repeat(43), |(_, code)| code.clone()),
            slug: "guild-1".to_owned(),
            session: "0000000000000000".to_owned(),
            user: tenant
                .player
                .as_ref()
                .map_or("700000000000000000".to_owned(), ToString::to_string),
            import: tenant
                .import
                .as_ref()
                .map_or("imp_".to_owned(), ToString::to_string),
            // The wrong word: what is tried must be there afterwards.
            confirm: "no".to_owned(),
        }
    }
}

/// Pages with forms.
const FORMS: [&str; 3] = ["/link/", "/unlink/", "/me/"];

pub fn example(route: &RouteSpec, target: &Target) -> Example {
    let (query, body, success) = match (route.method.as_str(), route.path) {
        ("GET", "/" | "/healthz" | "/readyz" | "/openapi.json") => ("", None, 200),
        ("GET", path) if path.starts_with("/docs") => ("", None, 200),
        ("GET", "/link/{slug}" | "/unlink/{slug}" | "/me") => ("", None, 200),
        // Only forms are read here; what they do is a matter of the browser's own flow.
        ("POST", path) if FORMS.iter().any(|start| path.starts_with(start)) => ("", None, 415),
        (
            "GET",
            "/auth/discord/link" | "/auth/discord/unlink" | "/auth/steam/link" | "/auth/steam/unlink",
        ) => ("?guild=guild-1", None, 503),
        ("GET", "/auth/discord/login" | "/auth/discord/me" | "/auth/steam/me") => ("", None, 503),
        ("GET", "/auth/discord/claim") => ("?org={org}", None, 503),
        ("GET", path) if path.starts_with("/auth/") => ("", None, 400),
        ("GET", "/api") => ("?action=count", None, 200),
        ("PATCH", "/orgs/{org}/settings") => ("", Some(r#"{"refuse_query_keys":true}"#.to_owned()), 204),
        ("PATCH", "/orgs/{org}/guilds/{guild}") => ("", Some(r#"{"log_channel_id":null}"#.to_owned()), 204),
        (
            "GET",
            "/orgs/{org}/audit"
            | "/orgs/{org}/audit/choices"
            | "/admin/attention"
            | "/orgs/{org}/settings"
            | "/orgs/{org}/guilds"
            | "/orgs/{org}/guilds/{guild}"
            | "/orgs/{org}/servers"
            | "/orgs/{org}/servers/{server}"
            | "/orgs/{org}/servers/{server}/plugin-file"
            | "/orgs/{org}/plugin"
            | "/orgs/{org}/refused-calls",
        ) => ("", None, 200),
        ("GET", "/orgs/{org}/errors" | "/admin/errors") => ("?status=4xx", None, 200),
        ("POST", "/orgs/{org}/servers") => {
            let body = format!(r#"{{"guild_id":"{}","name":"Made here"}}"#, target.guild);
            ("", Some(body), 201)
        }
        ("PATCH", "/orgs/{org}/servers/{server}") => ("", Some(r#"{"active":false}"#.to_owned()), 204),
        ("DELETE", "/orgs/{org}/servers/{server}") => ("", None, 204),
        ("POST", "/orgs/{org}/servers/{server}/key/reveal")
        | ("POST", "/orgs/{org}/servers/{server}/key/regenerate") => ("", None, 200),
        ("POST", "/orgs/{org}/servers/{server}/key/revoke") => ("", None, 204),
        (method, path) if operated::is_one(path) => operated::example(method, path, &target.account),
        (method, path) if bought::is_one(path) => bought::example(method, path),
        (method, path) if path.contains("role") => of_roles(method, path),
        (method, path) if path.starts_with("/bot/") => of_bots(method, path),
        (method, path) if path.starts_with("/orgs/{org}/imports") => of_imports(method, path),
        (method, path) if path.starts_with("/orgs/{org}/keys") => of_keys(method, path, target),
        (method, path) if PLAYERS.iter().any(|start| path.starts_with(start)) => of_players(method, path),
        (method, path) => of_people(method, path, target),
    };
    let path = filled(route.path, target);
    assert!(!path.contains('{'), "{path}: its parameter has no value");
    Example {
        method: route.method.clone(),
        uri: path + &filled(query, target),
        body,
        is_file: route.takes_file,
        success,
    }
}

/// A path with something for each of its parameters.
fn filled(path: &str, target: &Target) -> String {
    path.replace("{slug}", &target.slug)
        .replace("{org}", &target.org)
        .replace("{guild}", &target.guild)
        .replace("{server}", &target.server)
        .replace("{key}", &target.key)
        .replace("{account}", &target.account)
        .replace("{invite}", &target.invite)
        .replace("{code}", &target.code)
        .replace("{session}", &target.session)
        .replace("{user}", &target.user)
        .replace("{import}", &target.import)
        .replace("{*rest}", "orgs")
        .replace("{file}", "none.css")
        .replace("{version}", "v1.0.0")
        .replace("{owner}/{digest}", "usr_nobody/none")
        .replace("{action}", "count")
        .replace("{announcement}", "ann_01ARZ3NDEKTSV4RRFFQ69G5FAV")
        .replace("{block}", "blk_01ARZ3NDEKTSV4RRFFQ69G5FAV")
        .replace("{registration}", "reg_01ARZ3NDEKTSV4RRFFQ69G5FAV")
        .replace("{flag}", "imports")
        .replace("{job}", "123456")
}

/// Routes of bots. Nobody who is tried at every route is one.
fn of_bots(method: &str, path: &str) -> (&'static str, Option<String>, u16) {
    let instance = r#""instance":"0123456789abcdef""#;
    match (method, path) {
        ("GET", "/bot/guilds") => ("", None, 200),
        ("POST", "/bot/session") => ("", Some(format!(r#"{{{instance},"state":"online"}}"#)), 200),
        ("POST", "/bot/identify") => {
            let body = format!(r#"{{{instance},"remaining":998,"reset_after_ms":1000}}"#);
            ("", Some(body), 200)
        }
        ("POST", "/bot/interactions") => {
            let body = r#"{"id":"900000000000000001","application_id":"900000000000000002","kind":"command",
                "name":"link","discord_guild_id":"900000000000000003","channel_id":"900000000000000004",
                "user_id":"900000000000000005","locale":"en-US"}"#;
            ("", Some(body.to_owned()), 200)
        }
        ("POST", "/bot/members") => {
            let body = r#"{"discord_guild_id":"900000000000000003","members":[]}"#;
            ("", Some(body.to_owned()), 204)
        }
        ("POST", "/bot/events") => ("", Some(format!(r#"{{{instance},"events":[]}}"#)), 204),
        _ => panic!("{method} {path}: no example"),
    }
}

/// Routes of rules between groups and roles.
fn of_roles(method: &str, path: &str) -> (&'static str, Option<String>, u16) {
    match (method, path) {
        (
            "GET",
            "/orgs/{org}/roles"
            | "/orgs/{org}/servers/{server}/roles"
            | "/orgs/{org}/guilds/{guild}/role-history",
        ) => ("", None, 200),
        ("PUT", "/orgs/{org}/servers/{server}/roles") => {
            ("", Some(r#"{"revision":0,"rules":[]}"#.to_owned()), 200)
        }
        ("POST", "/orgs/{org}/servers/{server}/roles/dry-run") => {
            ("", Some(r#"{"rules":[]}"#.to_owned()), 200)
        }
        ("GET" | "POST" | "DELETE", "/orgs/{org}/guilds/{guild}/role-recheck") => ("", None, 200),
        (method, path) => panic!("{method} {path} has no example"),
    }
}

/// Routes of files of older systems.
fn of_imports(method: &str, path: &str) -> (&'static str, Option<String>, u16) {
    match (method, path) {
        // Nothing in it is a Discord ID.
        ("POST", "/orgs/{org}/imports") => ("?guild_id={guild}&kind=users", Some("a,b".to_owned()), 400),
        // The one of the example is done: it is a second press.
        ("POST", "/orgs/{org}/imports/{import}/start") => ("", None, 200),
        ("POST", "/orgs/{org}/imports/{import}/cancel") => ("", None, 200),
        ("DELETE", "/orgs/{org}/imports/{import}") => ("", None, 204),
        ("GET", _) => ("", None, 200),
        (method, path) => panic!("{method} {path} has no example"),
    }
}

/// Routes of custom keys.
fn of_keys(method: &str, path: &str, target: &Target) -> (&'static str, Option<String>, u16) {
    match (method, path) {
        ("GET", "/orgs/{org}/keys") => ("", None, 200),
        ("POST", "/orgs/{org}/keys") => {
            let body = format!(
                r#"{{"name":"Made here","guild_id":"{}","groups":["lookup"],"actions":[]}}"#,
                target.guild
            );
            ("", Some(body), 201)
        }
        ("PUT", "/orgs/{org}/keys/{key}") => (
            "",
            Some(r#"{"name":"New","groups":[],"actions":["count"]}"#.to_owned()),
            204,
        ),
        // The key of the example is in force.
        ("DELETE", "/orgs/{org}/keys/{key}") => ("", None, 409),
        ("POST", "/orgs/{org}/keys/{key}/reveal") => ("", None, 200),
        ("POST", "/orgs/{org}/keys/{key}/revoke") => ("", None, 204),
        (method, path) => panic!("{method} {path} has no example"),
    }
}

/// How the paths of routes of people who are linked begin.
const PLAYERS: [&str; 4] = [
    "/orgs/{org}/users",
    "/orgs/{org}/trust",
    "/orgs/{org}/cleanup",
    "/orgs/{org}/analytics",
];

/// Those routes.
fn of_players(method: &str, path: &str) -> (&'static str, Option<String>, u16) {
    let keywords = || Some(r#"{"keywords":[{"text":"helper","class":"staff"}]}"#.to_owned());
    match (method, path) {
        ("POST", "/orgs/{org}/users/unlink") => {
            // Nobody is called so, so nobody is unlinked.
            ("", Some(r#"{"filter":{"q":"nobodyatall"}}"#.to_owned()), 200)
        }
        ("DELETE", "/orgs/{org}/users/unlink") => ("", None, 204),
        ("GET", "/orgs/{org}/analytics" | "/orgs/{org}/analytics/export") => ("?to=2026-01-01", None, 200),
        ("PUT", "/orgs/{org}/cleanup") => (
            "",
            Some(r#"{"enabled":false,"days":30,"grace_days":7}"#.to_owned()),
            200,
        ),
        ("POST", "/orgs/{org}/cleanup/run") => ("", None, 409),
        ("POST", "/orgs/{org}/cleanup/keep") => {
            ("", Some(r#"{"users":["700000000000000001"]}"#.to_owned()), 200)
        }
        ("PUT", "/orgs/{org}/trust") | ("POST", "/orgs/{org}/trust/simulate") => ("", keywords(), 200),
        ("POST", "/orgs/{org}/users/{user}/unlink") => ("", Some("{}".to_owned()), 200),
        ("POST", "/orgs/{org}/users/{user}/trust") => ("", None, 204),
        ("GET", _) => ("", None, 200),
        (method, path) => panic!("{method} {path} has no example"),
    }
}

/// Routes of people and teams.
fn of_people(method: &str, path: &str, target: &Target) -> (&'static str, Option<String>, u16) {
    match (method, path) {
        ("GET", "/invite/{code}") => ("", None, 200),
        ("POST", "/invite/{code}/accept") => ("", None, 303),
        // There is no file of this name.
        ("GET", "/app/assets/{*rest}" | "/static/{file}" | "/pictures/{owner}/{digest}") => ("", None, 404),
        // No build was published.
        ("GET", path) if path.starts_with("/download/") => ("", None, 404),
        ("GET", path) if path.starts_with("/app") => ("", None, 200),
        ("GET", "/account" | "/account/sessions") => ("", None, 200),
        // A session of this name nobody has.
        ("DELETE", "/account/sessions/{session}") => ("", None, 404),
        ("DELETE", "/account/sessions" | "/account/memberships/{org}") => ("", None, 204),
        ("POST", "/account/sign-out") => ("", None, 204),
        ("DELETE", "/account") => ("", Some(format!(r#"{{"confirm":"{}"}}"#, target.confirm)), 400),
        ("POST", "/orgs") => {
            let body = format!(r#"{{"name":"Made here","slug":"made-{}"}}"#, unique());
            ("", Some(body), 201)
        }
        (
            "GET",
            "/orgs/{org}/overview" | "/orgs/{org}/navigation" | "/orgs/{org}/team" | "/orgs/{org}/invites",
        ) => ("", None, 200),
        ("GET", "/orgs/{org}/claimable-guilds" | "/orgs/{org}/audit/export") => ("", None, 200),
        // There is no bot that could post anything.
        ("POST", "/orgs/{org}/guilds/{guild}/log-test") => ("", None, 200),
        ("GET", path) if path.ends_with("/discord") || path.ends_with("/checkup") => ("", None, 200),
        ("POST", "/orgs/{org}/guilds/{guild}/discord") => ("", None, 204),
        // What cannot be undone is confirmed by a word.
        ("DELETE", "/orgs/{org}" | "/orgs/{org}/guilds/{guild}") => {
            let body = format!(r#"{{"confirm":"{}"}}"#, target.confirm);
            ("", Some(body), 400)
        }
        ("POST", "/orgs/{org}/transfer") => {
            let (account, confirm) = (&target.account, &target.confirm);
            let body = format!(r#"{{"account_id":"{account}","confirm":"{confirm}"}}"#);
            ("", Some(body), 400)
        }
        // Discord has not shown that anybody manages it.
        ("POST", "/orgs/{org}/guilds") => {
            let body = r#"{"discord_guild_id":"800000000000000099","slug":"claimed"}"#;
            ("", Some(body.to_owned()), 403)
        }
        ("POST", "/orgs/{org}/navigation/preview") => {
            let guild = &target.guild;
            let body = format!(r#"{{"guild_id":"{guild}","accent":"teal","theme":"dark","buttons":[]}}"#);
            ("", Some(body), 200)
        }
        ("PUT", "/orgs/{org}/navigation") => ("", Some(r#"{"links":[]}"#.to_owned()), 200),
        ("PATCH", "/orgs/{org}/team/{account}") => ("", Some(r#"{"permissions":[]}"#.to_owned()), 204),
        ("DELETE", "/orgs/{org}/team/{account}") => ("", None, 204),
        ("POST", "/orgs/{org}/invites") => {
            let body = r#"{"role":"staff","permissions":[],"expires":"7d"}"#;
            ("", Some(body.to_owned()), 201)
        }
        ("POST", "/orgs/{org}/invites/{invite}/reissue") => ("", None, 200),
        ("POST", "/orgs/{org}/invites/{invite}/revoke") => ("", None, 204),
        (method, path) => panic!("{method} {path} has no example in tests/authorization/examples.rs"),
    }
}

/// A number that no other call has.
fn unique() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// Where a route is served: as written, and for dashboard routes below `/api` too.
pub fn prefixes(route: &RouteSpec) -> &'static [&'static str] {
    if route.mirrored { &["", "/api"] } else { &[""] }
}

impl Example {
    pub fn below(mut self, prefix: &str) -> Self {
        self.uri.insert_str(0, prefix);
        self
    }

    pub async fn send(&self, caller: &Client) -> Reply {
        let body = self.body.clone().map_or_else(Body::empty, Body::from);
        let caller = if self.is_file {
            caller.clone().sending_file()
        } else {
            caller.clone()
        };
        caller.send(self.method.clone(), &self.uri, body).await
    }
}
