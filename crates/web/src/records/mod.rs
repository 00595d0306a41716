//! What was written down, as the dashboard shows it.

pub mod audit;
pub mod audit_names;
pub mod errors;

use http::Method;

use crate::routes::Routes;

pub(crate) fn routes(routes: Routes) -> Routes {
    routes
        .dashboard(
            Method::GET,
            "/orgs/{org}/audit",
            "Look through the audit log",
            audit::list,
        )
        .dashboard(
            Method::GET,
            "/orgs/{org}/audit/choices",
            "What the audit log can be filtered by",
            audit_names::choices,
        )
        .dashboard(
            Method::GET,
            "/orgs/{org}/audit/export",
            "The audit log as a file",
            audit::export,
        )
        .dashboard(
            Method::GET,
            "/orgs/{org}/errors",
            "Look through the organisation's failures",
            errors::list,
        )
        .operator(
            Method::GET,
            "/admin/errors",
            "Look through all failures",
            errors::list_all,
        )
}
