//! Every command explains itself.

use super::shell::run_bare;

/// The commands that a help page lists, with what it says about each.
fn listed(help: &str) -> Vec<(String, String)> {
    help.lines()
        .skip_while(|line| !line.starts_with("Commands:"))
        .skip(1)
        .take_while(|line| line.starts_with("  "))
        .filter(|line| !line.starts_with("     "))
        .filter_map(|line| line.trim().split_once(' '))
        .map(|(name, about)| (name.to_owned(), about.trim().to_owned()))
        .filter(|(name, _)| name != "help")
        .collect()
}

fn explain(path: &[&str], seen: &mut Vec<String>) {
    let ran = run_bare(&[path, &["--help"]].concat(), &[]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{path:?}");
    assert!(ran.out.contains("Usage: symbolon"), "{path:?}: {}", ran.out);
    let about = ran.out.lines().next().unwrap_or_default();
    assert!(about.split(' ').count() >= 3, "{path:?} says only {about:?}");
    seen.push(path.join(" "));
    for (name, about) in listed(&ran.out) {
        assert!(
            about.split(' ').count() >= 3,
            "{path:?} {name} is listed without an explanation"
        );
        explain(&[path, &[name.as_str()]].concat(), seen);
    }
}

#[test]
fn every_command_explains_itself() {
    let mut seen = Vec::new();
    explain(&[], &mut seen);
    for expected in [
        "serve",
        "init",
        "health",
        "migrate",
        "doctor",
        "config check",
        "config default",
        "admin create-org",
        "admin session",
    ] {
        assert!(
            seen.iter().any(|path| path == expected),
            "{expected} is missing in {seen:?}"
        );
    }
}
