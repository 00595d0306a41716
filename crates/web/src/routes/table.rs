//! The finished table, as requests look things up in it.

use domain::permission::Permission;

use super::{Access, RouteSpec};
use crate::layers::Surface;

/// Every route of the service.
pub struct RouteTable(Vec<RouteSpec>);

impl RouteTable {
    /// Looks things up in these.
    pub fn new(table: Vec<RouteSpec>) -> Self {
        Self(table)
    }

    pub fn routes(&self) -> &[RouteSpec] {
        &self.0
    }

    /// Whether holding it makes any difference today, as the dashboard judges it too.
    pub fn unlocks(&self, permission: Permission) -> bool {
        // Seeing links decides what an answer holds, not whether there is one.
        permission == Permission::LinksView
            || self.0.iter().any(|route| {
                route.access == Access::Permission(permission) || route.access == Access::Owner(permission)
            })
    }

    fn serving(&self, path: &str) -> impl Iterator<Item = &RouteSpec> {
        let below_api = path.strip_prefix("/api").filter(|rest| rest.starts_with('/'));
        self.0
            .iter()
            .filter(move |route| fits(route.path, below_api.filter(|_| route.mirrored).unwrap_or(path)))
    }

    /// The template of the route that serves a path, for logs and the error log; never the path itself.
    pub fn template_of(&self, path: &str) -> &'static str {
        self.serving(path).next().map_or("(none)", |route| route.path)
    }

    /// The surface of the route that serves a path, or the one that it would belong to.
    pub fn surface_of(&self, path: &str) -> Surface {
        // Most requests are plugin calls, and they are not looked up.
        if path == "/api" {
            return Surface::Plugin;
        }
        let route = self.serving(path).next();
        route.map_or_else(|| Surface::of_unknown(path), |route| route.surface)
    }

    /// The methods a path knows.
    pub fn methods_of(&self, path: &str) -> Vec<&str> {
        self.serving(path).map(|route| route.method.as_str()).collect()
    }
}

fn fits(template: &str, path: &str) -> bool {
    let (mut expected, mut found) = (template.split('/'), path.split('/'));
    loop {
        match (expected.next(), found.next()) {
            (None, None) => return true,
            // The rest is something: an empty one is another route's.
            (Some(part), Some(text)) if part.starts_with("{*") => {
                return !text.is_empty() || found.next().is_some();
            }
            (Some(part), Some(text)) if part == text || (part.starts_with('{') && !text.is_empty()) => {}
            (Some(_) | None, Some(_) | None) => return false,
        }
    }
}
