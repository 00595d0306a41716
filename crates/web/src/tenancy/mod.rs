//! The dashboard's routes of Orgs, Guilds, Servers and the team.

pub mod checkup;
pub mod guilds;
pub mod invites;
pub mod navigation;
pub mod orgs;
pub mod overview;
pub mod plugin;
pub mod servers;
pub mod team;

use http::Method;

use crate::routes::Routes;

pub(crate) fn routes(routes: Routes) -> Routes {
    team_routes(server_routes(org_routes(routes)))
}

/// An organisation, its Guilds and what their pages show.
fn org_routes(routes: Routes) -> Routes {
    const NAVIGATION: &str = "/orgs/{org}/navigation";
    const SETTINGS: &str = "/orgs/{org}/settings";
    const GUILD: &str = "/orgs/{org}/guilds/{guild}";
    routes
        .dashboard(
            Method::GET,
            SETTINGS,
            "Get the organisation's settings",
            orgs::get,
        )
        .dashboard(Method::PATCH, SETTINGS, "Change the organisation", orgs::change)
        .dashboard(
            Method::DELETE,
            "/orgs/{org}",
            "Delete the organisation",
            orgs::remove,
        )
        .dashboard(
            Method::GET,
            "/orgs/{org}/overview",
            "Get the organisation's overview",
            overview::get,
        )
        .dashboard(
            Method::GET,
            NAVIGATION,
            "Get the link pages' buttons and colours",
            navigation::get,
        )
        .dashboard(
            Method::PUT,
            NAVIGATION,
            "Replace the link pages' buttons and colours",
            navigation::replace,
        )
        .dashboard(Method::GET, "/orgs/{org}/guilds", "List Guilds", guilds::list)
        .dashboard(
            Method::POST,
            "/orgs/{org}/guilds",
            "Claim a Discord server",
            guilds::claim,
        )
        .dashboard(
            Method::GET,
            "/orgs/{org}/claimable-guilds",
            "List Discord servers that can be claimed",
            guilds::candidates,
        )
        .dashboard(Method::GET, GUILD, "Get a Guild and its settings", guilds::get)
        .dashboard(Method::PATCH, GUILD, "Change a Guild's settings", guilds::change)
        .dashboard(Method::DELETE, GUILD, "Remove a Guild", guilds::remove)
        .dashboard(
            Method::GET,
            "/orgs/{org}/guilds/{guild}/checkup",
            "Check a Guild",
            checkup::get,
        )
}

fn server_routes(routes: Routes) -> Routes {
    const SERVERS: &str = "/orgs/{org}/servers";
    const SERVER: &str = "/orgs/{org}/servers/{server}";
    routes
        .dashboard(Method::GET, SERVERS, "List Servers", servers::list)
        .dashboard(
            Method::POST,
            SERVERS,
            "Add a Server with its key",
            servers::create,
        )
        .dashboard(Method::GET, SERVER, "Get a Server", servers::get)
        .dashboard(Method::PATCH, SERVER, "Change a Server", servers::change)
        .dashboard(
            Method::DELETE,
            SERVER,
            "Delete a Server and its key",
            servers::delete,
        )
        .dashboard(
            Method::GET,
            "/orgs/{org}/plugin",
            "List plugin builds",
            plugin::builds,
        )
        .dashboard(
            Method::GET,
            "/orgs/{org}/servers/{server}/plugin-file",
            "Get the configuration file of a Server's plugin",
            plugin::file,
        )
        .dashboard(
            Method::POST,
            "/orgs/{org}/servers/{server}/key/reveal",
            "Reveal a Server's key",
            servers::reveal_key,
        )
        .dashboard(
            Method::POST,
            "/orgs/{org}/servers/{server}/key/regenerate",
            "Regenerate a Server's key",
            servers::regenerate_key,
        )
        .dashboard(
            Method::POST,
            "/orgs/{org}/servers/{server}/key/revoke",
            "Revoke a Server's key",
            servers::revoke_key,
        )
}

/// Who belongs to an organisation.
fn team_routes(routes: Routes) -> Routes {
    const TEAM: &str = "/orgs/{org}/team";
    const MEMBER: &str = "/orgs/{org}/team/{account}";
    const INVITES: &str = "/orgs/{org}/invites";
    routes
        .dashboard(Method::GET, TEAM, "List the team", team::list)
        .dashboard(
            Method::PATCH,
            MEMBER,
            "Change a member's role or permissions",
            team::change,
        )
        .dashboard(Method::DELETE, MEMBER, "Remove a member", team::remove)
        .dashboard(
            Method::POST,
            "/orgs/{org}/transfer",
            "Transfer ownership",
            team::transfer,
        )
        .dashboard(Method::GET, INVITES, "List invites", invites::list)
        .dashboard(Method::POST, INVITES, "Create an invite", invites::create)
        .dashboard(
            Method::POST,
            "/orgs/{org}/invites/{invite}/reissue",
            "Re-issue an invite",
            invites::reissue,
        )
        .dashboard(
            Method::POST,
            "/orgs/{org}/invites/{invite}/revoke",
            "Revoke an invite",
            invites::revoke,
        )
}
