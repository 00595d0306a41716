//! Which release this is, and which commit it was built from, and when that was made.

use std::sync::LazyLock;

use domain::release::VERSION;

/// Given by whoever builds without git, such as an image; else what git said.
const COMMIT: Option<&str> = match option_env!("SYMBOLON_BUILD_COMMIT") {
    Some(given) => Some(given),
    None => option_env!("SYMBOLON_BUILD_GIT_COMMIT"),
};

/// The day of that commit, as `2026-11-19`.
const DATE: Option<&str> = option_env!("SYMBOLON_BUILD_GIT_DATE");

/// `v3.24.0 (commit 0123456789ab of 2026-11-19)`.
pub static LONG: LazyLock<String> = LazyLock::new(|| long(commit(), DATE));

/// The commit, or `unknown`.
pub fn commit() -> &'static str {
    let plain = |commit: &&str| !commit.is_empty() && commit.bytes().all(|sign| sign.is_ascii_alphanumeric());
    COMMIT.filter(plain).unwrap_or("unknown")
}

fn long(commit: &str, date: Option<&str>) -> String {
    match (commit, date) {
        ("unknown", _) => format!("{VERSION} (unknown commit)"),
        (known, Some(date)) => format!("{VERSION} (commit {known} of {date})"),
        (known, None) => format!("{VERSION} (commit {known})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_without_git_says_that_its_commit_is_unknown() {
        assert_eq!(long("unknown", None), format!("{VERSION} (unknown commit)"));
        assert_eq!(
            long("0123456789ab", Some("2026-11-19")),
            format!("{VERSION} (commit 0123456789ab of 2026-11-19)")
        );
    }
}
