//! Counts that are kept in memory and written once a minute. Losing the last minute is acceptable.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, MutexGuard, PoisonError};

use storage::{Db, DbError, NoOrg, Tx, Work};

use crate::error::{AppError, ServiceError};

/// Different counts between two writes; beyond it new ones are left out.
const MOST: usize = 50_000;
/// Rows written by one unit.
const SLICE: usize = 200;

pub(crate) const HOUR_MS: i64 = 60 * 60_000;

/// What is counted, and the row that it is added to.
pub(crate) trait Tallied: Clone + Eq + Hash + Ord + Send + Sync + 'static {
    /// Of the unit that writes it.
    const NAME: &'static str;

    fn add(&self, tx: &mut Tx<'_>, times: i64) -> impl Future<Output = Result<(), DbError>> + Send;
}

struct Write<T>(Vec<(T, i64)>);

impl<T: Tallied> Work for Write<T> {
    type For = NoOrg;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = T::NAME;

    async fn run(&self, tx: &mut Tx<'_>, _: &NoOrg) -> Result<(), AppError> {
        for (tally, times) in &self.0 {
            tally.add(tx, *times).await?;
        }
        Ok(())
    }
}

/// Counts since the last write.
pub(crate) struct Tallies<T> {
    counts: Mutex<HashMap<T, i64>>,
}

impl<T> Default for Tallies<T> {
    fn default() -> Self {
        Self {
            counts: Mutex::default(),
        }
    }
}

impl<T: Clone + Eq + Hash + Ord> Tallies<T> {
    pub(crate) fn count(&self, tally: T) {
        let mut counts = self.locked();
        if counts.len() < MOST || counts.contains_key(&tally) {
            *counts.entry(tally).or_default() += 1;
        }
    }

    /// Writes down what was counted, in the order of the rows. What could not be written is kept for the next time.
    pub(crate) async fn flush(&self, db: &Db) -> Result<(), AppError>
    where
        T: Tallied,
    {
        self.hand_over(|slice| db.write(Write(slice))).await
    }

    async fn hand_over<W>(&self, write: impl Fn(Vec<(T, i64)>) -> W) -> Result<(), AppError>
    where
        W: Future<Output = Result<(), AppError>>,
    {
        let mut counts: Vec<(T, i64)> = self.locked().drain().collect();
        counts.sort_unstable();
        for (index, slice) in counts.chunks(SLICE).enumerate() {
            if let Err(error) = write(slice.to_vec()).await {
                // What may have been stored is not counted twice.
                let in_doubt = matches!(error, AppError::Service(ServiceError::OutcomeUnknown(_)));
                let unwritten = (index + usize::from(in_doubt)) * SLICE;
                self.restore(counts.get(unwritten..).unwrap_or_default());
                return Err(error);
            }
        }
        Ok(())
    }

    fn restore(&self, unwritten: &[(T, i64)]) {
        let mut counts = self.locked();
        for (tally, times) in unwritten {
            *counts.entry(tally.clone()).or_default() += times;
        }
    }

    fn locked(&self) -> MutexGuard<'_, HashMap<T, i64>> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[cfg(test)]
    pub(crate) fn seen(&self) -> Vec<(T, i64)> {
        let mut counts: Vec<_> = self.locked().clone().into_iter().collect();
        counts.sort_unstable();
        counts
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    #[tokio::test]
    async fn what_was_not_written_is_added_to_what_came_since() {
        let tallies = Tallies::default();
        for number in 0..300 {
            tallies.count(number);
        }
        let written = RefCell::new(Vec::new());
        let flushed = tallies
            .hand_over(async |slice| {
                tallies.count(299);
                if written.borrow().is_empty() {
                    written.borrow_mut().extend(slice);
                    return Ok(());
                }
                Err(AppError::internal("away"))
            })
            .await;
        assert!(flushed.is_err());
        assert_eq!(written.borrow().len(), SLICE);
        let left = tallies.seen();
        assert_eq!((left.len(), left[0], left[99]), (100, (200, 1), (299, 3)));
    }
}
