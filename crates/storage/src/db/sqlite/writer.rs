//! The writer thread. Whatever waits is committed together: one flush of the disk answers up to 256 callers.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use rusqlite::Connection;

use super::connection;
use crate::db::DbError;

const BATCH: usize = 256;
/// After this long without work the log is folded into the database file.
const IDLE: Duration = Duration::from_secs(5);
const RESTART_PAUSE: Duration = Duration::from_millis(200);

/// A queued unit of work with its type erased.
pub(super) trait Unit: Send {
    fn run(&mut self, connection: &mut Connection) -> Verdict;
    fn answer(self: Box<Self>, batch_failure: Option<&DbError>);
    fn name(&self) -> &'static str;
}

/// What becomes of a unit's changes.
pub(super) enum Verdict {
    Keep,
    Undo,
    /// The connection failed under it; nobody in this batch can be promised anything.
    Broken(String),
}

/// Runs until every sender is gone.
pub(super) fn run(
    path: &Path,
    connection: Connection,
    receiver: &Receiver<Box<dyn Unit>>,
    failed: &AtomicBool,
) {
    let mut writer = Writer {
        path,
        connection: Some(connection),
        failed,
        dirty: false,
    };
    loop {
        // A panic here is a defect of this file; the service must not hang on it.
        match catch_unwind(AssertUnwindSafe(|| writer.work(receiver))) {
            Ok(()) => return,
            Err(_) => {
                tracing::error!("the writer panicked and is started again");
                writer.failed.store(true, Ordering::Relaxed);
                writer.connection = None;
                std::thread::sleep(RESTART_PAUSE);
            }
        }
    }
}

struct Writer<'a> {
    path: &'a Path,
    connection: Option<Connection>,
    failed: &'a AtomicBool,
    dirty: bool,
}

impl Writer<'_> {
    fn work(&mut self, receiver: &Receiver<Box<dyn Unit>>) {
        loop {
            match receiver.recv_timeout(IDLE) {
                Ok(first) => {
                    let mut batch = vec![first];
                    while batch.len() < BATCH {
                        let Ok(next) = receiver.try_recv() else { break };
                        batch.push(next);
                    }
                    self.commit_together(batch);
                }
                Err(RecvTimeoutError::Timeout) => self.tidy(),
                Err(RecvTimeoutError::Disconnected) => {
                    self.tidy();
                    return;
                }
            }
        }
    }

    fn commit_together(&mut self, mut batch: Vec<Box<dyn Unit>>) {
        let result = self
            .connection()
            .and_then(|connection| run_batch(connection, &mut batch));
        let failure = result.err();
        if let Some(error) = &failure {
            let first = batch.first().map_or("", |unit| unit.name());
            tracing::error!(%error, units = batch.len(), first, "a batch of writes was not committed");
            // What the connection believes about the file may be wrong now: start from the file again.
            self.connection = None;
        }
        self.failed.store(failure.is_some(), Ordering::Relaxed);
        self.dirty = true;
        for unit in batch {
            unit.answer(failure.as_ref());
        }
    }

    fn connection(&mut self) -> Result<&mut Connection, DbError> {
        match &mut self.connection {
            Some(connection) => Ok(connection),
            empty @ None => Ok(empty.insert(connection::open_writer(self.path)?)),
        }
    }

    /// Folds the log back so that it stays small; a reader in the way only postpones it.
    fn tidy(&mut self) {
        if !std::mem::take(&mut self.dirty) {
            return;
        }
        if let Ok(connection) = self.connection()
            && let Err(error) = connection::fold_log(connection)
        {
            tracing::warn!(%error, "the write-ahead log was not folded back");
        }
    }
}

fn run_batch(connection: &mut Connection, batch: &mut [Box<dyn Unit>]) -> Result<(), DbError> {
    connection.execute_batch("BEGIN IMMEDIATE")?;
    let result = run_units(connection, batch).and_then(|()| Ok(connection.execute_batch("COMMIT")?));
    if result.is_err() && !connection.is_autocommit() {
        // The connection is dropped after this; a failure here changes nothing.
        drop(connection.execute_batch("ROLLBACK"));
    }
    result.map_err(|error| {
        if error.is_fatal() {
            error
        } else {
            DbError::Unavailable(error.to_string())
        }
    })
}

fn run_units(connection: &mut Connection, batch: &mut [Box<dyn Unit>]) -> Result<(), DbError> {
    for unit in batch {
        connection.prepare_cached("SAVEPOINT unit")?.raw_execute()?;
        match unit.run(connection) {
            Verdict::Broken(reason) => return Err(DbError::Unavailable(reason)),
            // Some errors make SQLite roll everything back by itself; what the earlier units wrote is gone.
            _ if connection.is_autocommit() => {
                return Err(DbError::Unavailable(
                    "SQLite ended the transaction by itself".to_owned(),
                ));
            }
            Verdict::Keep => {}
            Verdict::Undo => {
                connection.prepare_cached("ROLLBACK TO unit")?.raw_execute()?;
            }
        }
        connection.prepare_cached("RELEASE unit")?.raw_execute()?;
    }
    Ok(())
}
