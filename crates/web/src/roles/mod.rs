//! The dashboard's routes of rules between groups and roles, and of what they did.

pub mod history;
pub mod places;
pub mod recheck;
pub mod rules;

use http::Method;

use crate::routes::Routes;

pub(crate) fn routes(routes: Routes) -> Routes {
    const RULES: &str = "/orgs/{org}/servers/{server}/roles";
    const RECHECK: &str = "/orgs/{org}/guilds/{guild}/role-recheck";
    routes
        .dashboard(
            Method::GET,
            "/orgs/{org}/roles",
            "List where there are role rules",
            places::list,
        )
        .dashboard(Method::GET, RULES, "Get a Server's role rules", rules::get)
        .dashboard(
            Method::PUT,
            RULES,
            "Replace a Server's role rules",
            rules::replace,
        )
        .dashboard(
            Method::POST,
            "/orgs/{org}/servers/{server}/roles/dry-run",
            "See what role rules would do",
            rules::dry_run,
        )
        .dashboard(
            Method::GET,
            "/orgs/{org}/guilds/{guild}/role-history",
            "List changes of roles and groups",
            history::list,
        )
        .dashboard(
            Method::GET,
            RECHECK,
            "Get the progress of a role check",
            recheck::get,
        )
        .dashboard(Method::POST, RECHECK, "Check everybody's roles", recheck::start)
        .dashboard(Method::DELETE, RECHECK, "Cancel a role check", recheck::cancel)
}
