//! A connection out of the pool that returns only when its work has come to an end.

use deadpool_postgres::{Object, Pool};

use crate::db::DbError;

/// Dropped half-way, by a failure, a deadline or a caller who left, the connection is closed: the server may hang, and
/// the driver may not have noticed yet that it is dead. Nobody else is to get it.
pub(super) struct Pooled(Option<Object>);

impl Pooled {
    pub(super) async fn of(pool: &Pool) -> Result<Self, DbError> {
        Ok(Self(Some(pool.get().await?)))
    }

    pub(super) fn client(&mut self) -> Result<&mut Object, DbError> {
        let gone = || DbError::Bug("a connection was used after it was given back".to_owned());
        self.0.as_mut().ok_or_else(gone)
    }

    pub(super) fn give_back(mut self) {
        drop(self.0.take());
    }
}

impl Drop for Pooled {
    fn drop(&mut self) {
        if let Some(object) = self.0.take() {
            drop(Object::take(object));
        }
    }
}
