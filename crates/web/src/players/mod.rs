//! The dashboard's routes of an Org's people: lists, one person, what is done to many, and how far they are trusted.

pub mod bulk_unlink;
pub mod cleanup;
mod cursor;
pub mod export;
pub mod graph;
pub mod trust;
pub mod user;
pub mod users;

use http::Method;

use crate::routes::Routes;

pub(crate) fn routes(routes: Routes) -> Routes {
    const UNLINK: &str = "/orgs/{org}/users/unlink";
    const TRUST: &str = "/orgs/{org}/trust";
    let routes = routes
        .dashboard(Method::GET, "/orgs/{org}/users", "List people", users::list)
        .dashboard(
            Method::GET,
            "/orgs/{org}/users/choices",
            "List what people can be filtered by",
            users::choices,
        )
        .dashboard(
            Method::GET,
            "/orgs/{org}/users/export",
            "Export people",
            export::export,
        )
        .dashboard(
            Method::GET,
            UNLINK,
            "Get the progress of a bulk unlink",
            bulk_unlink::get,
        )
        .dashboard(Method::POST, UNLINK, "Unlink many people", bulk_unlink::start)
        .dashboard(
            Method::DELETE,
            UNLINK,
            "Cancel a bulk unlink",
            bulk_unlink::cancel,
        )
        .dashboard(Method::GET, TRUST, "Get trust settings", trust::get)
        .dashboard(Method::PUT, TRUST, "Replace trust settings", trust::save)
        .dashboard(
            Method::POST,
            "/orgs/{org}/trust/simulate",
            "See what trust settings would do",
            trust::simulate,
        );
    of_one(of_cleanup(routes))
}

fn of_cleanup(routes: Routes) -> Routes {
    const CLEANUP: &str = "/orgs/{org}/cleanup";
    routes
        .dashboard(
            Method::GET,
            CLEANUP,
            "Get what is done about dormant accounts",
            cleanup::get,
        )
        .dashboard(
            Method::PUT,
            CLEANUP,
            "Set what is done about dormant accounts",
            cleanup::save,
        )
        .dashboard(
            Method::GET,
            "/orgs/{org}/cleanup/preview",
            "List dormant accounts",
            cleanup::preview,
        )
        .dashboard(
            Method::POST,
            "/orgs/{org}/cleanup/run",
            "Start a cleanup run",
            cleanup::run,
        )
        .dashboard(
            Method::POST,
            "/orgs/{org}/cleanup/keep",
            "Take the flag off people",
            cleanup::keep,
        )
}

fn of_one(routes: Routes) -> Routes {
    routes
        .dashboard(Method::GET, "/orgs/{org}/users/{user}", "Get a person", user::get)
        .dashboard(
            Method::POST,
            "/orgs/{org}/users/{user}/unlink",
            "Unlink a person",
            user::unlink,
        )
        .dashboard(
            Method::POST,
            "/orgs/{org}/users/{user}/trust",
            "Recompute a person's Trust Score",
            user::reckon,
        )
        .dashboard(
            Method::GET,
            "/orgs/{org}/users/{user}/trust-history",
            "Get a person's Trust Scores over time",
            user::trust_history,
        )
        .dashboard(
            Method::GET,
            "/orgs/{org}/users/{user}/graph",
            "Get the accounts that hang together with a person's",
            graph::get,
        )
}
