//! The whole route table.

use axum::Router;
use axum::routing::{any, get};
use domain::flow::{FlowPurpose, Provider};
use http::{Method, Uri};

use crate::dashboard::{account, audit, guilds, invites, keys, navigation, orgs, overview, servers, team};
use crate::error::failed_response;
use crate::layers::Edge;
use crate::openapi::described;
use crate::public::{dashboard_sign_in, link, sign_in};
use crate::routes::{Access, RouteAnswer, RouteSpec, Routes, methods_of};
use crate::state::WebState;
use crate::{app_shell, docs, health, openapi, plugin, public};

/// Every route, with who may call it.
pub fn table() -> Vec<RouteSpec> {
    routes().finish().1
}

fn routes() -> Routes {
    let routes = sign_in_routes(open_routes(Routes::new()));
    team_routes(server_routes(org_routes(personal_routes(shell_routes(routes)))))
}

fn open_routes(routes: Routes) -> Routes {
    use RouteAnswer::{Action, Description, Json, Style};
    let json = |body| Json(200, body);
    routes
        .page("/", "Front page", get(public::home))
        .open(
            ("/healthz", "Whether the process runs"),
            Access::Public,
            json(described::<health::Alive>),
            get(health::alive),
        )
        .open(
            ("/readyz", "Whether it should be given requests"),
            Access::Public,
            json(described::<health::Ready>),
            get(health::ready),
        )
        .page("/link/{slug}", "Link page of a Guild", get(link::link_page))
        .button("/link/{slug}/verify", "Verify and link", link::verify)
        .button("/link/{slug}/join", "Join the Discord server", link::join)
        .button("/link/{slug}/restart", "Start over", link::restart_link)
        .page("/unlink/{slug}", "Unlink page of a Guild", get(link::unlink_page))
        .button("/unlink/{slug}/confirm", "End the link", link::confirm_unlink)
        .button("/unlink/{slug}/restart", "Start over", link::restart_unlink)
        .page("/docs", "Documentation", get(docs::home))
        .page("/docs/api", "Reference of the plugin API", get(docs::api))
        .page("/docs/api/{action}", "Reference of one action", get(docs::action))
        .page("/docs/errors", "Codes of failures", get(docs::errors))
        .page(
            "/docs/migrating",
            "Guide for owners of older systems",
            get(docs::migrating),
        )
        .open(
            ("/docs/style.css", "Style of the documentation"),
            Access::Public,
            Style,
            get(docs::style),
        )
        .open(
            ("/openapi.json", "This description"),
            Access::Public,
            Description,
            get(openapi::document),
        )
        .open(
            ("/api", "Run an action of the plugin API"),
            Access::PluginKey,
            Action,
            any(plugin::handle),
        )
}

fn sign_in_routes(routes: Routes) -> Routes {
    let routes = routes
        .departure("/auth/discord/login", dashboard_sign_in::login)
        .arrival("/auth/discord/login/callback", dashboard_sign_in::login_callback)
        .departure("/auth/discord/claim", dashboard_sign_in::claim)
        .arrival("/auth/discord/claim/callback", dashboard_sign_in::claim_callback);
    let purposes = [FlowPurpose::Link, FlowPurpose::Unlink];
    let pairs = purposes
        .into_iter()
        .flat_map(|purpose| [(Provider::Discord, purpose), (Provider::Steam, purpose)]);
    pairs.fold(routes, |routes, (provider, purpose)| {
        sign_in::add(routes, provider, purpose)
    })
}

/// The dashboard's pages, and the invitation that leads into it.
fn shell_routes(routes: Routes) -> Routes {
    let page = RouteAnswer::Page;
    routes
        .page(
            "/invite/{code}",
            "Look at an invite",
            get(dashboard_sign_in::invite),
        )
        .button(
            "/invite/{code}/accept",
            "Accept an invite",
            dashboard_sign_in::accept,
        )
        .open(
            ("/app", "The dashboard"),
            Access::Public,
            page,
            get(app_shell::front),
        )
        .open(
            ("/app/", "The dashboard"),
            Access::Public,
            page,
            get(app_shell::front),
        )
        .open(
            ("/app/{*rest}", "A page or file of the dashboard"),
            Access::Public,
            page,
            get(app_shell::inner),
        )
}

/// What people decide about themselves.
fn personal_routes(routes: Routes) -> Routes {
    const SESSIONS: &str = "/account/sessions";
    routes
        .personal(Method::GET, "/account", "Who is signed in", account::me)
        .personal(
            Method::GET,
            SESSIONS,
            "List one's sessions",
            account::list_sessions,
        )
        .personal(
            Method::DELETE,
            SESSIONS,
            "End all other sessions",
            account::end_other_sessions,
        )
        .personal(
            Method::DELETE,
            "/account/sessions/{session}",
            "End a session",
            account::end_session,
        )
        .personal(
            Method::POST,
            "/account/sign-out",
            "End this session",
            account::sign_out,
        )
        .personal(
            Method::DELETE,
            "/account/memberships/{org}",
            "Leave an organisation",
            account::leave,
        )
        .personal(Method::POST, "/orgs", "Make an organisation", account::create_org)
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
            "List the link page's buttons",
            navigation::get,
        )
        .dashboard(
            Method::PUT,
            NAVIGATION,
            "Replace the link page's buttons",
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

/// Servers, keys and the log.
fn server_routes(routes: Routes) -> Routes {
    const SERVERS: &str = "/orgs/{org}/servers";
    const SERVER: &str = "/orgs/{org}/servers/{server}";
    const KEYS: &str = "/orgs/{org}/keys";
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
        .dashboard(Method::GET, KEYS, "List the custom keys", keys::list)
        .dashboard(Method::POST, KEYS, "Make a custom key", keys::create)
        .dashboard(
            Method::PUT,
            "/orgs/{org}/keys/{key}",
            "Edit a custom key",
            keys::edit,
        )
        .dashboard(
            Method::DELETE,
            "/orgs/{org}/keys/{key}",
            "Remove a revoked custom key",
            keys::remove,
        )
        .dashboard(
            Method::POST,
            "/orgs/{org}/keys/{key}/reveal",
            "Show a custom key",
            keys::reveal,
        )
        .dashboard(
            Method::POST,
            "/orgs/{org}/keys/{key}/revoke",
            "Revoke a custom key for good",
            keys::revoke,
        )
        .dashboard(
            Method::GET,
            "/orgs/{org}/audit",
            "Look through the audit log",
            audit::list,
        )
        .dashboard(
            Method::GET,
            "/orgs/{org}/audit/export",
            "The audit log as a file",
            audit::export,
        )
}

/// The service that is put behind a listener.
pub fn service(state: WebState) -> Edge {
    let router: Router = routes()
        .finish()
        .0
        .fallback(|| async { failed_response(app::AppError::NotFound) })
        .method_not_allowed_fallback(|uri: Uri| async move { failed_response(refused_method(uri.path())) })
        .with_state(state.clone());
    Edge::with_plugin_api(router, state)
}

fn refused_method(path: &str) -> app::AppError {
    app::AppError::MethodNotAllowed {
        allow: methods_of(path).join(", "),
    }
}
