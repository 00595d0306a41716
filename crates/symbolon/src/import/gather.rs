//! Reads the files of the options.

use std::fs::File;
use std::path::Path;

use app::import::files::{Chosen, FileError, Gathered, Reading, Table, parse_offset};

use super::ImportOptions;
use crate::output::Failure;

/// Rows of one table that a run takes: all of them are held in memory.
const MOST_ROWS: u64 = 500_000;

/// Both tables, as far as there are files for them.
pub fn gather(options: &ImportOptions) -> Result<(Gathered, Gathered), Failure> {
    let chosen = options.column.iter().map(|text| Chosen::parse(text));
    let reading = Reading {
        chosen: chosen.collect::<Result<_, _>>()?,
        offset: parse_offset(&options.utc_offset).map_err(|problem| format!("--utc-offset: {problem}"))?,
        most_rows: MOST_ROWS,
    };
    let (mut users, mut removed) = (Gathered::default(), Gathered::default());
    if let Some(path) = &options.dump {
        let names = [options.users_table.as_str(), options.removed_table.as_str()];
        let read = reading.dump(open(path)?, names, [&mut users, &mut removed]);
        read.map_err(|error| in_file(path, &error))?;
    }
    for (path, table, into) in [
        (&options.users_csv, Table::Users, &mut users),
        (&options.removed_csv, Table::Removed, &mut removed),
    ] {
        if let Some(path) = path {
            let read = reading.csv(open(path)?, table, into);
            read.map_err(|error| in_file(path, &error))?;
        }
    }
    users.refuse_contradictions();
    removed.drop_repetitions();
    Ok((users, removed))
}

fn open(path: &Path) -> Result<File, Failure> {
    File::open(path).map_err(|error| format!("cannot open {}: {error}", path.display()).into())
}

/// What is wrong with a file, behind its name, and the option that helps.
fn in_file(path: &Path, error: &FileError) -> Failure {
    let fix = match error {
        FileError::NoColumn { field, .. } => format!(". Name it with --column {field}=NAME"),
        FileError::NoTable { .. } => ". Choose with --users-table and --removed-table".to_owned(),
        FileError::Broken(_) | FileError::TooManyRows { .. } => String::new(),
    };
    Failure::from(format!("{}: {error}{fix}", path.display()))
}
