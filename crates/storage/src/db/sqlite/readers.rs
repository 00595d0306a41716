//! A few read connections that any thread may borrow for the microseconds of a point read.
//!
//! Beginning and ending a transaction costs as much as a point read itself. So a reader keeps its transaction open and
//! looks at the same state of the database until the writer has committed something: `newest` counts the commits, and a
//! reader whose transaction began under an older count begins a new one first. The writer counts before it answers,
//! so whoever was told of a commit sees it. A failed read counts too, and so does a writer at rest every few seconds:
//! nothing is answered from memory after the database has failed, or for longer than that.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

use rusqlite::Connection;

use super::connection;
use super::reader_memory::{ReaderMemory, Shared};
use crate::db::DbError;

/// Who else may write to the database.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Owner {
    /// Only this process, which says so with `move_on`.
    Us,
    /// Another process. A kept transaction would hide its commits, and keep it from folding its log.
    Another,
}

pub(super) struct Readers {
    path: PathBuf,
    owner: Owner,
    slots: Vec<Mutex<Reader>>,
    newest: AtomicU64,
    /// Kept apart for long reads.
    separate: Mutex<Vec<Connection>>,
}

struct Reader {
    connection: Connection,
    /// The count under which the open transaction began.
    began_at: u64,
    known: ReaderMemory,
}

static NEXT_THREAD: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// Each thread starts its search at a slot of its own, so that threads rarely meet.
    static FIRST_SLOT: Cell<usize> = Cell::new(NEXT_THREAD.fetch_add(1, Ordering::Relaxed));
}

impl Readers {
    pub(super) fn open(path: &Path, count: usize, owner: Owner) -> Result<Self, DbError> {
        let shared = Arc::new(Shared::default());
        let known = || match owner {
            Owner::Us => ReaderMemory::among(Arc::clone(&shared)),
            Owner::Another => ReaderMemory::default(),
        };
        let slots = (0..count)
            .map(|_| {
                let connection = connection::open_reader(path)?;
                Ok(Mutex::new(Reader {
                    connection,
                    began_at: 0,
                    known: known(),
                }))
            })
            .collect::<Result<_, DbError>>()?;
        Ok(Self {
            path: path.to_owned(),
            owner,
            slots,
            newest: AtomicU64::new(0),
            separate: Mutex::new(Vec::new()),
        })
    }

    pub(super) fn with<T>(&self, read: impl FnOnce(&Connection) -> Result<T, DbError>) -> Result<T, DbError> {
        self.with_known(|connection, _| read(connection))
    }

    /// As `with`, together with what was already read in the same transaction.
    pub(super) fn with_known<T>(
        &self,
        read: impl FnOnce(&Connection, &mut ReaderMemory) -> Result<T, DbError>,
    ) -> Result<T, DbError> {
        let mut guard = self.free_reader();
        let reader = &mut *guard;
        // Taken before the transaction begins: the transaction may show more than this, never less.
        let newest = self.newest.load(Ordering::Acquire);
        let result = reader
            .begin(newest)
            .and_then(|()| read(&reader.connection, &mut reader.known));
        if result.is_err() {
            // The database is in doubt: whoever reads next, on any reader, is to ask it and not what was read before.
            self.newest.fetch_add(1, Ordering::Release);
        }
        if result.is_err() || self.owner == Owner::Another {
            reader.end();
        }
        result
    }

    /// A read outside of any kept transaction.
    pub(super) fn with_separate<T>(
        &self,
        read: impl FnOnce(&Connection) -> Result<T, DbError>,
    ) -> Result<T, DbError> {
        let kept = locked(&self.separate).pop();
        let connection = match kept {
            Some(connection) => connection,
            None => connection::open_separate(&self.path)?,
        };
        let result = read(&connection);
        locked(&self.separate).push(connection);
        result
    }

    /// A number of each connection, all added up.
    #[cfg(feature = "testing")]
    pub(super) fn sum(&self, count: impl Fn(&Connection) -> Result<i32, DbError>) -> Result<i32, DbError> {
        let mut sum = 0;
        for slot in &self.slots {
            sum += count(&locked(slot).connection)?;
        }
        for connection in locked(&self.separate).iter() {
            sum += count(connection)?;
        }
        Ok(sum)
    }

    /// Makes every later read see the present state. Readers that are idle let go of the old one at once, because the
    /// log cannot be folded back past the state that anybody still looks at.
    pub(super) fn move_on(&self) {
        self.newest.fetch_add(1, Ordering::Release);
        for slot in &self.slots {
            match slot.try_lock() {
                Ok(mut reader) => reader.end(),
                Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner().end(),
                Err(TryLockError::WouldBlock) => {}
            }
        }
    }

    /// As `move_on`, and waits for the point reads under way: afterwards nobody looks at an older state but long reads.
    pub(super) fn move_all_on(&self) {
        self.newest.fetch_add(1, Ordering::Release);
        for slot in &self.slots {
            locked(slot).end();
        }
    }

    fn free_reader(&self) -> MutexGuard<'_, Reader> {
        let first = FIRST_SLOT.get();
        for step in 0..self.slots.len() {
            match self.slots[(first + step) % self.slots.len()].try_lock() {
                Ok(reader) => return reader,
                // A panic while reading leaves a usable connection: statements reset themselves when dropped.
                Err(TryLockError::Poisoned(poisoned)) => return poisoned.into_inner(),
                Err(TryLockError::WouldBlock) => {}
            }
        }
        locked(&self.slots[first % self.slots.len()])
    }
}

impl Reader {
    fn begin(&mut self, newest: u64) -> Result<(), DbError> {
        let is_open = !self.connection.is_autocommit();
        if is_open && self.began_at == newest {
            return Ok(());
        }
        self.known.begin(newest);
        if is_open {
            self.connection.prepare_cached("COMMIT")?.raw_execute()?;
        }
        self.connection.prepare_cached("BEGIN")?.raw_execute()?;
        self.began_at = newest;
        Ok(())
    }

    fn end(&mut self) {
        self.known.clear();
        if self.connection.is_autocommit() {
            return;
        }
        let ended = self
            .connection
            .prepare_cached("COMMIT")
            .and_then(|mut commit| commit.raw_execute());
        if let Err(error) = ended {
            tracing::warn!(%error, "a reader could not end its transaction");
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
