//! The configuration file of a Server's plugin, and what the plugin says of the one it has.

use domain::plan::Tier;
use domain::plugin_build::{PluginVersion, latest};
use domain::plugin_config::{NO_STAMP, PluginConfig};
use storage::tenancy::servers::Server;

use crate::state::App;

/// The file for a Server, without its key.
pub fn of(app: &App, server: &Server, tier: Tier) -> PluginConfig {
    let config = PluginConfig {
        address: app.public_url.to_string(),
        key: String::new(),
        link_page: [&app.public_url, "/link/", &server.guild_slug].concat(),
        linked_group: server.game.linked_group.clone(),
        booster_group: server.game.booster_group.clone(),
        steam_members_group: server.game.steam_members_group.clone(),
        poll_seconds: server.game.poll_seconds,
        players_per_request: app.memories.gate.limit(tier).bulk_ids,
        stamp: String::new(),
    };
    config.stamped()
}

/// Whether the file on the game server was made from other settings. One that was written by hand is nobody's business.
pub fn is_old(app: &App, server: &Server) -> bool {
    let stamp = of(app, server, Tier::Free).stamp;
    let said = server.plugin_stamp.as_deref().unwrap_or(NO_STAMP);
    said != NO_STAMP && said != stamp
}

/// The build to put in the place of the Server's: where that is older than the latest, or was withdrawn. Only our own
/// plugin tells of its file; versions of others mean something else.
pub fn find_update(app: &App, server: &Server) -> Option<PluginVersion> {
    server.plugin_stamp.as_ref()?;
    let version = PluginVersion::parse_bare(server.plugin_version.as_deref()?)?;
    let builds = app.memories.shelf.known()?;
    let latest = latest(&builds)?.version;
    let is_withdrawn = builds
        .iter()
        .any(|build| build.version == version && build.is_withdrawn);
    (version < latest || is_withdrawn).then_some(latest)
}
