//! What the program says of itself.

use domain::release::VERSION;

use super::shell::run_bare;

#[test]
fn version_names_the_release_and_the_commit() {
    let said = run_bare(&["--version"], &[]);
    assert_eq!(said.code, Some(0), "{said:?}");
    let line = said.out.trim_end();
    let built_from = line.strip_prefix(&format!("symbolon {VERSION} (")).expect(line);
    let is_known = built_from
        .strip_prefix("commit ")
        .is_some_and(|rest| rest.len() > 7);
    assert!(is_known || built_from == "unknown commit)", "{line}");
    assert!(built_from.ends_with(')') && said.err.is_empty(), "{said:?}");
}

#[test]
fn what_was_given_to_the_build_is_no_setting() {
    let left = [("SYMBOLON_BUILD_COMMIT", "0123456789ab")];
    let checked = run_bare(&["config", "check"], &left);
    assert_eq!(checked.code, Some(0), "{checked:?}");
    let mistyped = run_bare(&["config", "check"], &[("SYMBOLON_BULID_COMMIT", "x")]);
    assert_eq!(mistyped.code, Some(1), "{mistyped:?}");
}
