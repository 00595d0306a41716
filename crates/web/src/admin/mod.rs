//! The operators' own endpoints, and the announcements that everybody reads.

pub mod announcements;
pub mod blocks;
pub mod builds;
pub mod flags;
pub mod health;
pub mod maintenance;
pub mod operators;
mod paging;
pub mod search;
pub mod sessions;
pub mod visits;

use http::Method;

use crate::routes::Routes;

pub(crate) fn routes(routes: Routes) -> Routes {
    let routes = access_routes(announcement_routes(routes));
    health_routes(visit_routes(entry_routes(routes)))
}

/// What everybody is told, and what is switched for everybody.
fn announcement_routes(routes: Routes) -> Routes {
    const ALL: &str = "/admin/announcements";
    const ONE: &str = "/admin/announcements/{announcement}";
    const MAINTENANCE: &str = "/admin/maintenance";
    let (get, post, put) = (Method::GET, Method::POST, Method::PUT);
    routes
        .personal(
            get.clone(),
            "/announcements",
            "List announcements for everybody",
            announcements::shown,
        )
        .personal(
            get.clone(),
            "/orgs/{org}/announcements",
            "List announcements for the organisation",
            announcements::shown_in_org,
        )
        .personal(
            post.clone(),
            "/announcements/{announcement}/dismiss",
            "Dismiss an announcement",
            announcements::dismiss,
        )
        .operator(get.clone(), ALL, "List all announcements", announcements::list)
        .operator(post.clone(), ALL, "Make an announcement", announcements::create)
        .operator(
            Method::PATCH,
            ONE,
            "Change an announcement",
            announcements::change,
        )
        .operator(
            Method::DELETE,
            ONE,
            "Delete an announcement",
            announcements::delete,
        )
        .operator(
            post,
            "/admin/announcements/{announcement}/end",
            "End an announcement",
            announcements::end,
        )
        .operator(get.clone(), MAINTENANCE, "Get maintenance", maintenance::get)
        .fresh_operator(
            put.clone(),
            MAINTENANCE,
            "Close or open the dashboard",
            maintenance::put,
        )
        .operator(get, "/admin/flags", "List flags", flags::list)
        .operator(put, "/admin/flags/{flag}", "Switch a flag", flags::set)
}

/// Who gets in. What changes it takes a fresh sign-in.
fn access_routes(routes: Routes) -> Routes {
    const BLOCKS: &str = "/admin/blocks";
    let (get, post, delete) = (Method::GET, Method::POST, Method::DELETE);
    routes
        .operator(get.clone(), "/admin/sessions", "Count sessions", sessions::count)
        .fresh_operator(
            post.clone(),
            "/admin/sessions/end-all",
            "End all sessions but one's own",
            sessions::end_all,
        )
        .fresh_operator(
            post.clone(),
            "/admin/sessions/drop-idle",
            "End sessions that were idle for a week",
            sessions::drop_idle,
        )
        .operator(get, BLOCKS, "List blocks", blocks::list)
        .fresh_operator(post, BLOCKS, "Block an account or a network", blocks::create)
        .fresh_operator(delete, "/admin/blocks/{block}", "Lift a block", blocks::lift)
}

/// Who may join, and who may do all of this. What changes it takes a fresh sign-in.
fn entry_routes(routes: Routes) -> Routes {
    const REGISTRATION: &str = "/admin/registration";
    const OPERATORS: &str = "/admin/operators";
    let (get, post, delete) = (Method::GET, Method::POST, Method::DELETE);
    routes
        .operator(
            get.clone(),
            REGISTRATION,
            "Get the registration mode and codes",
            maintenance::registration,
        )
        .fresh_operator(
            Method::PUT,
            REGISTRATION,
            "Set the registration mode",
            maintenance::set_registration,
        )
        .fresh_operator(
            post.clone(),
            "/admin/registration/codes",
            "Create a registration code",
            maintenance::make_code,
        )
        .fresh_operator(
            post.clone(),
            "/admin/registration/codes/{registration}/revoke",
            "Revoke a registration code",
            maintenance::revoke_code,
        )
        .operator(get, OPERATORS, "List operators", operators::list)
        .fresh_operator(post, OPERATORS, "Make somebody an operator", operators::grant)
        .fresh_operator(
            delete,
            "/admin/operators/{account}",
            "Revoke an operator's grant",
            operators::revoke,
        )
}

/// Orgs and accounts, and what operators do in them.
fn visit_routes(routes: Routes) -> Routes {
    const VISIT: &str = "/admin/orgs/{org}/visit";
    let (get, post) = (Method::GET, Method::POST);
    routes
        .operator(get.clone(), "/admin/orgs", "Search organisations", search::orgs)
        .operator(
            get.clone(),
            "/admin/orgs/{org}",
            "Get an organisation",
            search::org,
        )
        .operator(
            get.clone(),
            "/admin/accounts",
            "Search accounts",
            search::accounts,
        )
        .operator(
            get.clone(),
            "/admin/accounts/{account}",
            "Get an account",
            search::account,
        )
        .operator(get, "/admin/visits", "List running visits", visits::list)
        .fresh_operator(post.clone(), VISIT, "Visit an organisation", visits::begin)
        .operator(Method::DELETE, VISIT, "End one's own visit", visits::end)
        .operator(
            Method::DELETE,
            "/admin/orgs/{org}/visits/{account}",
            "End a visit",
            visits::end_of,
        )
        .fresh_operator(
            post.clone(),
            "/admin/orgs/{org}/transfer",
            "Give an organisation to another account",
            visits::transfer,
        )
        .fresh_operator(
            post,
            "/admin/guilds/{guild}/release",
            "Release a Discord server",
            visits::release,
        )
}

/// How the service is.
fn health_routes(routes: Routes) -> Routes {
    const BUILDS: &str = "/admin/plugin-builds";
    let (get, post) = (Method::GET, Method::POST);
    routes
        .operator(
            get.clone(),
            "/admin/audit/verify",
            "Check an audit log",
            health::verify,
        )
        .operator(get.clone(), "/admin/jobs", "List pending work", health::jobs)
        .operator(
            post.clone(),
            "/admin/jobs/{job}/retry",
            "Retry pending work now",
            health::retry,
        )
        .operator(
            Method::DELETE,
            "/admin/jobs/{job}",
            "Drop pending work",
            health::drop_job,
        )
        .operator(
            get.clone(),
            "/admin/runners",
            "List bots that run",
            health::runners,
        )
        .operator(get, BUILDS, "List all plugin builds", builds::list)
        .fresh_operator(post.clone(), BUILDS, "Publish a plugin build", builds::publish)
        .fresh_operator(
            post.clone(),
            "/admin/plugin-builds/{version}/withdraw",
            "Withdraw a plugin build",
            builds::withdraw,
        )
        .fresh_operator(
            post,
            "/admin/plugin-builds/{version}/restore",
            "Offer a plugin build again",
            builds::restore,
        )
}
