//! Addresses of other people's systems. Secrets are sent there, so plain http is for this machine only.

use crate::public_url;

/// Scheme, host and port in normal form and the path as given, without a final slash; `None` when the text is anything
/// else or would send a secret in clear.
pub(crate) fn normalize(text: &str) -> Option<String> {
    let (scheme, rest) = text.split_once("://")?;
    let (authority, path) = match rest.find('/') {
        Some(at) => rest.split_at(at),
        None => (rest, ""),
    };
    let origin = public_url::normalize(&[scheme, "://", authority].concat())?;
    if origin.starts_with("http://") && !public_url::is_loopback(&origin) {
        return None;
    }
    let path = path.strip_suffix('/').unwrap_or(path);
    is_plain(path).then(|| [&origin, path].concat())
}

/// Empty, or segments that neither mean something to a resolver nor need to be escaped.
fn is_plain(path: &str) -> bool {
    let letters = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    path.is_empty()
        || path
            .split('/')
            .skip(1)
            .all(|part| !part.is_empty() && part != "." && part != ".." && part.bytes().all(letters))
}

#[cfg(test)]
mod tests {
    use super::normalize;

    #[test]
    fn addresses_keep_their_path_and_lose_a_final_slash() {
        for (given, normal) in [
            ("https://Api.SteamPowered.com/", "https://api.steampowered.com"),
            ("https://discord.com:443/api/v10", "https://discord.com/api/v10"),
            (
                "http://127.0.0.1:4000/openid/login/",
                "http://127.0.0.1:4000/openid/login",
            ),
            ("http://localhost/a-b_c.d~1", "http://localhost/a-b_c.d~1"),
        ] {
            assert_eq!(normalize(given).as_deref(), Some(normal), "{given}");
            assert_eq!(
                normalize(normal).as_deref(),
                Some(normal),
                "twice is once: {normal}"
            );
        }
    }

    #[test]
    fn addresses_that_lead_elsewhere_or_in_clear_are_refused() {
        for given in [
            "",
            "discord.com",
            "ftp://discord.com",
            "http://discord.com/api/v10",
            "http://10.0.0.1",
            "https://user:word@discord.com",
            "https://discord.com/api?x=1",
            "https://discord.com/api#x",
            "https://discord.com//api",
            "https://discord.com/api//",
            "https://discord.com/../api",
            "https://discord.com/a b",
            "https://discord.com/%2e%2e",
            "https://discord.com\\@evil.example",
        ] {
            assert_eq!(normalize(given), None, "{given}");
        }
    }
}
