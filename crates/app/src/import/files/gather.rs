//! Everything that can be said about the rows of a file before it is known what their Guild holds.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::io::Read;
use std::rc::Rc;

use jiff::tz::Offset;

use super::columns::{Chosen, Mapping, Table};
use super::csv::Csv;
use super::mysql::Dump;
use super::rows::{LeftOut, RowReader};
use super::source::ReadError;
use super::table::RawRow;
use crate::import::ImportRow;

/// Where a row stands: the how-maniest of its table, and the line it begins in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Counted from 1.
    pub row: u64,
    /// Counted from 1.
    pub line: u64,
}

/// One of the two tables, read and checked as far as that is possible without the Guild.
#[derive(Debug, Default)]
pub struct Gathered {
    /// Rows, good and bad.
    pub read: u64,
    /// Those that can be decided on.
    pub rows: Vec<(Place, ImportRow)>,
    /// Those that cannot, with the reason.
    pub refused: Vec<(Place, String)>,
    /// `field: column`.
    pub used: BTreeSet<String>,
    /// Columns that nothing was taken from.
    pub ignored: BTreeSet<String>,
    /// Of rows that were taken all the same.
    pub left_out: LeftOut,
}

/// Why nothing is taken from a file. What to do about it, the caller knows.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum FileError {
    /// It is not what it is said to be.
    #[error(transparent)]
    Broken(#[from] ReadError),
    /// One of the two ids is nowhere.
    #[error("no column holds the {}; there are {columns}", field.replace('_', " "))]
    NoColumn {
        /// What is missing.
        field: &'static str,
        /// What there is.
        columns: String,
    },
    /// Neither of the two tables is in the dump.
    #[error("it has no table {wanted}; it has: {seen}")]
    NoTable {
        /// What is missing.
        wanted: String,
        /// What there is.
        seen: String,
    },
    /// More than are held at a time.
    #[error("more than {most} rows; split the file")]
    TooManyRows {
        /// That many are allowed.
        most: u64,
    },
}

/// How files are read.
pub struct Reading {
    /// Columns that somebody named.
    pub chosen: Vec<Chosen>,
    /// Of times that name no zone themselves.
    pub offset: Offset,
    /// Rows of one table that are held in memory, so that nothing is written before all were read.
    pub most_rows: u64,
}

/// The columns of the rows that are being read; they rarely change.
struct Layout {
    columns: Rc<[String]>,
    mapping: Mapping,
}

impl Reading {
    /// Reads the rows of a CSV file with a header.
    pub fn csv(&self, reader: impl Read, table: Table, into: &mut Gathered) -> Result<(), FileError> {
        let mut csv = Csv::open(reader)?;
        let mut layout = Some(self.layout(table, csv.columns(), into)?);
        while let Some(row) = csv.next_row()? {
            self.take(table, &row, &mut layout, into)?;
        }
        Ok(())
    }

    /// Reads the rows of the two tables that are called so in a MySQL dump.
    pub fn dump(
        &self,
        reader: impl Read,
        wanted: [&str; 2],
        into: [&mut Gathered; 2],
    ) -> Result<(), FileError> {
        let tables = [Table::Users, Table::Removed];
        let mut dump = Dump::open(reader, &wanted);
        let mut layouts = [None, None];
        while let Some((which, row)) = dump.next_row()? {
            self.take(tables[which], &row, &mut layouts[which], into[which])?;
        }
        let is_there = |wanted: &str| dump.seen().iter().any(|seen| seen.eq_ignore_ascii_case(wanted));
        if wanted.into_iter().any(is_there) {
            return Ok(());
        }
        let seen: Vec<&str> = dump.seen().iter().map(String::as_str).collect();
        Err(FileError::NoTable {
            wanted: wanted.join(" or "),
            seen: seen.join(", "),
        })
    }

    fn layout(&self, table: Table, columns: &Rc<[String]>, into: &mut Gathered) -> Result<Layout, FileError> {
        let mapping = Mapping::find(table, columns, &self.chosen)?;
        let used = mapping.used(columns).into_iter();
        into.used
            .extend(used.map(|(field, column)| format!("{field}: {column}")));
        into.ignored.extend(mapping.ignored.iter().cloned());
        Ok(Layout {
            columns: Rc::clone(columns),
            mapping,
        })
    }

    fn take(
        &self,
        table: Table,
        row: &RawRow,
        layout: &mut Option<Layout>,
        into: &mut Gathered,
    ) -> Result<(), FileError> {
        into.read += 1;
        if into.read > self.most_rows {
            return Err(FileError::TooManyRows { most: self.most_rows });
        }
        let fresh = layout
            .as_ref()
            .is_none_or(|known| !Rc::ptr_eq(&known.columns, &row.columns));
        if fresh {
            *layout = Some(self.layout(table, &row.columns, into)?);
        }
        let Some(layout) = layout else {
            return Ok(());
        };
        let place = Place {
            row: into.read,
            line: row.line,
        };
        let mut reader = RowReader {
            table,
            mapping: &layout.mapping,
            offset: self.offset,
            left_out: &mut into.left_out,
        };
        match reader.read(row) {
            Ok(read) => into.rows.push((place, read)),
            Err(reason) => into.refused.push((place, reason)),
        }
        Ok(())
    }
}

impl Gathered {
    /// Refuses every row whose id also stands in a row with another partner: which of them is right cannot be told.
    pub fn refuse_contradictions(&mut self) {
        let mut first_discord: HashMap<&str, usize> = HashMap::new();
        let mut first_steam: HashMap<&str, usize> = HashMap::new();
        let mut reasons: Vec<Option<String>> = vec![None; self.rows.len()];
        for (index, (place, row)) in self.rows.iter().enumerate() {
            let earlier = [
                (
                    "Discord",
                    *first_discord.entry(row.discord_id.as_str()).or_insert(index),
                ),
                (
                    "Steam",
                    *first_steam.entry(row.steam_id.as_str()).or_insert(index),
                ),
            ];
            for (what, other) in earlier.into_iter().filter(|(_, other)| *other != index) {
                let (other_place, other_row) = &self.rows[other];
                if (&other_row.discord_id, &other_row.steam_id) == (&row.discord_id, &row.steam_id) {
                    reasons[index].get_or_insert_with(|| format!("it repeats row {}", other_place.row));
                    continue;
                }
                let contradiction =
                    |row: u64| format!("its {what} ID is also in row {row}, linked to another account");
                reasons[index].get_or_insert_with(|| contradiction(other_place.row));
                reasons[other].get_or_insert_with(|| contradiction(place.row));
            }
        }
        self.refuse(reasons);
    }

    /// History may name a person often; only the same end twice is one too many.
    pub fn drop_repetitions(&mut self) {
        let mut known: HashSet<(&str, &str, Option<i64>)> = HashSet::new();
        let mut reasons = Vec::with_capacity(self.rows.len());
        for (_, row) in &self.rows {
            let ended = row.ended.as_ref().and_then(|ended| ended.at_ms);
            let new = known.insert((row.discord_id.as_str(), row.steam_id.as_str(), ended));
            reasons.push((!new).then(|| "it repeats an earlier row".to_owned()));
        }
        self.refuse(reasons);
    }

    fn refuse(&mut self, reasons: Vec<Option<String>>) {
        let rows = std::mem::take(&mut self.rows);
        for ((place, row), reason) in rows.into_iter().zip(reasons) {
            match reason {
                Some(reason) => self.refused.push((place, reason)),
                None => self.rows.push((place, row)),
            }
        }
    }
}
