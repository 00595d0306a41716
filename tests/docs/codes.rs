//! The codes of failures: each has one row in the code and one line in the document.

use std::collections::BTreeSet;
use std::path::Path;

/// Code and status of every row, as the files of the areas spell them.
fn rows() -> Vec<(String, u16)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../app/src/error");
    let mut rows = Vec::new();
    for file in std::fs::read_dir(folder).expect("the folder of failures") {
        let source = std::fs::read_to_string(file.expect("a file").path()).expect("its text");
        for row in source.split("ErrorAnswer::new(").skip(1) {
            let (status, rest) = row.split_once(',').expect("a status");
            let code = rest.split('"').nth(1).expect("a code");
            rows.push((code.to_owned(), status.trim().parse().expect("a number")));
        }
    }
    rows
}

#[test]
fn every_code_of_a_failure_is_explained_with_its_status_and_no_other_is() {
    let known: BTreeSet<(String, u16)> = rows().into_iter().collect();
    let told: BTreeSet<(String, u16)> = web::openapi::codes()
        .map(|code| (code.code.to_owned(), code.status))
        .collect();
    assert_eq!(known, told);
}

#[test]
fn no_two_failures_share_a_code_but_a_wrong_field_and_one_of_a_row() {
    let mut seen = BTreeSet::new();
    let mut shared: Vec<String> = rows().into_iter().map(|(code, _)| code).collect();
    shared.retain(|code| !seen.insert(code.clone()));
    assert_eq!(shared, ["INVALID_PARAMETER"]);
    assert_eq!(web::openapi::codes().count(), seen.len(), "a line for each");
}

#[test]
fn the_documents_of_actions_name_codes_that_exist() {
    let known: BTreeSet<String> = rows().into_iter().map(|(code, _)| code).collect();
    let of_actions = domain::action_docs::docs().flat_map(domain::action_docs::ActionDoc::failures);
    for code in domain::action_docs::COMMON_FAILURES.into_iter().chain(of_actions) {
        assert!(known.contains(code), "{code}");
    }
}
