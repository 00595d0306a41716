//! The writer thread. Whatever waits is committed together: one flush of the disk answers up to 256 callers.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use domain::lines::Lines;
use prometheus_client::metrics::histogram::Histogram;
use rusqlite::Connection;
use rusqlite::hooks::Wal;

use super::connection;
use super::readers::Readers;
use crate::db::DbError;

const BATCH: usize = 256;
/// After this long without work the log is folded into the database file, and readers begin anew.
const IDLE: Duration = Duration::from_secs(5);
/// Pages in the log at which it is folded even though work is waiting; 16 MiB.
const LONG_LOG: i32 = 4000;
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
    readers: &Readers,
    (failed, erased): (&AtomicBool, &AtomicBool),
    commits: &Histogram,
) {
    let mut writer = Writer {
        path,
        connection: None,
        log_pages: Arc::new(AtomicI32::new(0)),
        readers,
        failed,
        erased,
        commits,
        dirty: false,
        lines: Lines::default(),
        began: Instant::now(),
    };
    if let Err(error) = writer.adopt(connection) {
        tracing::warn!(%error, "the writer reconnects");
    }
    loop {
        // A panic here is a defect of this file; the service must not hang on it.
        match catch_unwind(AssertUnwindSafe(|| writer.work(receiver))) {
            Ok(()) => return,
            Err(_) => {
                tracing::error!("the writer panicked and is restarted");
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
    /// Told by the connection with every commit.
    log_pages: Arc<AtomicI32>,
    readers: &'a Readers,
    failed: &'a AtomicBool,
    /// The log is to be emptied though there is no rest.
    erased: &'a AtomicBool,
    /// How long they took.
    commits: &'a Histogram,
    dirty: bool,
    /// A full disk fails thousands of batches in a minute.
    lines: Lines<&'static str>,
    began: Instant,
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
                Err(RecvTimeoutError::Timeout) => {
                    self.tidy();
                    self.readers.move_on();
                }
                Err(RecvTimeoutError::Disconnected) => {
                    self.tidy();
                    return;
                }
            }
        }
    }

    fn commit_together(&mut self, mut batch: Vec<Box<dyn Unit>>) {
        let commits = self.commits;
        let result = self
            .connection()
            .and_then(|connection| run_batch(connection, &mut batch, commits));
        let failure = result.err();
        if let Some(error) = &failure {
            let first = batch.first().map_or("", |unit| unit.name());
            if let Some(left_out) = self.turn_to_say("batch") {
                tracing::error!(%error, units = batch.len(), first, left_out, "a batch of writes was not committed");
            }
            // What the connection believes about the file may be wrong now: start from the file again.
            self.connection = None;
        }
        self.failed.store(failure.is_some(), Ordering::Relaxed);
        self.dirty = true;
        // Before anybody is answered: a caller's next read must see what it was told of.
        self.readers.move_on();
        for unit in batch {
            unit.answer(failure.as_ref());
        }
        if self.erased.load(Ordering::Relaxed) {
            self.tidy();
            self.erased.store(self.dirty, Ordering::Relaxed);
        } else if self.log_pages.load(Ordering::Relaxed) >= LONG_LOG {
            self.log_result(Self::fold);
        }
    }

    fn connection(&mut self) -> Result<&mut Connection, DbError> {
        match self.connection {
            Some(ref mut connection) => Ok(connection),
            None => self.adopt(connection::open_writer(self.path)?),
        }
    }

    fn adopt(&mut self, mut connection: Connection) -> Result<&mut Connection, DbError> {
        let log_pages = Arc::clone(&self.log_pages);
        connection.wal_hook(Some(move |_: &mut Wal, pages| {
            log_pages.store(pages, Ordering::Relaxed);
            Ok(())
        }))?;
        Ok(self.connection.insert(connection))
    }

    /// Copies the log into the database file. Readers that begin afterwards do not hold it, so that the next commit can
    /// start it anew; true when there is nothing left to copy.
    fn fold(&mut self) -> Result<bool, DbError> {
        // Waits for point reads under way: what one of them still looks at cannot be copied, and afterwards one that
        // stays behind would keep the log from being started anew.
        self.readers.move_all_on();
        let folded = connection::fold_log(self.connection()?)?;
        if folded {
            self.readers.move_all_on();
        }
        Ok(folded)
    }

    /// Leaves a folded and empty log behind; a reader in the way only postpones it.
    fn tidy(&mut self) {
        if self.dirty {
            self.dirty = !self
                .log_result(|writer| Ok(writer.fold()? && connection::truncate_log(writer.connection()?)?));
        }
    }

    /// False also when it failed: it is tried again later.
    fn log_result(&mut self, act: impl FnOnce(&mut Self) -> Result<bool, DbError>) -> bool {
        act(self).unwrap_or_else(|error| {
            if let Some(left_out) = self.turn_to_say("fold") {
                tracing::warn!(%error, left_out, "the write-ahead log was not checkpointed");
            }
            false
        })
    }

    fn turn_to_say(&mut self, kind: &'static str) -> Option<u64> {
        let now_ms = i64::try_from(self.began.elapsed().as_millis()).unwrap_or(i64::MAX);
        self.lines.turn(kind, now_ms)
    }
}

fn run_batch(
    connection: &mut Connection,
    batch: &mut [Box<dyn Unit>],
    commits: &Histogram,
) -> Result<(), DbError> {
    connection.execute_batch("BEGIN IMMEDIATE")?;
    let result = run_units(connection, batch).and_then(|()| {
        let begun = Instant::now();
        let committed = connection::commit(connection);
        commits.observe(begun.elapsed().as_secs_f64());
        committed
    });
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
