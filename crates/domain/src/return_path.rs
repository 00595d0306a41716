//! Where a person goes on after signing in: only to pages of ours, and never to another site.

/// Longer than any page of ours.
const MAX_BYTES: usize = 512;

/// A path of ours that a sign-in may end at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReturnPath(String);

impl ReturnPath {
    /// The dashboard's front page.
    pub fn dashboard() -> Self {
        Self("/app/".to_owned())
    }

    /// Accepts a path below the dashboard, an invitation or a link page. The characters are those of our own addresses,
    /// so nothing can be another site's name in disguise.
    pub fn parse(text: &str) -> Option<Self> {
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"/-_.?=&".contains(&byte);
        if text.len() > MAX_BYTES || !text.bytes().all(allowed) {
            return None;
        }
        let path = text.split('?').next().unwrap_or_default();
        if path.contains("//") || path.split('/').any(|part| part == "." || part == "..") {
            return None;
        }
        let is_one_of = |tree: &str| {
            path.strip_prefix(tree)
                .is_some_and(|rest| !rest.is_empty() && !rest.contains('/'))
        };
        let ours =
            path == "/app" || path.starts_with("/app/") || is_one_of("/invite/") || is_one_of("/link/");
        ours.then(|| Self(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_ours_are_taken() {
        for ours in [
            "/app",
            "/app/",
            "/app/orgs/org_01ARZ3NDEKTSV4RRFFQ69G5FAV/team?tab=invites&x=1",
            "/invite/aB3_-x",
            "/link/rust-eu",
        ] {
            assert_eq!(ReturnPath::parse(ours).map(|path| path.0).as_deref(), Some(ours));
        }
    }

    #[test]
    fn nothing_leads_to_another_site() {
        for other in [
            "",
            "/",
            "app",
            "//evil.example",
            "///evil.example",
            "/\\evil.example",
            "\\\\evil.example",
            "/app//evil.example",
            "/app/\\evil.example",
            "/app/../auth/discord/login",
            "/app/./x",
            "/app/..",
            "/application",
            "/appx/",
            "/invite/",
            "/invite/a/b",
            "/invite",
            "/link/",
            "/link/a/verify",
            "/unlink/a",
            "/auth/discord/login",
            "/api/orgs",
            "/orgs/x",
            "/admin",
            "https://evil.example/app/",
            "http:/app/",
            "javascript:alert(1)",
            "/app/%2f%2fevil.example",
            "/app/%2e%2e/",
            "/app/a\r\nSet-Cookie: x=1",
            "/app/a\nb",
            "/app/a\tb",
            " /app/",
            "/app/ ",
            "/app/#x",
            "/app/@evil.example",
            "/app/;x",
            "/app/\u{202e}",
            "/app/é",
            "/app/\0",
            "?x=/app/",
            "/?/app/",
        ] {
            assert_eq!(ReturnPath::parse(other), None, "{other:?}");
        }
        assert_eq!(ReturnPath::parse(&format!("/app/{}", "a".repeat(600))), None);
    }
}
