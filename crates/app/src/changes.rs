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
}
