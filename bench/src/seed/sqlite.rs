//! Bulk insert into the embedded database.

use std::path::Path;

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, ToSql};

use super::tables::{Cell, Table, tables};
use crate::Fallible;
use crate::data::Dataset;

impl ToSql for Cell {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Cell::Int(value) => ValueRef::Integer(*value),
            Cell::Text(value) => ValueRef::Text(value.as_bytes()),
        }))
    }
}

/// Fills a freshly migrated database that no process has open.
pub fn seed(path: &Path, data: &Dataset) -> Fallible<()> {
    let mut connection = Connection::open(path)?;
    // Nothing is lost if this is interrupted: the next run starts from an empty directory.
    connection.execute_batch(
        "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF; PRAGMA cache_size = -400000",
    )?;
    let transaction = connection.transaction()?;
    for table in tables(data) {
        insert(&transaction, table)?;
    }
    transaction.commit()?;
    connection.execute_batch("PRAGMA journal_mode = WAL")?;
    Ok(())
}

/// Changes what was seeded.
pub fn run_sql(path: &Path, sql: &str) -> Fallible<()> {
    let connection = Connection::open(path)?;
    connection.execute_batch("PRAGMA synchronous = OFF; PRAGMA cache_size = -400000; BEGIN")?;
    connection.execute_batch(sql)?;
    Ok(connection.execute_batch("COMMIT")?)
}

fn insert(connection: &Connection, table: Table<'_>) -> rusqlite::Result<()> {
    let places = vec!["?"; table.columns.len()].join(", ");
    let mut statement = connection.prepare(&format!(
        "INSERT INTO {} ({}) VALUES ({places})",
        table.name,
        table.columns.join(", ")
    ))?;
    for row in table.rows {
        statement.execute(rusqlite::params_from_iter(row))?;
    }
    Ok(())
}
