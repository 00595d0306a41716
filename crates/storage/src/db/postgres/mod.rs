//! PostgreSQL: point reads over a few shared, pipelined connections; everything else through a pool.

mod chime;
mod connect;
mod pooled;
mod shared;
mod trouble;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use deadpool_postgres::{GenericClient, Object, Pool};
use futures_util::StreamExt;
use prometheus_client::metrics::histogram::Histogram;
use secrecy::SecretString;
use tokio::sync::{Mutex, Semaphore, TryAcquireError};
use tokio::time::{Instant, timeout, timeout_at};

pub use self::chime::Chime;
pub(crate) use self::connect::Connected;
use self::connect::{Connector, silent};
use self::pooled::Pooled;
use self::shared::SharedClients;
use super::share::Shares;
use super::{
    DbError, FromRow, Load, OpenError, OpenOptions, Row, SLOW, Statement, Tx, Value, Work, Writing,
    commit_seconds,
};
use crate::migrate;
use crate::scope::Whose;

/// PostgreSQL may ask for a transaction to be repeated this often before the caller is told to try again.
const REPEATS: u32 = 3;
const LANES: i64 = 64;

#[derive(Clone)]
pub struct Postgres {
    shared: Arc<Shared>,
}

struct Shared {
    connector: Connector,
    pool: Pool,
    readers: Option<SharedClients>,
    /// One permit for each unit of work that may run or wait.
    places: Arc<Semaphore>,
    capacity: u32,
    commits: Histogram,
    failed: AtomicBool,
    jitter: AtomicU64,
    shares: Shares,
    /// Writes of one Org queue here instead of each holding a connection while it waits for the Org's row.
    lanes: Vec<Mutex<()>>,
    read_deadline: Duration,
    /// A long read: the server's own limit should strike first, since it leaves the connection whole.
    heavy_deadline: Duration,
    work_deadline: Duration,
}

impl Postgres {
    pub async fn open(url: &SecretString, options: &OpenOptions) -> Result<Self, OpenError> {
        let connector = Connector::new(url, options)?;
        let mut first = connector.connect_first(options.start_wait).await?;
        migrate::on_postgres(&mut first.client, options.migrate)
            .await
            .map_err(|error| connector.explain_migration(error))?;
        let pool = connector.pool(options.pool_size)?;
        let readers = match options.read_clients {
            0 => None,
            count => Some(SharedClients::connect(connector.clone(), count, options.read_deadline).await?),
        };
        let capacity = u32::try_from(options.write_queue.max(1)).unwrap_or(u32::MAX);
        Ok(Self {
            shared: Arc::new(Shared {
                connector,
                pool,
                readers,
                places: Arc::new(Semaphore::new(capacity as usize)),
                capacity,
                commits: commit_seconds(),
                failed: AtomicBool::new(false),
                jitter: AtomicU64::new(0),
                shares: Shares::of(options.write_queue),
                lanes: (0..LANES).map(|_| Mutex::new(())).collect(),
                read_deadline: options.read_deadline,
                heavy_deadline: options.statement_timeout + options.read_deadline,
                work_deadline: options.work_deadline,
            }),
        })
    }

    /// Hears the signs of other nodes.
    pub async fn chime(&self) -> Result<Chime, DbError> {
        self.shared.connector.chime(self.shared.read_deadline).await
    }

    pub async fn list<T: FromRow>(
        &self,
        statement: &'static Statement,
        params: &[Value<'_>],
    ) -> Result<Vec<T>, DbError> {
        match &self.shared.readers {
            Some(readers) => readers.list(statement, params).await,
            None => {
                let read = self.list_pooled(statement, params);
                timeout(self.shared.read_deadline, read)
                    .await
                    .map_err(|_| silent())?
            }
        }
    }

    pub async fn list_heavy<T: FromRow>(
        &self,
        statement: &'static Statement,
        params: &[Value<'_>],
    ) -> Result<Vec<T>, DbError> {
        let read = self.list_pooled(statement, params);
        timeout(self.shared.heavy_deadline, read)
            .await
            .map_err(|_| silent())?
    }

    async fn list_pooled<T: FromRow>(
        &self,
        statement: &'static Statement,
        params: &[Value<'_>],
    ) -> Result<Vec<T>, DbError> {
        let mut pooled = Pooled::of(&self.shared.pool).await?;
        let client = pooled.client()?;
        let read = async {
            let prepared = client.prepare_cached(statement.postgres()).await?;
            let rows = client.query_raw(&prepared, params).await?;
            collect(rows, |row| T::from_row(&Row::Postgres(row))).await
        };
        let found = read.await;
        if !found.as_ref().is_err_and(DbError::is_fatal) {
            pooled.give_back();
        }
        found
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "close() waits for it by taking back every place in the queue"
    )]
    pub async fn write<W: Work>(&self, whose: W::For, work: W) -> Result<W::Output, W::Error> {
        let share = self.shared.shares.take(whose.org())?;
        let place = Arc::clone(&self.shared.places)
            .try_acquire_owned()
            .map_err(refused)?;
        let shared = Arc::clone(&self.shared);
        // A task of its own: a caller that hangs up must not leave half a transaction behind.
        let task = tokio::spawn(async move {
            let result = shared.run(&whose, &work).await;
            drop((place, share));
            result
        });
        task.await.map_err(|_| DbError::Panicked(W::NAME))?
    }

    pub fn last_write_failed(&self) -> bool {
        self.shared.failed.load(Ordering::Relaxed)
    }

    pub fn writing(&self) -> Writing {
        // Units of one Org take turns and wait for locks, so a slow one is a reason to look and no verdict.
        if self.last_write_failed() || self.shared.shares.longest_wait() >= SLOW {
            Writing::Doubtful
        } else {
            Writing::Fine
        }
    }

    pub async fn close(&self) {
        drop(self.shared.places.acquire_many(self.shared.capacity).await);
        self.shared.places.close();
        self.shared.pool.close();
    }

    pub fn load(&self) -> Load {
        let (shares, pool) = (&self.shared.shares, self.shared.pool.status());
        Load {
            waiting: shares.count(),
            longest_wait: shares.longest_wait(),
            connections: pool.max_size,
            connections_in_use: pool.size.saturating_sub(pool.available),
        }
    }

    pub fn commit_seconds(&self) -> &Histogram {
        &self.shared.commits
    }

    pub async fn check(&self, statement: &'static Statement) -> Result<(), DbError> {
        self.shared
            .pool
            .get()
            .await?
            .prepare(statement.postgres())
            .await?;
        Ok(())
    }

    pub async fn explain(&self, statement: &'static Statement) -> Result<String, DbError> {
        let client = self.shared.pool.get().await?;
        connect::explain(&client, statement).await
    }
}

impl Shared {
    async fn run<W: Work>(&self, whose: &W::For, work: &W) -> Result<W::Output, W::Error> {
        let deadline = Instant::now() + self.work_deadline;
        let _turn = match whose.org() {
            Some(org) => {
                let turn = self.lanes[org.num().rem_euclid(LANES) as usize].lock();
                Some(
                    timeout_at(deadline, turn)
                        .await
                        .map_err(|_| DbError::Overloaded)?,
                )
            }
            None => None,
        };
        let mut attempt = 0;
        loop {
            match self.attempt(whose, work, deadline).await {
                Err((_, true)) if attempt < REPEATS => attempt += 1,
                Err((error, _)) => return Err(error),
                Ok(output) => return Ok(output),
            }
            // Two that met once should not meet again: the pause differs between callers.
            let spread = self.jitter.fetch_add(7, Ordering::Relaxed) % 20;
            tokio::time::sleep(Duration::from_millis(5 * u64::from(attempt) + spread)).await;
        }
    }

    /// One try; the flag says whether it may be repeated.
    async fn attempt<W: Work>(
        &self,
        whose: &W::For,
        work: &W,
        deadline: Instant,
    ) -> Result<W::Output, (W::Error, bool)> {
        let failed = |error: DbError| (W::Error::from(self.note(error)), false);
        let pooled = timeout_at(deadline, Pooled::of(&self.pool)).await;
        let mut pooled = pooled.unwrap_or_else(|_| Err(silent())).map_err(failed)?;
        let client = pooled.client().map_err(failed)?;
        let mut committing = false;
        let ended = timeout_at(deadline, self.on(client, whose, work, &mut committing)).await;
        let (result, failure) = ended.unwrap_or_else(|_| {
            let error = if committing {
                silent().at_commit()
            } else {
                silent()
            };
            (Err(error.clone().into()), Some(error))
        });
        if !failure.as_ref().is_some_and(DbError::is_fatal) {
            pooled.give_back();
        }
        let repeat = matches!(failure, Some(DbError::Repeat(_)));
        failure.map(|failure| self.note(failure));
        result.map_err(|error| (error, repeat))
    }

    /// Runs the unit in a transaction and says which failure of the database decided its fate, if one did.
    async fn on<W: Work>(
        &self,
        client: &mut Object,
        whose: &W::For,
        work: &W,
        committing: &mut bool,
    ) -> (Result<W::Output, W::Error>, Option<DbError>) {
        let transaction = match client.transaction().await.map_err(DbError::from) {
            Ok(transaction) => transaction,
            Err(error) => return (Err(error.clone().into()), Some(error)),
        };
        let mut tx = Tx::postgres(&transaction);
        let result = work.run(&mut tx, whose).await;
        let failure = tx.failure().cloned();
        match (result, failure) {
            (Ok(output), None) => {
                *committing = true;
                let begun = Instant::now();
                let committed = transaction.commit().await;
                self.commits.observe(begun.elapsed().as_secs_f64());
                match committed {
                    Ok(()) => {
                        self.failed.store(false, Ordering::Relaxed);
                        (Ok(output), None)
                    }
                    Err(error) => {
                        let error = DbError::from(error).at_commit();
                        (Err(error.clone().into()), Some(error))
                    }
                }
            }
            (Ok(_), Some(failure)) => {
                let swallowed = DbError::Bug(format!("the unit swallowed a failure: {failure}"));
                (Err(swallowed.into()), None)
            }
            (Err(error), failure) => {
                // The server rolls back when the connection is given up; this only makes it prompt.
                drop(transaction.rollback().await);
                (Err(error), failure)
            }
        }
    }

    fn note(&self, error: DbError) -> DbError {
        if error.is_fatal() {
            self.failed.store(true, Ordering::Relaxed);
        }
        error
    }
}

fn refused(error: TryAcquireError) -> DbError {
    match error {
        TryAcquireError::NoPermits => DbError::Overloaded,
        TryAcquireError::Closed => DbError::Unavailable("the store is closed".to_owned()),
    }
}

/// A connection outside the pool, for work that moves whole tables.
pub(crate) async fn connect_alone(url: &SecretString, options: &OpenOptions) -> Result<Connected, OpenError> {
    connect::Connector::new(url, options)?
        .connect_first(options.start_wait)
        .await
}

/// Reads a result to its end and no further: the stream answers "closed" when polled again.
pub(super) async fn collect<T>(
    rows: tokio_postgres::RowStream,
    read: impl Fn(&tokio_postgres::Row) -> Result<T, DbError>,
) -> Result<Vec<T>, DbError> {
    let mut rows = std::pin::pin!(rows);
    let mut found = Vec::new();
    while let Some(row) = rows.next().await {
        found.push(read(&row?)?);
    }
    Ok(found)
}
