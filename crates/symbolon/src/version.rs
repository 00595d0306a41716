//! Which release this is, and which commit it was built from.

use std::sync::LazyLock;

use domain::release::VERSION;

/// Given by whoever builds without git, such as an image; else what git said.
const COMMIT: Option<&str> = match option_env!("SYMBOLON_BUILD_COMMIT") {
    Some(given) => Some(given),
    None => option_env!("SYMBOLON_GIT_COMMIT"),
};

/// `v3.24.0 (commit 0123456789ab)`.
pub static LONG: LazyLock<String> = LazyLock::new(|| long(commit()));

/// The commit, or `unknown`.
pub fn commit() -> &'static str {
    let plain = |commit: &&str| !commit.is_empty() && commit.bytes().all(|sign| sign.is_ascii_alphanumeric());
    COMMIT.filter(plain).unwrap_or("unknown")
}

fn long(commit: &str) -> String {
    match commit {
        "unknown" => format!("{VERSION} (unknown commit)"),
        known => format!("{VERSION} (commit {known})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_without_git_says_that_its_commit_is_unknown() {
        assert_eq!(long("unknown"), format!("{VERSION} (unknown commit)"));
        assert_eq!(long("0123456789ab"), format!("{VERSION} (commit 0123456789ab)"));
    }
}
