//! Builds of the plugin for game servers: how versions are written, and which one is the latest.

use std::fmt;

/// The largest build that is published.
pub const MOST_BYTES: usize = 16 * 1024 * 1024;
const FILE_NAME_CHARS: usize = 64;

/// `v1.2.3`; a later one is greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PluginVersion {
    major: u32,
    minor: u32,
    patch: u32,
}

impl PluginVersion {
    /// Reads the one way in which a version is written.
    pub fn parse(text: &str) -> Option<Self> {
        Self::parse_bare(text.strip_prefix('v')?)
    }

    /// The same without the `v`, as plugins write it.
    pub fn parse_bare(text: &str) -> Option<Self> {
        let mut parts = text.split('.').map(number);
        let version = Self {
            major: parts.next()??,
            minor: parts.next()??,
            patch: parts.next()??,
        };
        parts.next().is_none().then_some(version)
    }
}

/// Digits without a sign and without zeros in front, so that one version is not written in two ways.
fn number(text: &str) -> Option<u32> {
    let is_plain = !text.is_empty()
        && text.bytes().all(|byte| byte.is_ascii_digit())
        && (text.len() == 1 || !text.starts_with('0'));
    text.parse().ok().filter(|_| is_plain)
}

impl fmt::Display for PluginVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "v{}.{}.{}", self.major, self.minor, self.patch)
    }
}

/// Whether a file may be called so: it is shown in a header, and stored by whoever downloads it.
pub fn is_file_name(name: &str) -> bool {
    name.len() <= FILE_NAME_CHARS
        && name.starts_with(|first: char| first.is_ascii_alphanumeric())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'))
}

/// A build as it was published. It stays as it is; only whether it is offered may change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Build {
    /// Stands for these bytes for ever.
    pub version: PluginVersion,
    /// Of its file, in hex.
    pub sha256: String,
    /// Of its file, in bytes.
    pub size: u64,
    /// When it was published.
    pub published_at_ms: i64,
    /// What its file is called.
    pub file_name: String,
    /// Not offered any more; whoever names the version still gets it.
    pub is_withdrawn: bool,
}

/// The build that is offered: the highest version that was not withdrawn.
pub fn latest(builds: &[Build]) -> Option<&Build> {
    builds
        .iter()
        .filter(|build| !build.is_withdrawn)
        .max_by_key(|build| build.version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_written_in_one_way() {
        let version = PluginVersion::parse("v1.20.3").unwrap();
        assert_eq!(version.to_string(), "v1.20.3");
        assert_eq!(PluginVersion::parse_bare("1.20.3"), Some(version));
        for odd in [
            "",
            "v",
            "1.2.3",
            "v1.2",
            "v1.2.3.4",
            "v1.2.",
            "v01.2.3",
            "v1.2.03",
            "v1.2.3 ",
            " v1.2.3",
            "v1.2.+3",
            "v1.2.-3",
            "V1.2.3",
            "v1.2.3-beta",
            "v1.2.4294967296",
            "v1.2.٣",
            "v1.2.3\0",
            "v../../x",
            "v1.2.3/..",
        ] {
            assert_eq!(PluginVersion::parse(odd), None, "{odd:?}");
        }
    }

    #[test]
    fn later_versions_are_greater() {
        let versions = ["v0.9.9", "v1.0.0", "v1.0.1", "v1.9.0", "v1.10.0", "v10.0.0"];
        let parsed: Vec<_> = versions.iter().map(|text| PluginVersion::parse(text)).collect();
        assert!(parsed.is_sorted() && parsed.iter().all(Option::is_some));
    }

    #[test]
    fn a_file_name_leads_nowhere_else() {
        for fine in ["Symbolon.cs", "symbolon-1.2.3.zip"] {
            assert!(is_file_name(fine), "{fine}");
        }
        let long = "x".repeat(65);
        for odd in [
            "", ".", "..", ".cs", "-x", "a/b", "a\\b", "a\"b", "a b", "a\r\nb", "é.cs", &long,
        ] {
            assert!(!is_file_name(odd), "{odd:?}");
        }
    }

    #[test]
    fn what_was_withdrawn_is_not_the_latest() {
        let build = |version: &str, is_withdrawn| Build {
            version: PluginVersion::parse(version).unwrap(),
            sha256: String::new(),
            size: 1,
            published_at_ms: 0,
            file_name: "Symbolon.cs".to_owned(),
            is_withdrawn,
        };
        let builds = [
            build("v1.9.0", false),
            build("v1.10.0", false),
            build("v2.0.0", true),
        ];
        assert_eq!(
            latest(&builds).map(|build| build.version),
            PluginVersion::parse("v1.10.0")
        );
        assert_eq!(latest(&builds[2..]), None);
    }
}
