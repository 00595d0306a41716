//! The whole route table.

use axum::Router;
use axum::routing::{any, get};
use http::{Method, Uri};

use crate::dashboard::{audit, guilds, keys, orgs, servers};
use crate::error::failed_response;
use crate::layers::Edge;
use crate::routes::{Access, RouteSpec, Routes, methods_of};
use crate::state::WebState;
use crate::{health, plugin, public};

/// Every route, with who may call it.
pub fn table() -> Vec<RouteSpec> {
    routes().finish().1
}

fn routes() -> Routes {
    Routes::new()
        .open(Method::GET, "/", Access::Public, get(public::home))
        .open(Method::GET, "/healthz", Access::Public, get(health::alive))
        .open(Method::GET, "/readyz", Access::Public, get(health::ready))
        .open(Method::GET, "/api", Access::PluginKey, any(plugin::handle))
        .dashboard(Method::GET, "/orgs/{org}/settings", orgs::get)
        .dashboard(Method::PATCH, "/orgs/{org}/settings", orgs::change)
        .dashboard(Method::GET, "/orgs/{org}/guilds", guilds::list)
        .dashboard(Method::GET, "/orgs/{org}/guilds/{guild}", guilds::get)
        .dashboard(Method::PATCH, "/orgs/{org}/guilds/{guild}", guilds::change)
        .dashboard(Method::GET, "/orgs/{org}/servers", servers::list)
        .dashboard(Method::POST, "/orgs/{org}/servers", servers::create)
        .dashboard(Method::GET, "/orgs/{org}/servers/{server}", servers::get)
        .dashboard(Method::PATCH, "/orgs/{org}/servers/{server}", servers::change)
        .dashboard(Method::DELETE, "/orgs/{org}/servers/{server}", servers::delete)
        .dashboard(
            Method::POST,
            "/orgs/{org}/servers/{server}/key/reveal",
            servers::reveal_key,
        )
        .dashboard(
            Method::POST,
            "/orgs/{org}/servers/{server}/key/regenerate",
            servers::regenerate_key,
        )
        .dashboard(
            Method::POST,
            "/orgs/{org}/servers/{server}/key/revoke",
            servers::revoke_key,
        )
        .dashboard(Method::GET, "/orgs/{org}/keys", keys::list)
        .dashboard(Method::POST, "/orgs/{org}/keys", keys::create)
        .dashboard(Method::PUT, "/orgs/{org}/keys/{key}", keys::edit)
        .dashboard(Method::POST, "/orgs/{org}/keys/{key}/reveal", keys::reveal)
        .dashboard(Method::POST, "/orgs/{org}/keys/{key}/revoke", keys::revoke)
        .dashboard(Method::GET, "/orgs/{org}/audit", audit::list)
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
