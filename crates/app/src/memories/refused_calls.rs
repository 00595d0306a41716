//! Plugin calls that were refused, by key.

use storage::keys::refusals;
use storage::keys::refusals::Tally;
use storage::{Db, DbError, KeyNum, Tx};

use super::tallies::{HOUR_MS, Tallied, Tallies};
use crate::error::AppError;

/// Counts since the last write.
#[derive(Default)]
pub struct RefusedCalls {
    counts: Tallies<Tally>,
}

impl RefusedCalls {
    /// A call with this key was answered with this code.
    pub fn note(&self, key: KeyNum, code: &'static str, now_ms: i64) {
        self.counts.count(Tally {
            key,
            hour: now_ms.div_euclid(HOUR_MS),
            code,
        });
    }

    /// Writes down what was counted.
    pub async fn flush(&self, db: &Db) -> Result<(), AppError> {
        self.counts.flush(db).await
    }
}

impl Tallied for Tally {
    const NAME: &'static str = "write_refused_calls";

    async fn add(&self, tx: &mut Tx<'_>, times: i64) -> Result<(), DbError> {
        refusals::add(tx, self, times).await
    }
}
