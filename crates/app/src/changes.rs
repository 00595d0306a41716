//! What a change did to settings, in the form that the audit log keeps: each field that differs, before and after.

use serde::Serialize;
use serde_json::{Map, Value, json};

/// Fields that differ. The audit log shows them side by side.
#[derive(Default)]
pub(crate) struct Changes(Map<String, Value>);

impl Changes {
    /// Takes a field in, unless it stayed the same.
    pub(crate) fn add<T: Serialize + PartialEq>(&mut self, field: &str, from: T, to: T) {
        if from != to {
            self.0.insert(field.to_owned(), json!({ "from": from, "to": to }));
        }
    }

    /// Whether everything stayed as it was.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The detail of the entry.
    pub(crate) fn into_detail(self) -> Value {
        self.0.into()
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn only_what_differs_is_told_before_and_after() {
        let mut changes = Changes::default();
        changes.add("name", "EU", "EU");
        assert!(changes.is_empty());
        changes.add("name", "EU", "EU Main");
        changes.add("group", None, Some(7));
        assert_eq!(
            changes.into_detail(),
            json!({ "name": { "from": "EU", "to": "EU Main" }, "group": { "from": null, "to": 7 } })
        );
    }

    fn fields_written_in(folder: &Path) -> Vec<String> {
        let mut fields = Vec::new();
        for entry in folder.read_dir().unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                fields.extend(fields_written_in(&path));
            } else if path != folder.join("changes.rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                let calls = text.split("changes.add(").skip(1);
                fields.extend(calls.filter_map(|call| Some(call.split('"').nth(1)?.to_owned())));
            }
        }
        fields
    }

    #[test]
    fn the_dashboard_has_a_label_for_every_field_that_is_written_down() {
        let labels = include_str!("../../../ui/src/features/records/audit/changes.ts");
        let fields = fields_written_in(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
        assert!(
            fields.len() > 15 && fields.iter().any(|field| field == "accent"),
            "{fields:?}"
        );
        for field in fields {
            assert!(
                labels.contains(&format!("\n  {field}: '")),
                "{field} has no label"
            );
        }
    }
}
