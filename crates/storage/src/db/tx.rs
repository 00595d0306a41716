//! A unit of work and the transaction it is given.

use std::future::Future;

use deadpool_postgres::GenericClient;

use super::{DbError, FromRow, Row, Statement, Value, postgres, sqlite};
use crate::scope::Whose;

/// A repeatable unit of work: everything it writes is committed together or not at all.
///
/// PostgreSQL may ask for a repetition, so `run` borrows its inputs: ids, times and random values are made
/// before it. It awaits nothing but the database.
pub trait Work: Send + Sync + 'static {
    /// Whose unit it is. Whoever runs it says so once: it decides whose share of the write queue is used, and `run` is
    /// given it.
    type For: Whose;
    /// Handed back once the commit is durable.
    type Output: Send + 'static;
    /// A refusal undoes all that the unit wrote.
    type Error: From<DbError> + Send + 'static;

    /// For log lines and failures.
    const NAME: &'static str;

    /// Reads, decides and writes. Locks come in the order Org, then rows in sorted order, then the audit chain.
    fn run(
        &self,
        tx: &mut Tx<'_>,
        whose: &Self::For,
    ) -> impl Future<Output = Result<Self::Output, Self::Error>> + Send;
}

enum Driver<'c> {
    Sqlite(&'c mut rusqlite::Connection),
    Postgres(&'c deadpool_postgres::Transaction<'c>),
}

/// An open transaction. After one failed statement it refuses further ones, as PostgreSQL does by itself.
pub struct Tx<'c> {
    driver: Driver<'c>,
    failure: Option<DbError>,
}

impl<'c> Tx<'c> {
    pub(super) fn sqlite(connection: &'c mut rusqlite::Connection) -> Self {
        Self {
            driver: Driver::Sqlite(connection),
            failure: None,
        }
    }

    pub(super) fn postgres(transaction: &'c deadpool_postgres::Transaction<'c>) -> Self {
        Self {
            driver: Driver::Postgres(transaction),
            failure: None,
        }
    }

    /// The first failure of a statement in this transaction.
    pub(super) fn failure(&self) -> Option<&DbError> {
        self.failure.as_ref()
    }

    /// Runs a statement and returns the number of rows it changed.
    pub async fn execute(
        &mut self,
        statement: &'static Statement,
        params: &[Value<'_>],
    ) -> Result<u64, DbError> {
        self.refuse_after_failure()?;
        let result = match &mut self.driver {
            Driver::Sqlite(connection) => sqlite::execute(connection, statement, params),
            Driver::Postgres(transaction) => postgres_execute(transaction, statement, params).await,
        };
        self.remember(result)
    }

    /// Runs a statement that must change exactly one row; anything else is a defect.
    pub async fn execute_one(
        &mut self,
        statement: &'static Statement,
        params: &[Value<'_>],
    ) -> Result<(), DbError> {
        match self.execute(statement, params).await? {
            1 => Ok(()),
            changed => {
                let error = DbError::Bug(format!(
                    "{} changed {changed} rows instead of one",
                    statement.name()
                ));
                self.remember(Err(error))
            }
        }
    }

    /// Runs a statement that changes its one row only at the revision that the caller saw.
    pub async fn execute_unless_stale(
        &mut self,
        statement: &'static Statement,
        params: &[Value<'_>],
    ) -> Result<(), DbError> {
        match self.execute(statement, params).await? {
            0 => self.remember(Err(DbError::Stale)),
            _ => Ok(()),
        }
    }

    /// The first row, if there is one.
    pub async fn find<T: FromRow>(
        &mut self,
        statement: &'static Statement,
        params: &[Value<'_>],
    ) -> Result<Option<T>, DbError> {
        Ok(self.list(statement, params).await?.into_iter().next())
    }

    /// The first row of a statement that always gives one (an aggregate, a RETURNING).
    pub async fn get<T: FromRow>(
        &mut self,
        statement: &'static Statement,
        params: &[Value<'_>],
    ) -> Result<T, DbError> {
        match self.find(statement, params).await? {
            Some(row) => Ok(row),
            None => self.remember(Err(DbError::Bug(format!("{} gave no row", statement.name())))),
        }
    }

    /// All rows. The statement bounds them.
    pub async fn list<T: FromRow>(
        &mut self,
        statement: &'static Statement,
        params: &[Value<'_>],
    ) -> Result<Vec<T>, DbError> {
        self.refuse_after_failure()?;
        let result = match &mut self.driver {
            Driver::Sqlite(connection) => sqlite::list(connection, statement, params),
            Driver::Postgres(transaction) => postgres_list(transaction, statement, params).await,
        };
        self.remember(result)
    }

    fn remember<T>(&mut self, result: Result<T, DbError>) -> Result<T, DbError> {
        if let Err(error) = &result {
            self.failure.get_or_insert_with(|| error.clone());
        }
        result
    }

    fn refuse_after_failure(&self) -> Result<(), DbError> {
        match &self.failure {
            Some(failure) => Err(DbError::Bug(format!(
                "the unit went on after a failure: {failure}"
            ))),
            None => Ok(()),
        }
    }
}

async fn postgres_execute(
    transaction: &deadpool_postgres::Transaction<'_>,
    statement: &'static Statement,
    params: &[Value<'_>],
) -> Result<u64, DbError> {
    let prepared = transaction.prepare_cached(statement.postgres()).await?;
    Ok(GenericClient::execute_raw(transaction, &prepared, params).await?)
}

async fn postgres_list<T: FromRow>(
    transaction: &deadpool_postgres::Transaction<'_>,
    statement: &'static Statement,
    params: &[Value<'_>],
) -> Result<Vec<T>, DbError> {
    let prepared = transaction.prepare_cached(statement.postgres()).await?;
    let rows = GenericClient::query_raw(transaction, &prepared, params).await?;
    postgres::collect(rows, |row| T::from_row(&Row::Postgres(row))).await
}
