//! How the routes of what is bought are called.

/// Whether a path is one of theirs.
pub fn is_one(path: &str) -> bool {
    path.contains("/billing/") || path.contains("{guild}/bot")
}

/// The Stripe of tests is silent unless they start one.
pub fn example(method: &str, path: &str) -> (&'static str, Option<String>, u16) {
    match (method, path) {
        ("GET", "/orgs/{org}/billing/subscriptions" | "/orgs/{org}/guilds/{guild}/bot") => ("", None, 200),
        ("POST", "/orgs/{org}/guilds/{guild}/bot/token") => {
            // Nobody pays for one.
            (
                "",
                Some(r#"{"token":"one.of.twenty.characters"}"#.to_owned()),
                409,
            )
        }
        ("POST", "/orgs/{org}/guilds/{guild}/bot/retry") => ("", None, 200),
        ("DELETE", "/orgs/{org}/guilds/{guild}/bot") => ("", None, 204),
        ("POST", "/orgs/{org}/billing/plan/checkout") => {
            ("", Some(r#"{"plan":"pro","interval":"month"}"#.to_owned()), 503)
        }
        ("POST", "/orgs/{org}/guilds/{guild}/billing/checkout") => ("", None, 503),
        // Nothing was bought yet.
        ("POST", "/orgs/{org}/billing/portal") => ("", None, 409),
        ("POST", "/orgs/{org}/billing/refresh") => ("", None, 204),
        // Nobody who is tried can sign.
        ("POST", "/billing/webhook") => ("", None, 400),
        (method, path) => panic!("{method} {path} has no example"),
    }
}
