//! Why a backup or a restore did not happen. Each text tells the operator what to do.

use std::path::PathBuf;

use thiserror::Error;

use crate::db::{DbError, OpenError};
use crate::migrate::MigrateError;

/// Why a backup or a restore did not happen; nothing was changed.
#[expect(missing_docs, reason = "each message says what happened")]
#[derive(Debug, Error)]
pub enum BackupError {
    #[error("{path} is not empty: give a directory that does not exist yet")]
    NotEmpty { path: PathBuf },
    #[error("there is no database at {path}: check the configured path")]
    NoDatabase { path: PathBuf },
    #[error("this is not a Symbolon database: check the configured URL")]
    NotSymbolon,
    #[error("{path} is not a finished backup, it has no manifest.json: use another backup")]
    NotFinished { path: PathBuf },
    #[error("{path} cannot be read ({reason}): use another backup")]
    BadManifest { path: PathBuf, reason: String },
    #[error("{path} is not what was backed up ({reason}): use another backup")]
    Altered { path: PathBuf, reason: String },
    #[error("the data has schema {found}, but this binary only knows up to {known}: use a newer Symbolon")]
    TooNew { found: i64, known: i64 },
    #[error(
        "the database has schema {found}, but this binary copies {known}: back it up with the older Symbolon, or run `symbolon migrate` first"
    )]
    TooOld { found: i64, known: i64 },
    #[error("{path} already exists: move it away, a backup is only restored into an empty place")]
    FileExists { path: PathBuf },
    #[error("the database already holds accounts or Orgs: a backup is only restored into an empty database")]
    HoldsData,
    #[error("the data breaks its own rules, run `symbolon doctor`: {}", .0.join("; "))]
    Unsound(Vec<String>),
    #[error(
        "table {table} has a text with a NUL character, which PostgreSQL cannot store: restore into SQLite and remove it there"
    )]
    Unstorable { table: &'static str },
    #[error("table {table} arrived with {stored} of {sent} rows and nothing was kept: try again")]
    Incomplete {
        table: &'static str,
        sent: u64,
        stored: u64,
    },
    #[error(
        "table {table} has {one} rows here and {other} there, or rows that differ, perhaps because somebody wrote meanwhile: empty the other database and copy again"
    )]
    Differs {
        table: &'static str,
        one: u64,
        other: u64,
    },
    #[error("{path} is not valid UTF-8: choose another directory")]
    Name { path: PathBuf },
    #[error("cannot use {path}: {source}")]
    File { path: PathBuf, source: std::io::Error },
    #[error("the work was interrupted: try again")]
    Interrupted,
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error(transparent)]
    Database(#[from] DbError),
}

impl From<MigrateError> for BackupError {
    fn from(error: MigrateError) -> Self {
        BackupError::Open(OpenError::Migrate(error))
    }
}

impl From<rusqlite::Error> for BackupError {
    fn from(error: rusqlite::Error) -> Self {
        BackupError::Database(error.into())
    }
}

impl From<tokio_postgres::Error> for BackupError {
    fn from(error: tokio_postgres::Error) -> Self {
        BackupError::Database(error.into())
    }
}
