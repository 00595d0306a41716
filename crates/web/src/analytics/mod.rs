//! An Org in numbers, for whoever may see its analytics.

pub mod export;
pub mod numbers;

use http::Method;

use crate::routes::Routes;

pub(crate) fn routes(routes: Routes) -> Routes {
    routes
        .dashboard(
            Method::GET,
            "/orgs/{org}/analytics",
            "Get analytics",
            numbers::get,
        )
        .dashboard(
            Method::GET,
            "/orgs/{org}/analytics/export",
            "Export analytics",
            export::export,
        )
}
