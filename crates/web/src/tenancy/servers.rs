//! Servers and their keys.

use app::App;
use app::downloads::config;
use app::keys::plugin_keys;
use app::once::Outcome;
use app::tenancy::servers;
use app::tenancy::servers::ServerChange;
use domain::id::{GuildId, ServerId};
use domain::permission::Permission;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::extract::{Authorized, JsonBody, Pressed, Segments, perm};
use crate::fields::display_name;
use crate::routes::{Answer, Created, Done, Found};

/// A Server as the dashboard sees it. Of its key only what may be shown to anyone with `servers.view`.
#[derive(Serialize, ToSchema)]
pub struct ServerView {
    #[schema(value_type = String)]
    id: ServerId,
    #[schema(value_type = String)]
    guild_id: GuildId,
    name: String,
    active: bool,
    bare_ids: bool,
    created_at_ms: i64,
    last_call_at_ms: Option<i64>,
    /// It called before, and not for more than a day.
    silent: bool,
    /// As the plugin last said.
    plugin_version: Option<String>,
    /// The version to install, where the plugin is older than it or was withdrawn.
    plugin_update: Option<String>,
    /// The file of the plugin was made from other settings than those of now.
    config_is_old: bool,
    linked_group: String,
    booster_group: String,
    steam_members_group: String,
    poll_seconds: i64,
    /// One more with every save of the settings; switching it on or off is none.
    revision: i64,
    key: KeyView,
}

#[derive(Serialize, ToSchema)]
pub struct KeyView {
    id: String,
    prefix: String,
    revoked: bool,
    rotated_at_ms: i64,
    last_used_at_ms: Option<i64>,
    /// Calls that sent the key in the address, which is a thing to put right.
    query_calls: i64,
}

impl ServerView {
    pub(crate) fn of(app: &App, server: servers::Server) -> Self {
        Self {
            silent: servers::is_silent(&server, app.now_ms()),
            plugin_update: config::find_update(app, &server).map(|version| version.to_string()),
            config_is_old: config::is_old(app, &server),
            key: KeyView {
                id: server.key.id.as_str().to_owned(),
                prefix: server.key.prefix,
                revoked: server.key.revoked_at_ms.is_some(),
                rotated_at_ms: server.key.rotated_at_ms,
                last_used_at_ms: server.key.last_used_at_ms,
                query_calls: server.key.query_calls,
            },
            last_call_at_ms: server.key.last_used_at_ms,
            plugin_version: server.plugin_version,
            linked_group: server.game.linked_group,
            booster_group: server.game.booster_group,
            steam_members_group: server.game.steam_members_group,
            poll_seconds: server.game.poll_seconds,
            id: server.id,
            guild_id: server.guild_id,
            name: server.name,
            active: server.active,
            bare_ids: server.bare_ids,
            created_at_ms: server.created_at_ms,
            revision: server.revision,
        }
    }
}

#[derive(Serialize, ToSchema)]
pub struct ServerList {
    servers: Vec<ServerView>,
}

/// The full key. Answers that carry it are never stored by anyone in between.
#[derive(Serialize, ToSchema)]
pub struct RevealedKey {
    #[schema(value_type = String)]
    server_id: ServerId,
    key: String,
}

/// A new Server.
#[derive(Serialize, ToSchema)]
pub struct MadeServer {
    #[schema(value_type = String)]
    server_id: ServerId,
    /// Its full key, for callers with `servers.keys`. Nothing when the request was a repetition.
    key: Option<String>,
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewServer {
    #[schema(value_type = String)]
    guild_id: GuildId,
    #[schema(min_length = 1, max_length = 64)]
    name: String,
}

/// What is left out stays as it is.
#[derive(Deserialize, ToSchema)]
#[schema(as = ServerChange)]
#[serde(deny_unknown_fields)]
pub struct Change {
    #[schema(min_length = 1, max_length = 64)]
    name: Option<String>,
    active: Option<bool>,
    bare_ids: Option<bool>,
    linked_group: Option<String>,
    booster_group: Option<String>,
    steam_members_group: Option<String>,
    poll_seconds: Option<i64>,
    /// As it was read. A save by somebody else since then refuses this one; without it, the last one counts.
    revision: Option<i64>,
}

pub async fn list(app: App, caller: Authorized<perm::ServersView>, (): ()) -> Answer<Found<ServerList>> {
    let found = servers::list(&app, caller.scope).await?;
    let servers = found.into_iter().map(|server| ServerView::of(&app, server));
    Ok(Found(ServerList {
        servers: servers.collect(),
    }))
}

pub async fn get(
    app: App,
    caller: Authorized<perm::ServersView>,
    Segments(id): Segments<ServerId>,
) -> Answer<Found<ServerView>> {
    let server = servers::get(&app, caller.scope, &id).await?;
    Ok(Found(ServerView::of(&app, server)))
}

pub async fn create(
    app: App,
    caller: Authorized<perm::ServersManage>,
    Pressed(JsonBody(new), press): Pressed<JsonBody<NewServer>>,
) -> Answer<Created<MadeServer>> {
    let name = display_name(&new.name)?;
    let sees_keys = caller.permissions.contains(Permission::ServersKeys);
    let (scope, press) = (caller.scope, press.by(caller.account));
    let outcome = servers::create_once(&app, press, scope, new.guild_id, name, caller.actor).await?;
    Ok(Created(match outcome {
        Outcome::Made(created) => MadeServer {
            server_id: created.id,
            key: sees_keys.then(|| created.key.expose().to_owned()),
        },
        Outcome::MadeBefore(id) => MadeServer {
            server_id: servers::get(&app, scope, &id).await?.id,
            key: None,
        },
    }))
}

pub async fn change(
    app: App,
    caller: Authorized<perm::ServersManage>,
    (Segments(id), JsonBody(change)): (Segments<ServerId>, JsonBody<Change>),
) -> Answer<Done> {
    let change = ServerChange {
        name: change.name.as_deref().map(display_name).transpose()?,
        active: change.active,
        bare_ids: change.bare_ids,
        linked_group: change.linked_group,
        booster_group: change.booster_group,
        steam_members_group: change.steam_members_group,
        poll_seconds: change.poll_seconds,
        revision: change.revision,
    };
    servers::change(&app, caller.scope, id, change, caller.actor).await?;
    Ok(Done)
}

pub async fn delete(
    app: App,
    caller: Authorized<perm::OfTeam<perm::ServersManage>>,
    Segments(id): Segments<ServerId>,
) -> Answer<Done> {
    servers::delete(&app, caller.scope, id, caller.actor).await?;
    Ok(Done)
}

pub async fn reveal_key(
    app: App,
    caller: Authorized<perm::ServersKeys>,
    Segments(id): Segments<ServerId>,
) -> Answer<Found<RevealedKey>> {
    let key = plugin_keys::reveal(&app, caller.scope, id.clone(), caller.actor).await?;
    Ok(Found(RevealedKey {
        server_id: id,
        key: key.expose().to_owned(),
    }))
}

pub async fn regenerate_key(
    app: App,
    caller: Authorized<perm::ServersKeys>,
    Segments(id): Segments<ServerId>,
) -> Answer<Found<RevealedKey>> {
    let key = plugin_keys::regenerate(&app, caller.scope, id.clone(), caller.actor).await?;
    Ok(Found(RevealedKey {
        server_id: id,
        key: key.expose().to_owned(),
    }))
}

pub async fn revoke_key(
    app: App,
    caller: Authorized<perm::ServersKeys>,
    Segments(id): Segments<ServerId>,
) -> Answer<Done> {
    plugin_keys::revoke(&app, caller.scope, id, caller.actor).await?;
    Ok(Done)
}
