//! A few read connections that any thread may borrow for the microseconds of a point read.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError, TryLockError};

use rusqlite::Connection;

use super::connection;
use crate::db::DbError;

pub(super) struct Readers {
    path: PathBuf,
    slots: Vec<Mutex<Connection>>,
    /// Kept apart for long reads.
    separate: Mutex<Vec<Connection>>,
}

static NEXT_THREAD: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// Each thread starts its search at a slot of its own, so that threads rarely meet.
    static FIRST_SLOT: Cell<usize> = Cell::new(NEXT_THREAD.fetch_add(1, Ordering::Relaxed));
}

impl Readers {
    pub(super) fn open(path: &Path, count: usize) -> Result<Self, DbError> {
        let slots = (0..count)
            .map(|_| connection::open_reader(path).map(Mutex::new))
            .collect::<Result<_, _>>()?;
        Ok(Self {
            path: path.to_owned(),
            slots,
            separate: Mutex::new(Vec::new()),
        })
    }

    pub(super) fn with<T>(&self, read: impl FnOnce(&Connection) -> Result<T, DbError>) -> Result<T, DbError> {
        let first = FIRST_SLOT.get();
        for step in 0..self.slots.len() {
            match self.slots[(first + step) % self.slots.len()].try_lock() {
                Ok(connection) => return read(&connection),
                // A panic while reading leaves a usable connection: statements reset themselves when dropped.
                Err(TryLockError::Poisoned(poisoned)) => return read(&poisoned.into_inner()),
                Err(TryLockError::WouldBlock) => {}
            }
        }
        let slot = &self.slots[first % self.slots.len()];
        read(&slot.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn with_separate<T>(
        &self,
        read: impl FnOnce(&Connection) -> Result<T, DbError>,
    ) -> Result<T, DbError> {
        let kept = self.separate.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let connection = match kept {
            Some(connection) => connection,
            None => connection::open_reader(&self.path)?,
        };
        let result = read(&connection);
        self.separate
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(connection);
        result
    }
}
