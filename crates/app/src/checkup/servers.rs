//! The Servers of a Guild: whether they call, what their plugins say of themselves, and their keys.

use domain::permission::{Permission, PermissionSet};
use domain::plugin_build::latest;
use domain::plugin_config::NO_STAMP;
use storage::OrgScope;
use storage::keys::plugin_keys;

use super::{Check, State, Topic};
use crate::downloads::config;
use crate::error::AppError;
use crate::keys::refusals::{self, Refused};
use crate::notice::Page;
use crate::state::App;
use crate::tenancy::attention;
use crate::tenancy::guilds::Guild;
use crate::tenancy::servers::{self, Server};

/// Those of the Guild, in the order they were made.
pub(super) async fn list(app: &App, scope: OrgScope, guild: &Guild) -> Result<Vec<Server>, AppError> {
    let mut all = servers::list(app, scope).await?;
    all.retain(|server| server.guild == guild.num);
    Ok(all)
}

/// What happened to the keys of the Org, for those who look after them.
#[derive(Default)]
struct Keys {
    refused: Vec<Refused>,
    /// Replaced, and tried again since.
    retired: Vec<String>,
}

/// Server by Server.
pub(super) async fn of(
    app: &App,
    scope: OrgScope,
    guild: &Guild,
    servers: &[Server],
    held: PermissionSet,
) -> Result<Vec<Check>, AppError> {
    if servers.is_empty() {
        return Ok(vec![Check::told(Topic::Server, attention::no_server(guild))]);
    }
    let mut keys = Keys::default();
    if held.contains(Permission::ServersKeys) {
        keys.refused = refusals::list(app, scope).await?;
        keys.retired = plugin_keys::list_retired_in_use(&app.db, scope).await?;
    }
    let checks = servers.iter().flat_map(|server| {
        let mut checks = Vec::new();
        checks.extend(calls(app, server));
        checks.push(plugin(app, server));
        checks.extend(configuration(app, server));
        checks.extend(key(server, &keys));
        checks.into_iter().map(move |check: Check| check.of(server))
    });
    Ok(checks.collect())
}

/// None where the key says it all.
fn calls(app: &App, server: &Server) -> Option<Check> {
    if server.active && server.key.revoked_at_ms.is_some() {
        return None;
    }
    let in_order = || {
        let text = format!("{} has called within the last day.", server.name);
        Check::new(Topic::Server, State::Ok, text)
    };
    let told = attention::calls(server, app.now_ms());
    Some(told.map_or_else(in_order, |notice| Check::told(Topic::Server, notice)))
}

fn plugin(app: &App, server: &Server) -> Check {
    let name = &server.name;
    let check = |state, text: String| Check::new(Topic::Plugin, state, text);
    let Some(version) = &server.plugin_version else {
        let text = format!("{name} hasn’t said which plugin it runs. It does so when it calls.");
        return check(State::Unknown, text);
    };
    if let Some(update) = config::find_update(app, server) {
        let text = format!("{name} runs version {version} of the plugin. Install {update} in its place.");
        return check(State::Warn, text).fixed_at("Download it", Page::Plugin(server.id.clone()));
    }
    let builds = app.memories.shelf.known();
    let has_builds = builds.is_some_and(|builds| latest(&builds).is_some());
    if has_builds && server.plugin_stamp.is_some() {
        check(
            State::Ok,
            format!("{name} runs version {version} of the plugin. There’s no newer one."),
        )
    } else {
        // Versions of other people's plugins mean something else.
        let text =
            format!("{name} runs version {version} of its plugin. There’s no build here to compare it with.");
        check(State::Unknown, text)
    }
}

/// None of a plugin that says nothing of its file.
fn configuration(app: &App, server: &Server) -> Option<Check> {
    let (stamp, name) = (server.plugin_stamp.as_deref()?, &server.name);
    let check = |state, text: String| Check::new(Topic::Configuration, state, text);
    Some(if config::is_old(app, server) {
        let text = format!(
            "The configuration of {name} was made from older settings. Download it again, replace the file and reload the \
             plugin."
        );
        check(State::Warn, text).fixed_at("Download it", Page::Plugin(server.id.clone()))
    } else if stamp == NO_STAMP {
        let text = format!(
            "The configuration of {name} was written by hand, so it isn’t compared with the settings."
        );
        check(State::Unknown, text)
    } else {
        let text = format!("The configuration of {name} fits its settings.");
        check(State::Ok, text)
    })
}

fn key(server: &Server, keys: &Keys) -> Vec<Check> {
    let told = [attention::key_revoked(server), attention::query_key(server)];
    let told = told.into_iter().flatten();
    let mut checks: Vec<Check> = told.map(|notice| Check::told(Topic::Key, notice)).collect();
    checks.extend(retired(server, keys));
    checks.extend(refused(server, keys));
    if checks.is_empty() {
        let text = format!("The key of {} is in force.", server.name);
        checks.push(Check::new(Topic::Key, State::Ok, text));
    }
    checks
}

fn retired(server: &Server, keys: &Keys) -> Option<Check> {
    let id = server.key.id.as_str();
    let is_used = keys.retired.iter().any(|retired| retired == id);
    let text = format!(
        "A replaced key of {} is still in use somewhere. Put the current one there.",
        server.name
    );
    let check = Check::new(Topic::Key, State::Bad, text);
    is_used.then(|| check.fixed_at("View Server", Page::Server(server.id.clone())))
}

fn refused(server: &Server, keys: &Keys) -> Option<Check> {
    let of_key = keys.refused.iter();
    let of_key: Vec<&Refused> = of_key.filter(|refused| refused.key == server.key.id).collect();
    // What happened most often stands first.
    let most = of_key.first()?;
    let calls: i64 = of_key.iter().map(|refused| refused.calls).sum();
    let mostly = if calls > most.calls { "mostly " } else { "" };
    let text = format!(
        "Calls with the key of {} were refused in the last 24 hours: {calls}, {mostly}with the code {}.",
        server.name, most.code
    );
    let check = Check::new(Topic::Key, State::Warn, text);
    Some(check.fixed_at("View refused calls", Page::Server(server.id.clone())))
}
