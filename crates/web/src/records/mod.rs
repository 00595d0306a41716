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
            "List audit log entries",
            audit::list,
        )
        .dashboard(
            Method::GET,
            "/orgs/{org}/audit/choices",
            "List filters for the audit log",
            audit_names::choices,
        )
        .dashboard(
            Method::GET,
            "/orgs/{org}/audit/export",
            "Export the audit log",
            audit::export,
        )
        .dashboard(
            Method::GET,
            "/orgs/{org}/errors",
            "List the organisation's errors",
            errors::list,
        )
        .operator(
            Method::GET,
            "/admin/audit",
            "List entries of the operators' audit log",
            audit::list_of_operators,
        )
        .operator(Method::GET, "/admin/errors", "List all errors", errors::list_all)
}
