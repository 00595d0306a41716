//! The checks that every backup and every restored database passes.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use super::{BackupError, Manifest, files};
use crate::db::{Db, OpenOptions, Target};
use crate::doctor;
use crate::migrate::{self, Migrate};

const HAS_LEDGER: &str = "
    SELECT COUNT(*)
    FROM sqlite_schema
    WHERE type = 'table' AND name = 'schema_migrations'";
const SCHEMA: &str = "SELECT COALESCE(MAX(number), 0) FROM schema_migrations";
const COUNTS: &str = "SELECT (SELECT COUNT(*) FROM links), (SELECT COUNT(*) FROM orgs)";
/// Findings that are told; more of them change nothing.
const TOLD: usize = 10;

/// What the checked bytes are and hold.
pub(super) struct Examined {
    pub schema: i64,
    pub sha256: String,
    pub size_bytes: u64,
    pub links: i64,
    pub orgs: i64,
}

pub(super) fn refuse_newer(found: i64) -> Result<(), BackupError> {
    let known = migrate::newest();
    if found > known {
        return Err(BackupError::TooNew { found, known });
    }
    Ok(())
}

/// Copies a database file to `copy`, brings the copy up to date, checks it and leaves it closed.
///
/// The digest is that of the very bytes that were checked, and it has to be the manifest's if there is one.
pub(super) async fn copy_and_examine(
    file: &Path,
    copy: &Path,
    manifest: Option<&Manifest>,
) -> Result<Examined, BackupError> {
    let (source, target, expected) = (file.to_owned(), copy.to_owned(), manifest.cloned());
    let examined = files::blocking(move || {
        let (sha256, size_bytes) = files::copy_hashed(&source, &target)?;
        if let Some(manifest) = &expected {
            compare_bytes(&source, manifest, &sha256, size_bytes)?;
        }
        let connection = open_reading(&target)?;
        let schema = schema_of(&connection)?;
        refuse_newer(schema)?;
        // Counted before the copy is brought up to date, which may change what there is to count.
        let (links, orgs) = connection.query_row(COUNTS, [], |row| Ok((row.get(0)?, row.get(1)?)))?;
        if let Some(manifest) = &expected
            && (manifest.schema, manifest.links, manifest.orgs) != (schema, links, orgs)
        {
            return Err(altered(&source, "the manifest describes another database"));
        }
        Ok(Examined {
            schema,
            sha256,
            size_bytes,
            links,
            orgs,
        })
    })
    .await?;
    examine(only_here(copy)).await?;
    Ok(examined)
}

/// Checks the database that was just restored. A statement may take as long as it does on the largest installation.
pub(super) async fn examine_restored(options: &OpenOptions) -> Result<(), BackupError> {
    examine(OpenOptions {
        migrate: Migrate::Require,
        // Our own deadline is made from it, so that none at all would be the shortest.
        statement_timeout: Duration::from_secs(60 * 60),
        ..options.clone()
    })
    .await
}

async fn examine(options: OpenOptions) -> Result<(), BackupError> {
    let db = Db::open(options).await?;
    let findings = doctor::examine(&db).await;
    db.close().await;
    drop(db);
    let mut findings = findings?;
    if findings.is_empty() {
        return Ok(());
    }
    findings.truncate(TOLD);
    Err(BackupError::Unsound(findings))
}

/// A copy that nobody else uses.
fn only_here(path: &Path) -> OpenOptions {
    OpenOptions {
        target: Target::Sqlite {
            path: path.to_owned(),
        },
        migrate: Migrate::Apply,
        write_queue: 1,
        pool_size: 1,
        read_clients: 0,
        statement_timeout: Duration::ZERO,
        lock_timeout: Duration::ZERO,
        connect_deadline: Duration::ZERO,
        read_deadline: Duration::ZERO,
        work_deadline: Duration::ZERO,
        start_wait: Duration::ZERO,
        tls_roots: None,
    }
}

fn compare_bytes(file: &Path, manifest: &Manifest, sha256: &str, size_bytes: u64) -> Result<(), BackupError> {
    if size_bytes != manifest.size_bytes {
        return Err(altered(file, "its size differs from the manifest"));
    }
    if sha256 != manifest.sha256 {
        return Err(altered(file, "its SHA-256 differs from the manifest"));
    }
    Ok(())
}

fn altered(file: &Path, reason: &str) -> BackupError {
    BackupError::Altered {
        path: file.to_owned(),
        reason: reason.to_owned(),
    }
}

/// The newest migration of a database file.
pub(super) fn schema_of(connection: &Connection) -> Result<i64, BackupError> {
    let ledgers: i64 = connection.query_row(HAS_LEDGER, [], |row| row.get(0))?;
    if ledgers == 0 {
        return Err(BackupError::NotSymbolon);
    }
    match connection.query_row(SCHEMA, [], |row| row.get(0))? {
        0 => Err(BackupError::NotSymbolon),
        schema => Ok(schema),
    }
}

/// A connection that only reads and that takes no part in who owns the file.
pub(super) fn open_reading(path: &Path) -> Result<Connection, BackupError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(Duration::from_secs(10))?;
    connection.pragma_update(None, "trusted_schema", false)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    Ok(connection)
}

/// The names of the files SQLite keeps beside a database.
pub(super) fn companions(path: &Path) -> [PathBuf; 3] {
    ["-wal", "-shm", "-journal"].map(|ending| {
        let mut name = path.as_os_str().to_owned();
        name.push(ending);
        PathBuf::from(name)
    })
}
