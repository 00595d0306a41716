//! A backup's file into an empty PostgreSQL, in one transaction.

use std::io::Cursor;
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;

use futures_util::SinkExt;
use secrecy::SecretString;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio_postgres::{GenericClient, Transaction};

use super::copy_text::{Misfit, push_value};
use super::from_postgres::NO_HURRY;
use super::tables::{self, Table};
use super::{BackupError, check, files};
use crate::db::{DbError, OpenOptions, connect_alone};
use crate::migrate::{self, Migrate};

const HAS_TABLES: &str = "
    SELECT to_regclass('accounts') IS NOT NULL
      AND to_regclass('orgs') IS NOT NULL";
const HOLDS_DATA: &str = "
    SELECT EXISTS (SELECT 1 FROM accounts)
      OR EXISTS (SELECT 1 FROM orgs)";
/// The columns that PostgreSQL numbers by itself.
const NUMBERED: &str = "
    SELECT column_name::TEXT
    FROM information_schema.columns
    WHERE table_schema = current_schema() AND table_name = $1 AND is_identity = 'YES'";
const CHUNK: usize = 64 * 1024;
const CHUNKS_WAITING: usize = 4;

pub(super) async fn import(
    file: &Path,
    url: &SecretString,
    options: &OpenOptions,
) -> Result<(), BackupError> {
    let mut connected = connect_alone(url, options).await?;
    let client = &mut *connected.client;
    // Asked before the migration too: a database in use must not be changed by a restore that is then refused.
    if client.query_one(HAS_TABLES, &[]).await?.try_get(0)? {
        refuse_data(&*client).await?;
    }
    migrate::on_postgres(client, Migrate::Apply).await?;
    let tables = Arc::new(files::blocking(tables::newest).await?);
    let transaction = client.transaction().await?;
    transaction.batch_execute(NO_HURRY).await?;
    transaction.batch_execute(&tables::lock_all()).await?;
    refuse_data(&transaction).await?;
    transaction.batch_execute(&tables::clear_all()).await?;
    for index in 0..tables.len() {
        fill(&transaction, file, &tables, index).await?;
    }
    for table in tables.iter() {
        for row in transaction.query(NUMBERED, &[&table.name]).await? {
            let column: String = row.try_get(0)?;
            transaction.query(&table.count_on(&column), &[]).await?;
        }
    }
    transaction.batch_execute(&tables::analyze_all()).await?;
    Ok(transaction.commit().await?)
}

async fn refuse_data(client: &impl GenericClient) -> Result<(), BackupError> {
    match client.query_one(HOLDS_DATA, &[]).await?.try_get(0)? {
        true => Err(BackupError::HoldsData),
        false => Ok(()),
    }
}

async fn fill(
    transaction: &Transaction<'_>,
    file: &Path,
    tables: &Arc<Vec<Table>>,
    index: usize,
) -> Result<(), BackupError> {
    let table = &tables[index];
    let (sender, receiver) = channel(CHUNKS_WAITING);
    let (file, read_tables) = (file.to_owned(), Arc::clone(tables));
    let reading = files::blocking(move || read(&file, &read_tables[index], &sender));
    let (sent, stored) = tokio::join!(reading, store(transaction, table, receiver));
    // A reader stopped half-way looks like the end to the store, and a failed store stops the reader.
    let (sent, stored) = match (sent, stored) {
        (Err(BackupError::Interrupted), Err(stored)) => return Err(stored),
        (sent, stored) => (sent?, stored?),
    };
    if sent != stored {
        return Err(BackupError::Incomplete {
            table: table.name,
            sent,
            stored,
        });
    }
    Ok(())
}

/// Takes chunks until there are no more and returns how many rows PostgreSQL stored.
async fn store(
    transaction: &Transaction<'_>,
    table: &Table,
    mut receiver: Receiver<Vec<u8>>,
) -> Result<u64, BackupError> {
    let mut sink = pin!(transaction.copy_in(&table.copy_in()).await?);
    while let Some(chunk) = receiver.recv().await {
        if sink.send(Cursor::new(chunk)).await.is_err() {
            // The server's reason comes with its answer, below.
            break;
        }
    }
    Ok(sink.finish().await?)
}

/// Sends the whole table and returns how many rows that were.
fn read(file: &Path, table: &Table, sender: &Sender<Vec<u8>>) -> Result<u64, BackupError> {
    let connection = check::open_reading(file)?;
    let mut prepared = connection.prepare(&table.select())?;
    let mut rows = prepared.raw_query();
    let mut chunk = Vec::with_capacity(CHUNK + 4096);
    let mut sent = 0;
    while let Some(row) = rows.next()? {
        for index in 0..table.columns.len() {
            if index > 0 {
                chunk.push(b'\t');
            }
            push_value(&mut chunk, row.get_ref(index)?).map_err(|misfit| explain(table, &misfit))?;
        }
        chunk.push(b'\n');
        sent += 1;
        if chunk.len() >= CHUNK {
            let chunk = std::mem::replace(&mut chunk, Vec::with_capacity(CHUNK + 4096));
            sender
                .blocking_send(chunk)
                .map_err(|_| BackupError::Interrupted)?;
        }
    }
    sender
        .blocking_send(chunk)
        .map_err(|_| BackupError::Interrupted)?;
    Ok(sent)
}

fn explain(table: &Table, misfit: &Misfit) -> BackupError {
    match misfit {
        Misfit::Nul => BackupError::Unstorable { table: table.name },
        Misfit::Kind => BackupError::Database(DbError::Bug(format!(
            "a value in {} is neither an integer nor valid text",
            table.name
        ))),
    }
}
