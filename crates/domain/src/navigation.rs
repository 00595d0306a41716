//! Buttons that an organisation adds to its link page.

use unicode_normalization::UnicodeNormalization;
use url::Url;

use crate::name::{breaks_line, changes_direction, is_invisible};
use crate::words::words;

const LABEL_MAX: usize = 24;
const URL_MAX_BYTES: usize = 2_048;

words! {
    /// The picture of a button. Rows from before there were pictures have none.
    pub enum Icon {
        None = "none",
        Discord = "discord",
        Steam = "steam",
        Youtube = "youtube",
        X = "x",
        Twitch = "twitch",
        Github = "github",
        Shop = "shop",
        Forum = "forum",
        News = "news",
        Download = "download",
        Globe = "globe",
        External = "external",
    }
}

/// Why a label or an address was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NavigationError {
    #[error("a label needs at least one visible character")]
    BlankLabel,
    #[error("a label has at most 24 characters; this one has {found}")]
    LongLabel { found: usize },
    #[error("a label is a single line without control characters or characters that change text direction")]
    UnfitLabel,
    #[error("a URL starts with http:// or https:// and names a host")]
    NoAddress,
    #[error("a URL has at most 2,048 bytes")]
    LongAddress,
    #[error("a URL cannot contain a user name or password")]
    Credentials,
}

/// What a button says: composed, trimmed, 1 to 24 characters, one line.
pub fn label(text: &str) -> Result<String, NavigationError> {
    let label: String = text.trim().nfc().collect();
    if label.chars().all(is_invisible) {
        return Err(NavigationError::BlankLabel);
    }
    if label.chars().any(|c| breaks_line(c) || changes_direction(c)) {
        return Err(NavigationError::UnfitLabel);
    }
    match label.chars().count() {
        found if found > LABEL_MAX => Err(NavigationError::LongLabel { found }),
        _ => Ok(label),
    }
}

/// Where a button leads, in the one spelling that browsers use. Only the web: nothing that runs, nothing that hides its host.
pub fn address(text: &str) -> Result<String, NavigationError> {
    let text = text.trim();
    if text.len() > URL_MAX_BYTES {
        return Err(NavigationError::LongAddress);
    }
    let lower = text.to_ascii_lowercase();
    // The parser forgives backslashes, missing slashes and control characters; whoever reads the row would not see it.
    let plain = (lower.starts_with("http://") || lower.starts_with("https://"))
        && !text.contains('\\')
        && !text
            .chars()
            .any(|c| c.is_control() || c.is_whitespace() || changes_direction(c));
    let url = Url::parse(text).map_err(|_| NavigationError::NoAddress)?;
    if !plain || url.host_str().is_none_or(str::is_empty) {
        return Err(NavigationError::NoAddress);
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(NavigationError::Credentials);
    }
    let spelled = String::from(url);
    if spelled.len() > URL_MAX_BYTES {
        return Err(NavigationError::LongAddress);
    }
    Ok(spelled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_come_back_in_one_spelling() {
        for (given, kept) in [
            (" https://Example.COM ", "https://example.com/"),
            ("HTTP://example.com:80/a/../b?q#f", "http://example.com/b?q#f"),
            ("https://bücher.example/", "https://xn--bcher-kva.example/"),
            ("https://example.com/a%20b", "https://example.com/a%20b"),
        ] {
            assert_eq!(address(given).as_deref(), Ok(kept));
            assert_eq!(address(kept).as_deref(), Ok(kept));
        }
    }

    #[test]
    fn only_plain_web_addresses_pass() {
        for bad in [
            "",
            "example.com",
            "//example.com",
            "javascript:alert(1)",
            "JaVaScRiPt://example.com/%0aalert(1)",
            "data:text/html,x",
            "ftp://example.com/",
            "https:example.com",
            "https:/example.com",
            "https:\\\\evil.example",
            "https://",
            "https://exa\tmple.com",
            "https://example.com/a b",
            "https://example.com/\u{202e}gpj",
            "\u{1}https://example.com",
        ] {
            assert_eq!(address(bad), Err(NavigationError::NoAddress), "{bad}");
        }
        for bad in [
            "https://discord.com@evil.example/",
            "https://a:b@example.com",
            "https://:b@example.com",
        ] {
            assert_eq!(address(bad), Err(NavigationError::Credentials), "{bad}");
        }
        let long = format!("https://example.com/{}", "a".repeat(2_048));
        assert_eq!(address(&long), Err(NavigationError::LongAddress));
        let grows = format!("https://example.com/{}", "ü".repeat(1_000));
        assert_eq!(address(&grows), Err(NavigationError::LongAddress));
    }

    #[test]
    fn labels_are_counted_as_people_count_them() {
        assert_eq!(label(" Shop ").as_deref(), Ok("Shop"));
        assert_eq!(label(&"e\u{301}".repeat(24)), Ok("é".repeat(24)));
        assert_eq!(
            label(&"é".repeat(25)),
            Err(NavigationError::LongLabel { found: 25 })
        );
        for blank in ["", "  ", "\u{200b}"] {
            assert_eq!(label(blank), Err(NavigationError::BlankLabel));
        }
        for unfit in ["a\nb", "a\u{202e}b", "a\u{7}b"] {
            assert_eq!(label(unfit), Err(NavigationError::UnfitLabel));
        }
    }

    #[test]
    fn there_are_twelve_pictures_and_none() {
        assert_eq!(Icon::ALL.len(), 13);
        assert_eq!(Icon::parse("none"), Some(Icon::None));
    }
}
