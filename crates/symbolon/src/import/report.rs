//! What a run did or would do.

use app::import::files::{Gathered, Place};
use serde_json::{Value, json};

use crate::output::say;

/// Outcome of one table.
#[derive(Debug, Default)]
pub struct Outcome {
    pub added: u64,
    pub known: u64,
    pub refused: Vec<(Place, String)>,
}

#[derive(Debug)]
pub struct Report {
    pub dry_run: bool,
    pub users: (Gathered, Outcome),
    pub removed: (Gathered, Outcome),
    pub boosters: usize,
    pub groups: usize,
}

impl Report {
    fn tables(&self) -> [(&'static str, &Gathered, &Outcome); 2] {
        [
            ("users", &self.users.0, &self.users.1),
            ("removed", &self.removed.0, &self.removed.1),
        ]
    }

    pub fn show(&self, as_json: bool) {
        if as_json {
            return say(self.json().to_string());
        }
        for (name, gathered, outcome) in self.tables() {
            self.show_table(name, gathered, outcome);
        }
        say(format!(
            "{} boosters and the groups of {} players {}",
            self.boosters,
            self.groups,
            self.verb("would be imported", "were imported")
        ));
        if self.dry_run {
            say("This was a dry run; nothing was written. Run it again with --apply to import.");
        }
    }

    fn verb(&self, planned: &'static str, done: &'static str) -> &'static str {
        if self.dry_run { planned } else { done }
    }

    fn show_table(&self, name: &str, gathered: &Gathered, outcome: &Outcome) {
        say(format!(
            "{name}: {} rows read, {} {}, {} already known, {} refused",
            gathered.read,
            outcome.added,
            self.verb("would be added", "added"),
            outcome.known,
            outcome.refused.len()
        ));
        let list = |what: &str, items: Vec<String>| {
            if !items.is_empty() {
                say(format!("  {what}: {}", items.join(", ")));
            }
        };
        list("columns read", gathered.used.iter().cloned().collect());
        list("columns ignored", gathered.ignored.iter().cloned().collect());
        list("details left out", gathered.left_out.in_words());
        for (place, reason) in &outcome.refused {
            say(format!("  row {} (line {}): {reason}", place.row, place.line));
        }
    }

    fn json(&self) -> Value {
        let table = |gathered: &Gathered, outcome: &Outcome| {
            let refused = outcome
                .refused
                .iter()
                .map(|(place, reason)| json!({ "row": place.row, "line": place.line, "reason": reason }));
            json!({
                "read": gathered.read,
                "added": outcome.added,
                "known": outcome.known,
                "refused": refused.collect::<Vec<_>>(),
                "columns_read": gathered.used,
                "columns_ignored": gathered.ignored,
                "left_out": gathered.left_out.in_words(),
            })
        };
        json!({
            "dry_run": self.dry_run,
            "users": table(&self.users.0, &self.users.1),
            "removed": table(&self.removed.0, &self.removed.1),
            "boosters": self.boosters,
            "groups": self.groups,
        })
    }
}
