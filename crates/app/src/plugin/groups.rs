//! Names of permission groups, as game servers write them.

use std::collections::BTreeSet;

use serde_json::Value;

/// Groups of one player.
pub(super) const MOST_GROUPS: usize = 64;
const NAME_CHARS: usize = 64;
/// Taking it from a player takes every group.
const ALL: &str = "*";

/// A group's name, trimmed and in small letters, as game servers keep it: they take `Admin` and `admin` for the same group.
/// Nothing when it is empty, too long or has control characters, and nothing for what game servers take for all groups.
pub(crate) fn name(text: &str) -> Option<String> {
    let name = text.trim().to_lowercase();
    let fits = !name.is_empty() && name.chars().count() <= NAME_CHARS && !name.chars().any(char::is_control);
    (fits && name != ALL).then_some(name)
}

/// A list given as `a,b` or as a JSON array, as the text of a JSON array.
pub(crate) fn parse_list(text: &str) -> Option<String> {
    let text = text.trim();
    if text.starts_with('[') {
        return from_json(&serde_json::from_str(text).ok()?);
    }
    let names: Vec<&str> = text
        .split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty())
        .collect();
    array(names.into_iter())
}

/// The text of a JSON array of names.
pub(super) fn from_json(value: &Value) -> Option<String> {
    let items = value.as_array()?;
    let names: Option<Vec<&str>> = items.iter().map(Value::as_str).collect();
    array(names?.into_iter())
}

/// Sorted, each once: the same groups are the same text, in whatever order a plugin lists them.
fn array<'a>(names: impl Iterator<Item = &'a str>) -> Option<String> {
    let names = names.filter(|name| name.trim() != ALL);
    let names: BTreeSet<String> = names.map(name).collect::<Option<_>>()?;
    let names: Vec<String> = names.into_iter().collect();
    (names.len() <= MOST_GROUPS).then(|| Value::from(names).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_spellings_of_a_list_are_the_same() {
        let both = Some(r#"["admin","vip"]"#);
        for text in ["vip, admin,,", r#"["vip","admin"]"#, "admin,VIP,admin,Admin"] {
            assert_eq!(parse_list(text).as_deref(), both, "{text}");
        }
        assert_eq!(parse_list("").as_deref(), Some("[]"));
    }

    #[test]
    fn what_stands_for_all_groups_is_none() {
        assert_eq!(name(" * "), None);
        assert_eq!(parse_list("vip,*").as_deref(), Some(r#"["vip"]"#));
    }

    #[test]
    fn what_is_no_list_of_names_is_refused() {
        for text in [
            r#"[1]"#,
            r#"[""]"#,
            "[",
            &"x".repeat(65),
            "a\u{7}b",
            &(0..65).map(|number| format!("g{number},")).collect::<String>(),
        ] {
            assert_eq!(parse_list(text), None, "{text}");
        }
    }
}
