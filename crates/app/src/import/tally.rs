//! What came of the rows of a file, in numbers. None of it names anybody.

use serde::{Deserialize, Serialize};

/// Reasons that are told apart.
const MOST_REASONS: usize = 30;
/// Rows that are named for each reason.
const FIRST_ROWS: usize = 5;
/// For rows beyond the reasons that are told apart.
const OTHER: &str = "other reasons";

/// Where a row stands in its file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowPlace {
    /// `users` or `removed`.
    pub table: String,
    /// The how-maniest of its table.
    pub row: i64,
    /// Of the file.
    pub line: i64,
}

/// Rows that were refused for the same reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reason {
    /// In words.
    pub reason: String,
    /// How many.
    pub rows: i64,
    /// Some of them.
    pub first: Vec<RowPlace>,
}

/// What came of rows, or would.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Tally {
    /// Links that were made.
    pub links: i64,
    /// Ended links that were added to the history.
    pub history: i64,
    /// There already.
    pub known: i64,
    /// Not taken over.
    pub refused: i64,
    /// Boosters among the links.
    pub boosters: i64,
    /// Players among the links whose groups were stored.
    pub groups: i64,
    /// Why rows were refused, the most common reason first.
    pub reasons: Vec<Reason>,
}

/// What was found in a file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct About {
    /// `field: column`.
    pub columns_read: Vec<String>,
    /// Columns that nothing is taken from.
    pub columns_ignored: Vec<String>,
    /// Details that were left out of rows, in words.
    pub left_out: Vec<String>,
    /// What was refused for its form.
    pub tally: Tally,
}

impl Tally {
    /// Counts a row that is refused.
    pub fn refuse(&mut self, reason: &str, place: RowPlace) {
        self.refused += 1;
        let reason = without_numbers(reason);
        let is_new = !self.reasons.iter().any(|known| known.reason == reason);
        let reason = if is_new && self.reasons.len() >= MOST_REASONS - 1 {
            OTHER.to_owned()
        } else {
            reason
        };
        let at = self.reasons.iter().position(|known| known.reason == reason);
        let at = at.unwrap_or_else(|| {
            self.reasons.push(Reason {
                reason,
                rows: 0,
                first: Vec::new(),
            });
            self.reasons.len() - 1
        });
        let counted = &mut self.reasons[at];
        counted.rows += 1;
        if counted.first.len() < FIRST_ROWS {
            counted.first.push(place);
        }
    }

    /// Whether there is anything that was written.
    pub fn has_written(&self) -> bool {
        self.links + self.history > 0
    }

    /// As it is stored.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// As it was stored; nothing where it is of another version.
    pub fn from_json(text: &str) -> Self {
        serde_json::from_str(text).unwrap_or_default()
    }
}

impl About {
    /// As it is stored.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// As it was stored; nothing where it is of another version.
    pub fn from_json(text: &str) -> Self {
        serde_json::from_str(text).unwrap_or_default()
    }
}

/// A reason that names another row is the same reason for every other row.
fn without_numbers(reason: &str) -> String {
    let Some((before, after)) = reason.split_once("row ") else {
        return reason.to_owned();
    };
    let rest = after.trim_start_matches(|character: char| character.is_ascii_digit());
    if rest.len() == after.len() {
        return reason.to_owned();
    }
    [before, "another row", rest].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(row: i64) -> RowPlace {
        RowPlace {
            table: "users".to_owned(),
            row,
            line: row + 1,
        }
    }

    #[test]
    fn rows_that_contradict_each_other_have_one_reason() {
        let mut tally = Tally::default();
        for row in 1..=9 {
            let reason = format!("its Steam ID is also in row {row}, linked to another account");
            tally.refuse(&reason, place(row));
        }
        tally.refuse("its time cannot be read", place(10));
        assert_eq!((tally.refused, tally.reasons.len()), (10, 2));
        let first = &tally.reasons[0];
        assert_eq!(
            first.reason,
            "its Steam ID is also in another row, linked to another account"
        );
        assert_eq!((first.rows, first.first.len()), (9, FIRST_ROWS));
        assert_eq!(Tally::from_json(&tally.to_json()), tally);
    }

    #[test]
    fn however_many_reasons_there_are_some_are_told_apart_and_all_rows_are_counted() {
        let mut tally = Tally::default();
        for row in 0..200 {
            tally.refuse(&format!("it has {row} values for 7 columns"), place(row));
        }
        assert_eq!((tally.refused, tally.reasons.len()), (200, MOST_REASONS));
        assert_eq!(tally.reasons.iter().map(|reason| reason.rows).sum::<i64>(), 200);
    }
}
