//! One small layer over the two drivers: reads, and units of work.

pub(crate) mod error;
mod postgres;
mod share;
pub(crate) mod sqlite;
pub(crate) mod statement;
mod tx;
mod value;

use std::path::PathBuf;
use std::time::Duration;

use prometheus_client::metrics::histogram::Histogram;
use secrecy::SecretString;

pub use error::{Broken, DbError};
pub use postgres::Chime;
pub(crate) use postgres::connect_alone;
pub(crate) use sqlite::{Memo, ReaderMemory, Snapshot, lock_directory};
pub use statement::Statement;
pub use tx::{Tx, Work};
pub use value::{FromRow, Record, Row, Value};

use crate::migrate::{Migrate, MigrateError};
use crate::scope::NoOrg;

/// Where the data is and how much of the machine the store may use.
#[derive(Debug, Clone)]
pub struct OpenOptions {
    /// Which of the two databases, and where.
    pub target: Target,
    /// Whether the schema may be changed.
    pub migrate: Migrate,
    /// Units of work that may wait; the next one is refused at once.
    pub write_queue: usize,
    /// SQLite: read connections. PostgreSQL: pooled connections.
    pub pool_size: usize,
    /// PostgreSQL: shared pipelined connections for point reads; 0 sends reads through the pool.
    pub read_clients: usize,
    /// PostgreSQL: the server ends a statement after it.
    pub statement_timeout: Duration,
    /// PostgreSQL: the server gives up waiting for a lock after it.
    pub lock_timeout: Duration,
    /// PostgreSQL: how long we wait for a connection, a new one or one of the pool.
    pub connect_deadline: Duration,
    /// PostgreSQL: how long we wait for a point read. A server that hangs keeps neither its own limits nor a promise.
    pub read_deadline: Duration,
    /// How long a caller waits for its unit of work, from the queue to the commit.
    pub work_deadline: Duration,
    /// PostgreSQL: certificates to trust instead of the system's.
    pub tls_roots: Option<PathBuf>,
    /// PostgreSQL: how long a server that does not answer is waited for.
    pub start_wait: Duration,
}

/// Where the data is.
#[derive(Debug, Clone)]
pub enum Target {
    /// Embedded; one process at a time.
    Sqlite {
        /// Of the file, beside which its log and its lock stand.
        path: PathBuf,
    },
    /// For several nodes.
    Postgres {
        /// With the password, so it is never printed.
        url: SecretString,
    },
}

/// Why the store could not be opened. Each text tells the operator what to do.
#[expect(missing_docs, reason = "each message says what happened")]
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error(
        "{path} is in use by another process; one process owns an embedded database (use PostgreSQL for several nodes)"
    )]
    Locked { path: PathBuf },
    #[error(
        "there is no database at {}: check --data and database.url; `symbolon serve` makes a new one", path.display()
    )]
    NoDatabase { path: PathBuf },
    #[error("cannot use {path}: {source}")]
    Directory { path: PathBuf, source: std::io::Error },
    #[error("SQLite {found} is too old, {needed} or newer is needed")]
    SqliteTooOld { found: String, needed: &'static str },
    #[error("the database address is not valid: {0}")]
    Address(String),
    /// PostgreSQL does not let us in, with the setting to change.
    #[error("{0}")]
    Postgres(String),
    #[error(transparent)]
    Migrate(#[from] MigrateError),
    #[error(transparent)]
    Database(#[from] DbError),
}

/// What a store was left with that did not close in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "the database did not close in time; changes left under way, which may or may not be stored: {units}"
)]
pub struct Unfinished {
    /// Their callers were told neither yes nor no.
    pub units: usize,
}

/// Whether writes go through, as far as that is known without one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Writing {
    /// The last one went through, and none is slow.
    Fine,
    /// The last one failed, or one is slow: only another one can tell.
    Doubtful,
    /// One has waited this long for a writer that takes them in turn; another one would wait behind it.
    Stuck(Duration),
}

/// How much the store has to do, for metrics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Load {
    /// Units of work that wait for their answer.
    pub waiting: usize,
    /// How long the first of them has waited.
    pub longest_wait: Duration,
    /// SQLite: connections for long reads. PostgreSQL: all of the pool.
    pub connections: usize,
    /// As many as this are busy; waiting begins at `connections`.
    pub connections_in_use: usize,
}

/// Upper ends of the buckets in which commits are counted, in seconds.
const COMMIT_BUCKETS: [f64; 10] = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 2.0];

fn commit_seconds() -> Histogram {
    Histogram::new(COMMIT_BUCKETS)
}

/// A unit of work that has waited this long says something about the database.
const SLOW: Duration = Duration::from_secs(2);

/// The open store; clones share it.
#[derive(Clone)]
pub enum Db {
    /// One writer thread and a few readers.
    Sqlite(sqlite::Sqlite),
    /// A pool for units, and shared connections for look-ups.
    Postgres(postgres::Postgres),
}

impl Db {
    /// Connects, checks versions and brings the schema up to date if asked to.
    pub async fn open(options: OpenOptions) -> Result<Db, OpenError> {
        match options.target.clone() {
            Target::Sqlite { path } => sqlite::Sqlite::open(&path, &options).map(Db::Sqlite),
            Target::Postgres { url } => postgres::Postgres::open(&url, &options).await.map(Db::Postgres),
        }
    }

    /// A store for looking only, which also opens while another process owns the embedded database.
    pub async fn open_beside(options: OpenOptions) -> Result<Db, OpenError> {
        match &options.target {
            Target::Sqlite { path } => sqlite::Sqlite::open_beside(path).map(Db::Sqlite),
            Target::Postgres { .. } => {
                Db::open(OpenOptions {
                    migrate: Migrate::Require,
                    ..options
                })
                .await
            }
        }
    }

    /// Hears the signs of other nodes on this database; none for an embedded one, which has no others.
    pub async fn chime(&self) -> Result<Option<Chime>, DbError> {
        match self {
            Db::Sqlite(_) => Ok(None),
            Db::Postgres(db) => db.chime().await.map(Some),
        }
    }

    /// "sqlite" or "postgres", for people and metrics.
    pub fn engine(&self) -> &'static str {
        match self {
            Db::Sqlite(_) => "sqlite",
            Db::Postgres(_) => "postgres",
        }
    }

    /// The first row of an indexed point read. On SQLite it runs inline, in microseconds.
    pub async fn find<T: FromRow>(
        &self,
        statement: &'static Statement,
        params: &[Value<'_>],
    ) -> Result<Option<T>, DbError> {
        match self {
            Db::Sqlite(db) => db.find(statement, params),
            Db::Postgres(db) => Ok(db.list(statement, params).await?.into_iter().next()),
        }
    }

    /// A few rows by index; the statement bounds them.
    pub async fn list<T: FromRow>(
        &self,
        statement: &'static Statement,
        params: &[Value<'_>],
    ) -> Result<Vec<T>, DbError> {
        match self {
            Db::Sqlite(db) => db.list(statement, params),
            Db::Postgres(db) => db.list(statement, params).await,
        }
    }

    /// Rows of a query that may touch many: kept off the threads that serve requests.
    pub async fn list_heavy<T: FromRow>(
        &self,
        statement: &'static Statement,
        params: &[Value<'_>],
    ) -> Result<Vec<T>, DbError> {
        match self {
            Db::Sqlite(db) => db.list_heavy(statement, params).await,
            Db::Postgres(db) => db.list_heavy(statement, params).await,
        }
    }

    /// Runs a unit of work for whomever it is made for. `Ok` means it is on disk. A caller that goes away does not stop
    /// it; one that has waited until the deadline is told whether it may still happen.
    pub async fn write_for<W: Work>(&self, whose: W::For, work: W) -> Result<W::Output, W::Error> {
        match self {
            Db::Sqlite(db) => db.write(whose, work).await,
            Db::Postgres(db) => db.write(whose, work).await,
        }
    }

    /// The same for a unit that is no Org's.
    pub async fn write<W: Work<For = NoOrg>>(&self, work: W) -> Result<W::Output, W::Error> {
        self.write_for(NoOrg, work).await
    }

    /// What was erased is not left in the log of an embedded database: it is emptied soon, also while others write.
    /// PostgreSQL keeps what it needs and recycles the rest by itself.
    pub fn empty_log(&self) {
        match self {
            Db::Sqlite(db) => db.empty_log(),
            Db::Postgres(_) => {}
        }
    }

    /// Whether the last write reached the disk; cheap, for readiness.
    pub fn last_write_failed(&self) -> bool {
        match self {
            Db::Sqlite(db) => db.last_write_failed(),
            Db::Postgres(db) => db.last_write_failed(),
        }
    }

    /// Whether writes go through; cheap, for readiness.
    pub fn writing(&self) -> Writing {
        match self {
            Db::Sqlite(db) => db.writing(),
            Db::Postgres(db) => db.writing(),
        }
    }

    /// How much there is to do right now; cheap, for metrics.
    pub fn load(&self) -> Load {
        match self {
            Db::Sqlite(db) => db.load(),
            Db::Postgres(db) => db.load(),
        }
    }

    /// How long commits took; on SQLite one commit is for all units that were waiting.
    pub fn commit_seconds(&self) -> &Histogram {
        match self {
            Db::Sqlite(db) => db.commit_seconds(),
            Db::Postgres(db) => db.commit_seconds(),
        }
    }

    /// Waits for accepted units of work and closes the store.
    pub async fn close(&self) {
        match self {
            Db::Sqlite(db) => db.close().await,
            Db::Postgres(db) => db.close().await,
        }
    }

    /// The same for a process that has to end: a database that hangs is left behind after this long.
    pub async fn close_within(&self, limit: Duration) -> Result<(), Unfinished> {
        let closed = tokio::time::timeout(limit, self.close()).await;
        closed.map_err(|_| Unfinished {
            units: self.load().waiting,
        })
    }

    /// Checks the database's own structure (SQLite: integrity and foreign keys) and returns what is wrong.
    pub async fn verify_files(&self) -> Result<Vec<String>, DbError> {
        match self {
            Db::Sqlite(db) => db.verify_files().await,
            // PostgreSQL checks its pages itself when checksums are on; foreign keys cannot be broken there.
            Db::Postgres(_) => Ok(Vec::new()),
        }
    }

    /// Prepares a statement without running it and says what is wrong with it, if anything.
    pub async fn check(&self, statement: &'static Statement) -> Result<(), DbError> {
        match self {
            Db::Sqlite(db) => db.check(statement),
            Db::Postgres(db) => db.check(statement).await,
        }
    }

    /// The query plan as text lines, for the test that forbids table scans.
    pub async fn explain(&self, statement: &'static Statement) -> Result<String, DbError> {
        match self {
            Db::Sqlite(db) => db.explain(statement),
            Db::Postgres(db) => db.explain(statement).await,
        }
    }
}
