//! The codes of failures, read from the document that explains them to people.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

const DOCUMENT: &str = include_str!("../../../../docs/api-errors.md");

/// One line of the table of codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Code {
    pub code: &'static str,
    pub status: u16,
    pub meaning: &'static str,
}

/// Every code that is explained.
pub fn codes() -> impl Iterator<Item = Code> {
    DOCUMENT.lines().filter_map(|line| {
        let mut cells = line.strip_prefix("| `")?.split('|').map(str::trim);
        let code = cells.next()?.trim_end_matches('`');
        let status = cells.next()?.parse().ok()?;
        Some(Code {
            code,
            status,
            meaning: cells.next()?,
        })
    })
}

/// The form of a failure: an object for programs, a page for people.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Object,
    Page,
}

/// The responses for these codes, one for each status.
pub fn responses(wanted: &[&str], form: Form) -> Map<String, Value> {
    let mut by_status: BTreeMap<u16, Vec<String>> = BTreeMap::new();
    for found in codes().filter(|found| wanted.contains(&found.code)) {
        let line = format!("`{}`: {}", found.code, found.meaning);
        by_status.entry(found.status).or_default().push(line);
    }
    let response = |(status, lines): (u16, Vec<String>)| {
        let content = match form {
            Form::Object => {
                json!({ "application/json": { "schema": { "$ref": "#/components/schemas/Failure" } } })
            }
            Form::Page => json!({ "text/html": { "schema": { "type": "string" } } }),
        };
        (
            status.to_string(),
            json!({ "description": lines.join("\n\n"), "content": content }),
        )
    };
    by_status.into_iter().map(response).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_codes_is_read() {
        let all: Vec<Code> = codes().collect();
        assert!(all.len() > 20);
        assert!(all.contains(&Code {
            code: "UNAUTHORIZED",
            status: 401,
            meaning: "The key is missing, malformed, repeated, unknown or has been regenerated."
        }));
    }

    #[test]
    fn codes_of_one_status_share_a_response() {
        let found = responses(&["KEY_REVOKED", "SERVER_INACTIVE", "UNAUTHORIZED"], Form::Object);
        assert_eq!(found.keys().collect::<Vec<_>>(), ["401", "403"]);
    }
}
