//! The embedded database: readers inline, one writer thread, one process.

mod connection;
mod queue;
pub(crate) mod reader_memory;
mod readers;
mod writer;

use std::fs::{File, OpenOptions as FileOptions, TryLockError};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;
use std::sync::Arc;

use prometheus_client::metrics::histogram::Histogram;
use rusqlite::Connection;

use self::queue::Queue;
pub use self::reader_memory::{Memo, ReaderMemory};
use self::readers::{Owner, Readers};
use super::{DbError, FromRow, Load, OpenError, OpenOptions, Row, Statement, Value, Work, Writing};
use crate::migrate::{self, Migrate};

const NEEDED_VERSION: i32 = 3_051_003;
const NEEDED_TEXT: &str = "3.51.3";
/// Heavy reads at once; more wait, so that a burst of exports cannot take every blocking thread.
const HEAVY_READS: usize = 4;

#[derive(Clone)]
pub struct Sqlite {
    shared: Arc<Shared>,
}

struct Shared {
    readers: Arc<Readers>,
    queue: Queue,
    heavy: Arc<tokio::sync::Semaphore>,
    /// Held open for the life of the store: the operating system frees it even after `kill -9`.
    _lock: Option<File>,
}

/// Looking into the wrong place must not make a database there.
fn require_file(path: &Path) -> Result<(), OpenError> {
    let path = path.to_owned();
    match std::fs::metadata(&path) {
        Ok(_) => Ok(()),
        Err(source) if source.kind() == std::io::ErrorKind::NotFound => Err(OpenError::NoDatabase { path }),
        Err(source) => Err(OpenError::Directory { path, source }),
    }
}

impl Sqlite {
    pub fn open(path: &Path, options: &OpenOptions) -> Result<Self, OpenError> {
        if rusqlite::version_number() < NEEDED_VERSION {
            return Err(OpenError::SqliteTooOld {
                found: rusqlite::version().to_owned(),
                needed: NEEDED_TEXT,
            });
        }
        if options.migrate != Migrate::Apply {
            require_file(path)?;
        }
        let lock = lock_directory(path)?;
        make_private(path)?;
        let mut connection = connection::open_writer(path)?;
        migrate::on_sqlite(&mut connection, options.migrate)?;
        if connection::drop_statistics(&connection)? {
            connection = connection::open_writer(path)?;
        }
        let readers = Arc::new(Readers::open(path, options.pool_size.max(1), Owner::Us)?);
        let queue = Queue::start(path.to_owned(), connection, Arc::clone(&readers), options)?;
        let heavy = Arc::new(tokio::sync::Semaphore::new(HEAVY_READS));
        Ok(Self {
            shared: Arc::new(Shared {
                readers,
                queue,
                heavy,
                _lock: Some(lock),
            }),
        })
    }

    /// A store that only reads, beside the process that owns the file.
    pub fn open_beside(path: &Path) -> Result<Self, OpenError> {
        require_file(path)?;
        let readers = Arc::new(Readers::open(path, 1, Owner::Another)?);
        readers.with(|connection| Ok(migrate::require_on_sqlite(connection)))??;
        let heavy = Arc::new(tokio::sync::Semaphore::new(HEAVY_READS));
        Ok(Self {
            shared: Arc::new(Shared {
                readers,
                queue: Queue::closed(),
                heavy,
                _lock: None,
            }),
        })
    }

    pub fn find<T: FromRow>(
        &self,
        statement: &'static Statement,
        params: &[Value<'_>],
    ) -> Result<Option<T>, DbError> {
        self.shared
            .readers
            .with(|connection| find(connection, statement, params))
    }

    /// Several reads in one state of the database, with what is known in it.
    pub fn with_known<T>(
        &self,
        read: impl FnOnce(Snapshot<'_>, &mut ReaderMemory) -> Result<T, DbError>,
    ) -> Result<T, DbError> {
        self.shared
            .readers
            .with_known(|connection, known| read(Snapshot(connection), known))
    }

    pub fn list<T: FromRow>(
        &self,
        statement: &'static Statement,
        params: &[Value<'_>],
    ) -> Result<Vec<T>, DbError> {
        self.shared
            .readers
            .with(|connection| list(connection, statement, params))
    }

    /// A point read on a blocking thread that waits for no long read. Not for requests: nothing bounds their number.
    pub async fn find_aside<T: FromRow>(
        &self,
        statement: &'static Statement,
        params: &[Value<'_>],
    ) -> Result<Option<T>, DbError> {
        let owned: Vec<OwnedValue> = params.iter().map(OwnedValue::from).collect();
        let shared = Arc::clone(&self.shared);
        let task = tokio::task::spawn_blocking(move || {
            let values: Vec<Value<'_>> = owned.iter().map(OwnedValue::borrow).collect();
            shared
                .readers
                .with_separate(|connection| find(connection, statement, &values))
        });
        task.await.map_err(|_| DbError::Panicked(statement.name()))?
    }

    pub async fn list_heavy<T: FromRow>(
        &self,
        statement: &'static Statement,
        params: &[Value<'_>],
    ) -> Result<Vec<T>, DbError> {
        let owned: Vec<OwnedValue> = params.iter().map(OwnedValue::from).collect();
        let shared = Arc::clone(&self.shared);
        let permit = Arc::clone(&self.shared.heavy).acquire_owned().await;
        let permit = permit.map_err(|error| DbError::Unavailable(error.to_string()))?;
        let task = tokio::task::spawn_blocking(move || {
            // Held by the read itself: a caller that goes away does not end it.
            let _permit = permit;
            let values: Vec<Value<'_>> = owned.iter().map(OwnedValue::borrow).collect();
            // A connection of its own: a long scan must not hold a slot that point reads wait for.
            shared
                .readers
                .with_separate(|connection| list(connection, statement, &values))
        });
        task.await.map_err(|_| DbError::Panicked(statement.name()))?
    }

    pub async fn write<W: Work>(&self, whose: W::For, work: W) -> Result<W::Output, W::Error> {
        self.shared.queue.submit(whose, work).await
    }

    pub fn empty_log(&self) {
        self.shared.queue.empty_log();
    }

    pub fn last_write_failed(&self) -> bool {
        self.shared.queue.last_write_failed()
    }

    pub fn writing(&self) -> Writing {
        self.shared.queue.writing()
    }

    pub async fn close(&self) {
        self.shared.queue.close().await;
    }

    pub fn load(&self) -> Load {
        let (waiting, longest_wait) = self.shared.queue.waiting();
        Load {
            waiting,
            longest_wait,
            connections: HEAVY_READS,
            connections_in_use: HEAVY_READS.saturating_sub(self.shared.heavy.available_permits()),
        }
    }

    pub fn commit_seconds(&self) -> &Histogram {
        self.shared.queue.commit_seconds()
    }

    pub async fn verify_files(&self) -> Result<Vec<String>, DbError> {
        let shared = Arc::clone(&self.shared);
        let task = tokio::task::spawn_blocking(move || shared.readers.with_separate(connection::verify));
        task.await.map_err(|_| DbError::Panicked("verify_files"))?
    }

    pub fn check(&self, statement: &'static Statement) -> Result<(), DbError> {
        self.shared
            .readers
            .with(|connection| Ok(connection.prepare(statement.sqlite()).map(drop)?))
    }

    pub fn explain(&self, statement: &'static Statement) -> Result<String, DbError> {
        self.shared
            .readers
            .with(|connection| connection::explain(connection, statement))
    }
}

#[cfg(feature = "testing")]
impl Sqlite {
    /// For tests that write past the store.
    pub(crate) fn move_on(&self) {
        self.shared.readers.move_on();
    }

    pub(crate) fn times_prepared_again(&self, statement: &'static Statement) -> Result<i32, DbError> {
        self.shared.readers.with(|connection| {
            Ok(connection
                .prepare_cached(statement.sqlite())?
                .get_status(rusqlite::StatementStatus::RePrepare))
        })
    }

    pub(crate) fn times_run(&self, statement: &'static Statement) -> Result<i32, DbError> {
        self.shared.readers.sum(|connection| {
            Ok(connection
                .prepare_cached(statement.sqlite())?
                .get_status(rusqlite::StatementStatus::Run))
        })
    }
}

/// One state of the database, for the time of a closure.
#[derive(Clone, Copy)]
pub struct Snapshot<'a>(&'a Connection);

impl Snapshot<'_> {
    pub fn find<T: FromRow>(
        self,
        statement: &'static Statement,
        params: &[Value<'_>],
    ) -> Result<Option<T>, DbError> {
        find(self.0, statement, params)
    }

    pub fn list<T: FromRow>(
        self,
        statement: &'static Statement,
        params: &[Value<'_>],
    ) -> Result<Vec<T>, DbError> {
        list(self.0, statement, params)
    }
}

enum OwnedValue {
    Null,
    Int(i64),
    Text(String),
}

impl From<&Value<'_>> for OwnedValue {
    fn from(value: &Value<'_>) -> Self {
        match *value {
            Value::Null => OwnedValue::Null,
            Value::Int(value) => OwnedValue::Int(value),
            Value::Text(value) => OwnedValue::Text(value.to_owned()),
        }
    }
}

impl OwnedValue {
    fn borrow(&self) -> Value<'_> {
        match self {
            OwnedValue::Null => Value::Null,
            OwnedValue::Int(value) => Value::Int(*value),
            OwnedValue::Text(value) => Value::Text(value),
        }
    }
}

/// The lock that makes one process the owner of the file; it is free again when the result is dropped.
pub(crate) fn lock_directory(path: &Path) -> Result<File, OpenError> {
    let directory = path.parent().unwrap_or(Path::new("."));
    let at = |source| OpenError::Directory {
        path: directory.to_owned(),
        source,
    };
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(directory)
        .map_err(at)?;
    let lock_path = path.with_extension("lock");
    let file = FileOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&lock_path)
        .map_err(at)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(OpenError::Locked {
            path: path.to_owned(),
        }),
        Err(TryLockError::Error(source)) => Err(at(source)),
    }
}

/// A new database file is readable by its owner alone; SQLite gives the files beside it the same mode.
fn make_private(path: &Path) -> Result<(), OpenError> {
    let made = FileOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .mode(0o600)
        .open(path);
    made.map(drop).map_err(|source| OpenError::Directory {
        path: path.to_owned(),
        source,
    })
}

pub(super) fn execute(
    connection: &Connection,
    statement: &'static Statement,
    params: &[Value<'_>],
) -> Result<u64, DbError> {
    let mut prepared = connection.prepare_cached(statement.sqlite())?;
    bind(&mut prepared, params)?;
    Ok(prepared.raw_execute()? as u64)
}

pub(super) fn list<T: FromRow>(
    connection: &Connection,
    statement: &'static Statement,
    params: &[Value<'_>],
) -> Result<Vec<T>, DbError> {
    let mut prepared = connection.prepare_cached(statement.sqlite())?;
    bind(&mut prepared, params)?;
    let mut rows = prepared.raw_query();
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(T::from_row(&Row::Sqlite(row))?);
    }
    Ok(found)
}

fn find<T: FromRow>(
    connection: &Connection,
    statement: &'static Statement,
    params: &[Value<'_>],
) -> Result<Option<T>, DbError> {
    let mut prepared = connection.prepare_cached(statement.sqlite())?;
    bind(&mut prepared, params)?;
    let mut rows = prepared.raw_query();
    rows.next()?.map(|row| T::from_row(&Row::Sqlite(row))).transpose()
}

fn bind(prepared: &mut rusqlite::Statement<'_>, params: &[Value<'_>]) -> Result<(), DbError> {
    if prepared.parameter_count() != params.len() {
        return Err(DbError::Bug(format!(
            "{} parameters given, {} wanted",
            params.len(),
            prepared.parameter_count()
        )));
    }
    for (index, value) in params.iter().enumerate() {
        prepared.raw_bind_parameter(index + 1, value)?;
    }
    Ok(())
}
