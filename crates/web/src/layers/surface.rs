//! Which form an address speaks, and the few addresses that are spelled in several ways.

use http::Uri;
use http::uri::PathAndQuery;

/// The form of answers, failures included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Surface {
    /// `/api?action=…`: JSON, with words for old bots in failures.
    Plugin,
    /// Dashboard, operators, bots, health: JSON.
    Api,
    /// Everything a person opens: HTML.
    Page,
}

const API_TREES: [&str; 10] = [
    "/account",
    "/api",
    "/orgs",
    "/billing",
    "/bot",
    "/admin",
    "/auth",
    "/openapi.json",
    "/healthz",
    "/readyz",
];

impl Surface {
    pub fn of(path: &str) -> Self {
        if path == "/api" {
            return Surface::Plugin;
        }
        // People come to these in a browser, and back from elsewhere.
        if ["/auth/discord/", "/auth/steam/"]
            .iter()
            .any(|tree| path.starts_with(tree))
        {
            return Surface::Page;
        }
        let is_in = |tree: &str| {
            path.strip_prefix(tree)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        if API_TREES.into_iter().any(is_in) {
            return Surface::Api;
        }
        Surface::Page
    }

    /// Pages whose address says something about their visitor, which must not travel on.
    pub fn is_private(path: &str) -> bool {
        ["/link/", "/unlink/", "/auth/", "/invite/"]
            .iter()
            .any(|tree| path.starts_with(tree))
    }

    pub fn name(self) -> &'static str {
        match self {
            Surface::Plugin => "plugin",
            Surface::Api => "api",
            Surface::Page => "page",
        }
    }
}

/// Existing installations call `/api.php`, often below a folder and sometimes with a doubled slash.
/// They are all `/api`; rewritten, not redirected, because old clients do not follow redirects.
pub fn is_plugin_alias(path: &str) -> bool {
    path.ends_with("/api.php")
        || (path != "/api" && path.trim_start_matches('/') == "api" && path.starts_with("//"))
}

/// The same address with the plugin path; the query is kept byte for byte.
pub fn plugin_uri(uri: &Uri) -> Option<Uri> {
    let text = match uri.query() {
        Some(query) => ["/api?", query].concat(),
        None => "/api".to_owned(),
    };
    let mut parts = http::uri::Parts::default();
    parts.path_and_query = Some(PathAndQuery::try_from(text).ok()?);
    Uri::from_parts(parts).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_spellings_reach_the_plugin_api_and_nothing_else_does() {
        for path in ["/api.php", "//api.php", "/link/api.php", "/a//b/api.php", "//api"] {
            assert!(is_plugin_alias(path), "{path}");
        }
        for path in ["/api", "/api/", "/api.php/x", "/xapi.php", "/api/orgs", "/"] {
            assert!(!is_plugin_alias(path), "{path}");
        }
        let uri: Uri = "/x/api.php?action=count&id=a%20b".parse().unwrap();
        assert_eq!(
            plugin_uri(&uri).unwrap().to_string(),
            "/api?action=count&id=a%20b"
        );
    }

    #[test]
    fn api_trees_speak_json_and_the_rest_speaks_html() {
        assert_eq!(Surface::of("/api"), Surface::Plugin);
        for path in [
            "/api/orgs",
            "/orgs",
            "/orgs/x",
            "/bot/guilds",
            "/healthz",
            "/admin",
            "/billing/webhook",
        ] {
            assert_eq!(Surface::of(path), Surface::Api, "{path}");
        }
        for path in ["/", "/link/x", "/orgsx", "/botany", "/app"] {
            assert_eq!(Surface::of(path), Surface::Page, "{path}");
        }
    }
}
