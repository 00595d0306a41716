//! Finds the commit that the program is built from. It is asked for here and nowhere else, so that a commit rebuilds this
//! crate alone.

use std::path::PathBuf;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let Some(log) = git(&["rev-parse", "--git-path", "logs/HEAD"]).map(PathBuf::from) else {
        return;
    };
    // A file that is missing would be looked for, and the crate built, again and again.
    if log.exists() {
        println!("cargo::rerun-if-changed={}", log.display());
    }
    if let Some(commit) = git(&["rev-parse", "--short=12", "HEAD"]) {
        println!("cargo::rustc-env=SYMBOLON_BUILD_GIT_COMMIT={commit}");
    }
    if let Some(date) = git(&["show", "--no-patch", "--format=%cs", "HEAD"]) {
        println!("cargo::rustc-env=SYMBOLON_BUILD_GIT_DATE={date}");
    }
}

/// The one line that git answers, unless it fails or is not there.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let line = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (output.status.success() && !line.is_empty()).then_some(line)
}
