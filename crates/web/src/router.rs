//! The whole route table, put together from one table for each area.

use std::sync::{Arc, OnceLock};

use app::App;
use app::error::{HttpError, RequestError};
use axum::Router;
use axum::routing::get;
use http::{Method, Uri};

use crate::edge::Edge;
use crate::error::failed_response;
use crate::layers::Surface;
use crate::openapi::described;
use crate::routes::{Access, RouteAnswer, RouteSpec, RouteTable, Routes};
use crate::state::{Settings, WebState};
use crate::{
    admin, analytics, app_shell, attention, billing, bots, docs, downloads, health, identity, keys, linking,
    openapi, players, plugin, privacy, public, records, roles, tenancy,
};

/// Every route, with who may call it.
pub fn table() -> Vec<RouteSpec> {
    routes().finish().1
}

impl WebState {
    /// What handlers share, with the table that requests are looked up in.
    pub fn new(app: App, settings: Settings) -> Self {
        static TABLE: OnceLock<RouteTable> = OnceLock::new();
        Self {
            app,
            settings: Arc::new(settings),
            routes: TABLE.get_or_init(|| RouteTable::new(table())),
        }
    }
}

fn routes() -> Routes {
    let areas = [
        linking::routes,
        privacy::routes,
        plugin::routes,
        identity::routes,
        tenancy::routes,
        keys::routes,
        records::routes,
        roles::routes,
        players::routes,
        analytics::routes,
        billing::routes,
        bots::routes,
        downloads::routes,
        admin::routes,
        operator_routes,
    ];
    let frame = shell_routes(frame_routes(Routes::new()));
    areas.into_iter().fold(frame, |routes, add| add(routes))
}

/// What operators are told about everything.
fn operator_routes(routes: Routes) -> Routes {
    routes.operator(
        Method::GET,
        "/admin/attention",
        "List what needs an operator's attention",
        attention::for_operators,
    )
}

/// What belongs to no area: the front page, documentation, health.
fn frame_routes(routes: Routes) -> Routes {
    use RouteAnswer::{Asset, Description, Json};
    use Surface::{Download, Ops, PublicPage};
    let json = |body| Json(200, body);
    routes
        .page(PublicPage, "/", "Front page", get(public::home))
        .open(
            ("/healthz", "Liveness check"),
            (Ops, Access::Public),
            json(described::<health::Alive>),
            get(health::alive),
        )
        .open(
            ("/readyz", "Readiness check"),
            (Ops, Access::Public),
            json(described::<health::Ready>),
            get(health::ready),
        )
        .page(PublicPage, "/docs", "Documentation", get(docs::home))
        .page(PublicPage, "/docs/api", "Plugin API reference", get(docs::api))
        .page(
            PublicPage,
            "/docs/api/{action}",
            "Reference for one action",
            get(docs::action),
        )
        .page(PublicPage, "/docs/errors", "Error codes", get(docs::errors))
        .page(
            PublicPage,
            "/docs/migrating",
            "Migration guide",
            get(docs::migrating),
        )
        .page(PublicPage, "/docs/releases", "Release notes", get(docs::releases))
        .open(
            ("/static/{file}", "A static file"),
            (Download, Access::Public),
            Asset,
            get(public::files::file),
        )
        .open(
            ("/pictures/{owner}/{digest}", "The picture of a Guild or a person"),
            (Download, Access::Public),
            Asset,
            get(public::files::picture),
        )
        .open(
            ("/openapi.json", "This OpenAPI document"),
            (Ops, Access::Public),
            Description,
            get(openapi::document),
        )
}

/// The dashboard's pages, all of them one file, and the files that it is made of. A path comes before the one that would
/// take it too.
fn shell_routes(routes: Routes) -> Routes {
    use RouteAnswer::{Asset, Page};
    use Surface::{AdminPage, DashboardPage, Download};
    let page = || get(app_shell::page);
    [
        (DashboardPage, "/app", "The dashboard", Page, page()),
        (DashboardPage, "/app/", "The dashboard", Page, page()),
        (AdminPage, "/app/admin", "The operator area", Page, page()),
        (AdminPage, "/app/admin/", "The operator area", Page, page()),
        (AdminPage, "/app/admin/{*rest}", "An operator page", Page, page()),
        (
            Download,
            "/app/assets/{*rest}",
            "A dashboard file",
            Asset,
            get(app_shell::asset),
        ),
        (
            Download,
            "/app/theme.js",
            "The dashboard's theme script",
            Asset,
            get(app_shell::named),
        ),
        (
            Download,
            "/app/favicon.svg",
            "The dashboard's icon",
            Asset,
            get(app_shell::named),
        ),
        (DashboardPage, "/app/{*rest}", "A dashboard page", Page, page()),
    ]
    .into_iter()
    .fold(routes, |routes, (surface, path, summary, answer, route)| {
        routes.open((path, summary), (surface, Access::Public), answer, route)
    })
}

/// The service that is put behind a listener.
pub fn service(state: WebState) -> Edge {
    Edge::with_plugin_api(complete(routes().finish().0, &state), state)
}

/// A router that also answers where none of its routes does.
pub fn complete(router: Router<WebState>, state: &WebState) -> Router {
    let known = state.routes;
    router
        .fallback(|| async { failed_response(RequestError::NotFound.into()) })
        .method_not_allowed_fallback(move |uri: Uri| async move {
            failed_response(refused_method(known, uri.path()))
        })
        .with_state(state.clone())
}

fn refused_method(known: &RouteTable, path: &str) -> app::AppError {
    HttpError::MethodNotAllowed {
        allow: known.methods_of(path).join(", "),
    }
    .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_of_a_path_is_something_as_it_is_for_the_router() {
        let known = RouteTable::new(table());
        for (path, template) in [
            ("/app/assets/a.js", "/app/assets/{*rest}"),
            ("/app/assets//", "/app/assets/{*rest}"),
            ("/app/assets", "/app/{*rest}"),
            ("/app/assets/", "/app/{*rest}"),
            ("/app/admin/", "/app/admin/"),
            ("/app/admin/x", "/app/admin/{*rest}"),
            ("/app/", "/app/"),
        ] {
            assert_eq!(known.template_of(path), template, "{path}");
        }
    }

    #[test]
    fn templates_hide_what_was_asked_for() {
        let known = RouteTable::new(table());
        for (path, template) in [
            ("/orgs/org_X/servers", "/orgs/{org}/servers"),
            ("/api/orgs/org_X/servers", "/orgs/{org}/servers"),
            ("/api", "/api"),
            ("/api/healthz", "(none)"),
            ("/svc_live_secret", "(none)"),
        ] {
            assert_eq!(known.template_of(path), template);
        }
        assert_eq!(known.methods_of("/api/orgs/x/servers"), ["GET", "POST"]);
    }
}
