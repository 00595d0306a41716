//! The dashboard's routes of Orgs, Guilds, Servers and the team.

pub mod guilds;
pub mod invites;
pub mod navigation;
pub mod orgs;
pub mod overview;
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
        .dashboard(Method::GET, SETTINGS, "Look at the organisation", orgs::get)
        .dashboard(Method::PATCH, SETTINGS, "Change the organisation", orgs::change)
        .dashboard(
            Method::DELETE,
            "/orgs/{org}",
            "Remove the organisation",
            orgs::remove,
        )
        .dashboard(
            Method::GET,
            "/orgs/{org}/overview",
            "What there is and what needs attention",
            overview::get,
        )
        .dashboard(
            Method::GET,
            NAVIGATION,
            "Look at the link pages' buttons and colours",
            navigation::get,
        )
        .dashboard(
            Method::PUT,
            NAVIGATION,
            "Replace the link pages' buttons and set colours",
            navigation::replace,
        )
        .dashboard(Method::GET, "/orgs/{org}/guilds", "List the Guilds", guilds::list)
        .dashboard(
            Method::POST,
            "/orgs/{org}/guilds",
            "Claim a Discord server",
            guilds::claim,
        )
        .dashboard(
            Method::GET,
            "/orgs/{org}/claimable-guilds",
            "Discord servers that can be claimed",
            guilds::candidates,
        )
        .dashboard(
            Method::GET,
            GUILD,
            "Look at a Guild and its settings",
            guilds::get,
        )
        .dashboard(Method::PATCH, GUILD, "Change a Guild's settings", guilds::change)
        .dashboard(Method::DELETE, GUILD, "Remove a Guild", guilds::remove)
}

fn server_routes(routes: Routes) -> Routes {
    const SERVERS: &str = "/orgs/{org}/servers";
    const SERVER: &str = "/orgs/{org}/servers/{server}";
    routes
        .dashboard(Method::GET, SERVERS, "List the Servers", servers::list)
        .dashboard(
            Method::POST,
            SERVERS,
            "Add a Server with its key",
            servers::create,
        )
        .dashboard(Method::GET, SERVER, "Look at a Server", servers::get)
        .dashboard(Method::PATCH, SERVER, "Change a Server", servers::change)
        .dashboard(
            Method::DELETE,
            SERVER,
            "Delete a Server and its key",
            servers::delete,
        )
        .dashboard(
            Method::POST,
            "/orgs/{org}/servers/{server}/key/reveal",
            "Show a Server's key",
            servers::reveal_key,
        )
        .dashboard(
            Method::POST,
            "/orgs/{org}/servers/{server}/key/regenerate",
            "Replace a Server's key",
            servers::regenerate_key,
        )
        .dashboard(
            Method::POST,
            "/orgs/{org}/servers/{server}/key/revoke",
            "Revoke a Server's key until it is regenerated",
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
        .dashboard(Method::PATCH, MEMBER, "Change what a member may do", team::change)
        .dashboard(Method::DELETE, MEMBER, "Remove a member", team::remove)
        .dashboard(
            Method::POST,
            "/orgs/{org}/transfer",
            "Hand the organisation over",
            team::transfer,
        )
        .dashboard(Method::GET, INVITES, "List the invites", invites::list)
        .dashboard(Method::POST, INVITES, "Make an invite", invites::create)
        .dashboard(
            Method::POST,
            "/orgs/{org}/invites/{invite}/reissue",
            "Replace the code of an invite",
            invites::reissue,
        )
        .dashboard(
            Method::POST,
            "/orgs/{org}/invites/{invite}/revoke",
            "Revoke an invite",
            invites::revoke,
        )
}
