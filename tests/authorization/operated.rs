//! How the operators' own routes are called. What would change the world for everybody else is called so that it is refused.

/// Whether it is one of these.
pub fn is_one(path: &str) -> bool {
    path.starts_with("/admin/") && path != "/admin/errors" && path != "/admin/attention"
        || path.contains("announcement")
}

pub fn example(method: &str, path: &str, account: &str) -> (&'static str, Option<String>, u16) {
    let body = |text: &str| Some(text.to_owned());
    let reason = r#""reason":"walking the table""#;
    match (method, path) {
        ("GET", _) => ("", None, 200),
        ("POST", "/admin/announcements") => (
            "",
            body(r#"{"severity":"info","target":"all","text":"Hello"}"#),
            201,
        ),
        ("PATCH", "/admin/announcements/{announcement}") => ("", body(r#"{"severity":"info"}"#), 404),
        ("POST", "/announcements/{announcement}/dismiss") => ("", None, 204),
        ("PUT", "/admin/maintenance" | "/admin/flags/{flag}") => {
            let on = path == "/admin/flags/{flag}";
            ("", Some(format!(r#"{{"on":{on}}}"#)), 204)
        }
        ("POST", "/admin/sessions/end-all") => ("", body(r#"{"confirm":"no"}"#), 400),
        ("POST", "/admin/sessions/drop-idle") => ("", None, 204),
        ("POST", "/admin/blocks") => {
            let block = r#"{"kind":"network","value":"198.51.100.0/24","reason":"nobody is there"}"#;
            ("", body(block), 201)
        }
        ("PUT", "/admin/registration") => ("", body(r#"{"mode":"open"}"#), 204),
        ("POST", "/admin/registration/codes") => ("", body("{}"), 201),
        ("POST", "/admin/operators") => ("", body(r#"{"discord_id":"800000000000000077"}"#), 201),
        // The helper is none.
        ("DELETE", "/admin/operators/{account}") => ("", None, 409),
        // Too short.
        ("POST", "/admin/orgs/{org}/visit") => ("", Some(format!(r#"{{{reason},"minutes":1}}"#)), 400),
        // The helper visits nobody.
        ("DELETE", "/admin/orgs/{org}/visit" | "/admin/orgs/{org}/visits/{account}") => ("", None, 204),
        ("POST", "/admin/orgs/{org}/transfer") => {
            let body = format!(r#"{{"account_id":"{account}",{reason},"confirm":"no"}}"#);
            ("", Some(body), 400)
        }
        ("POST", "/admin/guilds/{guild}/release") => {
            ("", Some(format!(r#"{{{reason},"confirm":"no"}}"#)), 400)
        }
        // No version is written like this.
        ("POST", "/admin/plugin-builds") => ("?version=1", body("class Symbolon"), 400),
        // Nothing is called so.
        ("POST" | "DELETE", _) => ("", None, 404),
        (method, path) => panic!("{method} {path} has no example"),
    }
}
