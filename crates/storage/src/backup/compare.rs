//! Whether two backups hold the same rows: every table by its number of rows and a digest of all their values.

use std::path::Path;

use rusqlite::Connection;
use rusqlite::types::ValueRef;
use sha2::{Digest, Sha256};

use super::{BackupError, check, files, tables};

/// What is the same in both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Same {
    /// Tables of this binary's schema.
    pub tables: usize,
    /// Of all tables together.
    pub rows: u64,
}

/// Compares two backups that this binary made; the first table that differs is told of.
pub async fn compare(one: &Path, other: &Path) -> Result<Same, BackupError> {
    let (one, other) = (files::database_in(one), files::database_in(other));
    files::blocking(move || compare_files(&one, &other)).await
}

fn compare_files(one: &Path, other: &Path) -> Result<Same, BackupError> {
    let (one, other) = (check::open_reading(one)?, check::open_reading(other)?);
    let all = tables::newest()?;
    let mut rows = 0;
    for table in &all {
        let (here, there) = (told(&one, table)?, told(&other, table)?);
        if here != there {
            return Err(BackupError::Differs {
                table: table.name,
                one: here.0,
                other: there.0,
            });
        }
        rows += here.0;
    }
    Ok(Same {
        tables: all.len(),
        rows,
    })
}

/// The number of a table's rows, and a digest in which no value can flow into the next.
fn told(connection: &Connection, table: &tables::Table) -> Result<(u64, [u8; 32]), BackupError> {
    let mut prepared = connection.prepare(&table.select_in_order())?;
    let columns = prepared.column_count();
    let mut found = prepared.query([])?;
    let (mut count, mut digest) = (0, Sha256::new());
    while let Some(row) = found.next()? {
        count += 1;
        for column in 0..columns {
            match row.get_ref(column)? {
                ValueRef::Null => digest.update(b"n"),
                ValueRef::Integer(value) => {
                    digest.update(b"i");
                    digest.update(value.to_le_bytes());
                }
                ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
                    digest.update(b"t");
                    digest.update((bytes.len() as u64).to_le_bytes());
                    digest.update(bytes);
                }
                ValueRef::Real(value) => {
                    digest.update(b"r");
                    digest.update(value.to_le_bytes());
                }
            }
        }
    }
    Ok((count, digest.finalize().into()))
}
