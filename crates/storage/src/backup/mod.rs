//! Backups: one checked SQLite file and its manifest, whichever database the data comes from or goes to.

mod check;
mod compare;
mod copy_text;
mod error;
mod files;
mod from_postgres;
mod into_postgres;
mod sqlite;
mod tables;

use std::path::Path;

use serde::{Deserialize, Serialize};

pub use compare::{Same, compare};
pub use error::BackupError;

use crate::db::{OpenOptions, Target};
use files::{Draft, Scratch};

/// What a backup says about itself. Its file is written last, so a directory without one is no backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// Its newest migration. A newer binary brings a restored copy up to date.
    pub schema: i64,
    /// Which moment the copy is of.
    pub created_at_ms: i64,
    /// "sqlite" or "postgres".
    pub source: String,
    /// Of the database file, in hex.
    pub sha256: String,
    /// Of the database file.
    pub size_bytes: u64,
    /// Ended ones included.
    pub links: i64,
    /// Removed ones included.
    pub orgs: i64,
}

/// Copies the database into the new or empty directory `to` while others go on writing.
///
/// The copy is one moment of the database, and is checked before this returns. On a failure nothing is left.
pub async fn create(options: &OpenOptions, to: &Path, now_ms: i64) -> Result<Manifest, BackupError> {
    let draft = Draft::begin(to)?;
    let source = match &options.target {
        Target::Sqlite { path } => {
            sqlite::copy_online(path, &draft.database()).await?;
            "sqlite"
        }
        Target::Postgres { url } => {
            from_postgres::export(url, options, &draft.database()).await?;
            "postgres"
        }
    };
    let examined = check::copy_and_examine(&draft.database(), &draft.checked(), None).await?;
    let manifest = Manifest {
        schema: examined.schema,
        created_at_ms: now_ms,
        source: source.to_owned(),
        sha256: examined.sha256,
        size_bytes: examined.size_bytes,
        links: examined.links,
        orgs: examined.orgs,
    };
    files::blocking(move || draft.finish(&manifest).map(|()| manifest)).await
}

/// Brings a backup into an empty target and checks it there. An older backup is brought up to date.
///
/// SQLite: the file must not exist. PostgreSQL: no account and no Org may exist.
pub async fn restore(from: &Path, options: &OpenOptions) -> Result<Manifest, BackupError> {
    let manifest = files::read_manifest(from)?;
    check::refuse_newer(manifest.schema)?;
    match &options.target {
        Target::Sqlite { path } => sqlite::restore(from, &manifest, path, options).await?,
        Target::Postgres { url } => {
            let scratch = Scratch::inside(from)?;
            let copy = scratch.database();
            check::copy_and_examine(&files::database_in(from), &copy, Some(&manifest)).await?;
            into_postgres::import(&copy, url, options).await?;
            check::examine_restored(options).await?;
        }
    }
    Ok(manifest)
}

/// Whether a directory holds a backup that was made to its end.
pub fn is_finished(directory: &Path) -> bool {
    files::has_manifest(directory)
}

/// Checks a backup again: its digest, its schema, the file's structure and every invariant. The backup stays as it is.
pub async fn verify(from: &Path) -> Result<Manifest, BackupError> {
    let manifest = files::read_manifest(from)?;
    check::refuse_newer(manifest.schema)?;
    let scratch = Scratch::inside(from)?;
    check::copy_and_examine(&files::database_in(from), &scratch.database(), Some(&manifest)).await?;
    Ok(manifest)
}
