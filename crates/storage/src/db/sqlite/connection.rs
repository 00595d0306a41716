//! How a connection to the embedded database is set up.

use std::path::Path;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, ffi};

use crate::db::{DbError, Statement};

/// rusqlite keeps 16 by default, which makes every seventeenth statement four times slower.
const CACHED_STATEMENTS: usize = 256;

const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// The one connection that writes. `synchronous=FULL` makes an answered commit survive a power cut.
pub(super) fn open_writer(path: &Path) -> Result<Connection, DbError> {
    let connection = open(path, OpenFlags::SQLITE_OPEN_CREATE)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    // What is deleted is overwritten, not only left out: whoever had their data erased is not found in the file.
    connection.pragma_update(None, "secure_delete", true)?;
    connection.pragma_update(None, "journal_size_limit", 64 * 1024 * 1024)?;
    // The writer folds the log itself, because it also moves the readers out of the way.
    connection.pragma_update(None, "wal_autocheckpoint", 0)?;
    connection.pragma_update(None, "cache_size", -8192)?;
    Ok(connection)
}

/// A connection that cannot write, and does not make a file that is not there.
pub(super) fn open_reader(path: &Path) -> Result<Connection, DbError> {
    let connection = open(path, OpenFlags::empty())?;
    connection.pragma_update(None, "query_only", true)?;
    connection.pragma_update(None, "cache_size", -8192)?;
    Ok(connection)
}

/// A reader for long reads. They pass by each page once, so there is little to keep of it: the pages that a connection
/// keeps are memory that nobody gets back while it is open.
pub(super) fn open_separate(path: &Path) -> Result<Connection, DbError> {
    let connection = open_reader(path)?;
    connection.pragma_update(None, "cache_size", -1024)?;
    Ok(connection)
}

fn open(path: &Path, more: OpenFlags) -> Result<Connection, DbError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | more;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "trusted_schema", false)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    connection.set_prepared_statement_cache_capacity(CACHED_STATEMENTS);
    // Without it SQLite prepares a joined statement anew whenever a bound value changes.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(connection)
}

/// Ends the writer's transaction. Where the log could not even be written, the mark that makes it a commit is missing;
/// after any other failure, as that of a flush, it may be there, and count when the file is opened after a crash.
pub(super) fn commit(connection: &Connection) -> Result<(), DbError> {
    connection.execute_batch("COMMIT").map_err(|error| {
        let unwritten = error.sqlite_error().is_some_and(|failure| {
            failure.code == ErrorCode::DiskFull
                || failure.code == ErrorCode::DatabaseBusy
                || failure.extended_code == ffi::SQLITE_IOERR_WRITE
        });
        let error = DbError::from(error);
        if unwritten { error } else { error.at_commit() }
    })
}

/// Removes what ANALYZE or an older Symbolon has left. Statistics of a table with one row make SQLite choose any index
/// for any question, which is slow by a factor of a thousand once there are many rows. Without them it goes by the shape
/// of index and question alone, and those are what the catalogue's tests look at. True if there were any: an open
/// connection has read them already.
pub(super) fn drop_statistics(connection: &Connection) -> Result<bool, DbError> {
    let mut statement =
        connection.prepare("SELECT name FROM sqlite_schema WHERE name GLOB 'sqlite_stat[0-9]'")?;
    let tables: Vec<String> = statement
        .query_map([], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    for table in &tables {
        connection.execute_batch(&["DROP TABLE ", table].concat())?;
    }
    Ok(!tables.is_empty())
}

/// Copies the write-ahead log into the database file as far as readers allow, waiting for none of them. True when all
/// of it was copied: who begins to read now does not need the log, and once nobody does the next write starts it anew.
pub(super) fn fold_log(connection: &Connection) -> Result<bool, DbError> {
    checkpoint(connection, "PRAGMA wal_checkpoint(PASSIVE)")
}

/// Empties the file of a log that was folded. True unless somebody still reads from it.
pub(super) fn truncate_log(connection: &Connection) -> Result<bool, DbError> {
    connection.busy_timeout(Duration::ZERO)?;
    let done = checkpoint(connection, "PRAGMA wal_checkpoint(TRUNCATE)");
    connection.busy_timeout(BUSY_TIMEOUT)?;
    done
}

fn checkpoint(connection: &Connection, pragma: &str) -> Result<bool, DbError> {
    Ok(connection.query_row(pragma, [], |row| {
        let (busy, in_log, copied): (i64, i64, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
        Ok(busy == 0 && in_log == copied)
    })?)
}

pub(super) fn explain(connection: &Connection, statement: &'static Statement) -> Result<String, DbError> {
    let mut prepared = connection.prepare(&["EXPLAIN QUERY PLAN ", statement.sqlite()].concat())?;
    let mut rows = prepared.raw_query();
    let mut plan = String::new();
    while let Some(row) = rows.next()? {
        plan.push_str(&row.get::<_, String>(3)?);
        plan.push('\n');
    }
    Ok(plan)
}

/// SQLite's own view of the file: damaged pages, broken indexes, dangling foreign keys.
pub(super) fn verify(connection: &Connection) -> Result<Vec<String>, DbError> {
    let mut findings = Vec::new();
    let mut integrity = connection.prepare("PRAGMA integrity_check(20)")?;
    let mut rows = integrity.raw_query();
    while let Some(row) = rows.next()? {
        let line: String = row.get(0)?;
        if line != "ok" {
            findings.push(["the database file is damaged: ", &line].concat());
        }
    }
    let mut foreign = connection.prepare("PRAGMA foreign_key_check")?;
    if foreign.raw_query().next()?.is_some() {
        findings.push("a row refers to one that does not exist".to_owned());
    }
    Ok(findings)
}
