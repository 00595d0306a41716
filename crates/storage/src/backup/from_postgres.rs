//! PostgreSQL into a backup's file: one snapshot, streamed table by table.

use std::path::Path;
use std::pin::pin;
use std::sync::Arc;

use futures_util::StreamExt;
use rusqlite::types::Value as Cell;
use rusqlite::{Connection, OpenFlags, params_from_iter};
use secrecy::SecretString;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio_postgres::{IsolationLevel, Row, Transaction};

use super::tables::{self, Table};
use super::{BackupError, files};
use crate::db::{OpenOptions, Value, connect_alone};
use crate::migrate::{self, Migrate};

/// A large table takes longer than any request may, and the file's writer may make the reader wait.
pub(super) const NO_HURRY: &str =
    "SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0";
const HAS_LEDGER: &str = "SELECT to_regclass('schema_migrations') IS NOT NULL";
const SCHEMA: &str = "SELECT COALESCE(MAX(number), 0) FROM schema_migrations";
const ROWS_AT_ONCE: usize = 500;
const BATCHES_WAITING: usize = 4;

/// Rows of one table, one after the other.
struct Batch {
    table: usize,
    cells: Vec<Cell>,
}

pub(super) async fn export(
    url: &SecretString,
    options: &OpenOptions,
    file: &Path,
) -> Result<(), BackupError> {
    let mut connected = connect_alone(url, options).await?;
    let client = &mut *connected.client;
    let snapshot = client
        .build_transaction()
        .isolation_level(IsolationLevel::RepeatableRead)
        .read_only(true)
        .start()
        .await?;
    snapshot.batch_execute(NO_HURRY).await?;
    require_newest(&snapshot).await?;
    let tables = Arc::new(files::blocking(tables::newest).await?);
    let (sender, receiver) = channel(BATCHES_WAITING);
    let (file, written_tables) = (file.to_owned(), Arc::clone(&tables));
    let writing = files::blocking(move || write(&file, &written_tables, receiver));
    let (written, sent) = tokio::join!(writing, send_all(&snapshot, &tables, sender));
    // A writer that failed also ends the sending, so its reason is the one to tell.
    written.and(sent)
}

async fn require_newest(snapshot: &Transaction<'_>) -> Result<(), BackupError> {
    let has_ledger: bool = snapshot.query_one(HAS_LEDGER, &[]).await?.try_get(0)?;
    if !has_ledger {
        return Err(BackupError::NotSymbolon);
    }
    let found: i64 = snapshot.query_one(SCHEMA, &[]).await?.try_get(0)?;
    let known = migrate::newest();
    match found {
        0 => Err(BackupError::NotSymbolon),
        _ if found > known => Err(BackupError::TooNew { found, known }),
        _ if found < known => Err(BackupError::TooOld { found, known }),
        _ => Ok(()),
    }
}

async fn send_all(
    snapshot: &Transaction<'_>,
    tables: &[Table],
    sender: Sender<Batch>,
) -> Result<(), BackupError> {
    for (index, table) in tables.iter().enumerate() {
        let none: [Value<'_>; 0] = [];
        let mut rows = pin!(snapshot.query_raw(&table.select(), none).await?);
        let full = ROWS_AT_ONCE * table.columns.len();
        let mut cells = Vec::with_capacity(full);
        while let Some(row) = rows.next().await {
            read_row(&row?, table, &mut cells)?;
            if cells.len() == full {
                let cells = std::mem::replace(&mut cells, Vec::with_capacity(full));
                send(&sender, Batch { table: index, cells }).await?;
            }
        }
        send(&sender, Batch { table: index, cells }).await?;
    }
    Ok(())
}

async fn send(sender: &Sender<Batch>, batch: Batch) -> Result<(), BackupError> {
    sender.send(batch).await.map_err(|_| BackupError::Interrupted)
}

fn read_row(row: &Row, table: &Table, cells: &mut Vec<Cell>) -> Result<(), BackupError> {
    for (index, column) in table.columns.iter().enumerate() {
        let cell = if column.text {
            row.try_get::<_, Option<String>>(index)?.map(Cell::Text)
        } else {
            row.try_get::<_, Option<i64>>(index)?.map(Cell::Integer)
        };
        cells.push(cell.unwrap_or(Cell::Null));
    }
    Ok(())
}

fn write(file: &Path, tables: &[Table], mut receiver: Receiver<Batch>) -> Result<(), BackupError> {
    files::private_file(file).map_err(files::at(file))?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(file, flags)?;
    // The file is thrown away unless it becomes complete, and is flushed once when it is.
    connection.pragma_update(None, "journal_mode", "MEMORY")?;
    connection.pragma_update(None, "synchronous", "OFF")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    migrate::on_sqlite(&mut connection, Migrate::Apply)?;
    let transaction = connection.transaction()?;
    for table in tables.iter().rev() {
        transaction.execute(&table.clear(), [])?;
    }
    while let Some(batch) = receiver.blocking_recv() {
        let table = &tables[batch.table];
        let mut insert = transaction.prepare_cached(&table.insert())?;
        for row in batch.cells.chunks_exact(table.columns.len()) {
            insert.execute(params_from_iter(row))?;
        }
    }
    transaction.commit()?;
    connection.close().map_err(|(_, error)| error)?;
    Ok(())
}
