//! Everything that can be said about the files before the service is asked.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs::File;
use std::path::Path;
use std::rc::Rc;

use app::import::ImportRow;
use jiff::tz::Offset;

use super::ImportOptions;
use super::columns::{Chosen, Mapping, Table};
use super::csv::Csv;
use super::mysql::Dump;
use super::rows::{LeftOut, RowReader, parse_offset};
use super::source::ReadError;
use super::table::RawRow;
use crate::output::Failure;

/// Rows that one run takes: all of them are held in memory, so that nothing is written before all were read.
const MOST_ROWS: usize = 500_000;

/// Where a row stands: the how-maniest of its table, and the line it begins in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    pub row: u64,
    pub line: u64,
}

/// One of the two tables, read and checked as far as that is possible without the service.
#[derive(Debug, Default)]
pub struct Gathered {
    pub read: u64,
    pub rows: Vec<(Place, ImportRow)>,
    pub refused: Vec<(Place, String)>,
    /// `field: column`, and columns that nothing was taken from.
    pub used: BTreeSet<String>,
    pub ignored: BTreeSet<String>,
    pub left_out: LeftOut,
}

/// Reads the files of the options.
pub fn gather(options: &ImportOptions) -> Result<(Gathered, Gathered), Failure> {
    let chosen = options.column.iter().map(|text| Chosen::parse(text));
    let reading = Reading {
        chosen: chosen.collect::<Result<_, _>>()?,
        offset: parse_offset(&options.utc_offset).map_err(|problem| format!("--utc-offset: {problem}"))?,
    };
    let (mut users, mut removed) = (Gathered::default(), Gathered::default());
    if let Some(path) = &options.dump {
        reading.dump(path, options, [&mut users, &mut removed])?;
    }
    if let Some(path) = &options.users_csv {
        reading.csv(path, Table::Users, &mut users)?;
    }
    if let Some(path) = &options.removed_csv {
        reading.csv(path, Table::Removed, &mut removed)?;
    }
    users.refuse_contradictions();
    removed.drop_repetitions();
    Ok((users, removed))
}

struct Reading {
    chosen: Vec<Chosen>,
    offset: Offset,
}

/// The columns of the rows that are being read; they rarely change.
struct Layout {
    columns: Rc<[String]>,
    mapping: Mapping,
}

impl Reading {
    fn csv(&self, path: &Path, table: Table, into: &mut Gathered) -> Result<(), Failure> {
        let named = |problem: String| in_file(path, problem);
        let broken = |error: ReadError| in_file(path, error);
        let mut csv = Csv::open(open(path)?).map_err(broken)?;
        let mut layout = Some(self.layout(table, csv.columns(), into).map_err(named)?);
        while let Some(row) = csv.next_row().map_err(broken)? {
            self.take(table, &row, &mut layout, into).map_err(named)?;
        }
        Ok(())
    }

    fn dump(&self, path: &Path, options: &ImportOptions, into: [&mut Gathered; 2]) -> Result<(), Failure> {
        let named = |problem: String| in_file(path, problem);
        let broken = |error: ReadError| in_file(path, error);
        let tables = [Table::Users, Table::Removed];
        let wanted = [options.users_table.as_str(), options.removed_table.as_str()];
        let mut dump = Dump::open(open(path)?, &wanted);
        let mut layouts = [None, None];
        while let Some((which, row)) = dump.next_row().map_err(broken)? {
            self.take(tables[which], &row, &mut layouts[which], into[which])
                .map_err(named)?;
        }
        let is_there = |wanted: &str| dump.seen().iter().any(|seen| seen.eq_ignore_ascii_case(wanted));
        if wanted.into_iter().any(is_there) {
            return Ok(());
        }
        let seen: Vec<&str> = dump.seen().iter().map(String::as_str).collect();
        Err(named(format!(
            "it has no table {} or {}; it has: {}. Choose with --users-table and --removed-table",
            wanted[0],
            wanted[1],
            seen.join(", ")
        )))
    }

    fn layout(&self, table: Table, columns: &Rc<[String]>, into: &mut Gathered) -> Result<Layout, String> {
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
    ) -> Result<(), String> {
        into.read += 1;
        if into.read > MOST_ROWS as u64 {
            return Err(format!("more than {MOST_ROWS} rows; split the file"));
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
    fn refuse_contradictions(&mut self) {
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
    fn drop_repetitions(&mut self) {
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

fn open(path: &Path) -> Result<File, Failure> {
    File::open(path).map_err(|error| format!("cannot open {}: {error}", path.display()).into())
}

/// What is wrong with a file, behind its name.
fn in_file(path: &Path, problem: impl std::fmt::Display) -> Failure {
    Failure::from(format!("{}: {problem}", path.display()))
}
