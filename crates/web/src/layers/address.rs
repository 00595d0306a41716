//! The few addresses that are spelled in several ways.

use http::Uri;
use http::uri::PathAndQuery;

use super::surface::{Form, Surface};

/// The path under which an address of another spelling is served. It is rewritten, not redirected: old clients do not
/// follow redirects, and a page is the same with a slash behind it.
pub fn usual_path(path: &str) -> Option<&str> {
    if is_plugin_alias(path) {
        return Some("/api");
    }
    let page = path.strip_suffix('/')?.trim_end_matches('/');
    let is_page =
        !page.is_empty() && !path.starts_with("/app/") && Surface::of_unknown(page).form() == Form::Page;
    is_page.then_some(page)
}

/// Existing installations call `/api.php`, often below a folder, sometimes with a doubled slash, and some join the
/// folder and the name without any. They are all `/api`.
fn is_plugin_alias(path: &str) -> bool {
    const OLD_NAME: &[u8] = b"api.php";
    let path = path.trim_end_matches('/');
    let tail = path.len().checked_sub(OLD_NAME.len());
    tail.is_some_and(|start| path.as_bytes()[start..].eq_ignore_ascii_case(OLD_NAME))
        || path.trim_start_matches('/').eq_ignore_ascii_case("api")
}

/// The same address with another path; the query is kept byte for byte.
pub fn with_path(uri: &Uri, path: &str) -> Option<Uri> {
    let text = match uri.query() {
        Some(query) => [path, "?", query].concat(),
        None => path.to_owned(),
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
        for path in [
            "/api",
            "/api/",
            "//api",
            "/API",
            "/Api//",
            "/api.php",
            "/api.php/",
            "/API.PHP",
            "//api.php",
            "/link/api.php",
            "/link/slugapi.php",
            "/link/slugApi.Php/",
            "/xapi.php",
            "/a//b/api.php",
        ] {
            assert_eq!(usual_path(path), Some("/api"), "{path}");
        }
        for path in [
            "/",
            "//",
            "",
            "/api.php/x",
            "/api.phpx",
            "/api/orgs",
            "/x/api",
            "/éapi.ph",
            "api.ph",
        ] {
            assert_eq!(usual_path(path), None, "{path}");
        }
        let uri: Uri = "/x/api.php?action=count&id=a%20b".parse().unwrap();
        assert_eq!(
            with_path(&uri, "/api").unwrap().to_string(),
            "/api?action=count&id=a%20b"
        );
    }

    #[test]
    fn a_page_is_the_same_with_a_slash_behind_it_and_json_is_not() {
        for (path, page) in [
            ("/link/x/", "/link/x"),
            ("/docs//", "/docs"),
            ("/auth/discord/login/", "/auth/discord/login"),
        ] {
            assert_eq!(usual_path(path), Some(page));
        }
        for path in ["/link/x", "/app/", "/app/orgs/", "/orgs/x/", "/healthz/"] {
            assert_eq!(usual_path(path), None, "{path}");
        }
    }
}
