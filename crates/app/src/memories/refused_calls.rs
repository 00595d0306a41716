//! Plugin calls that were refused, by key.

use storage::keys::refusals;
use storage::keys::refusals::Tally;
use storage::{Db, KeyNum, NoOrg, Tx, Work};

use super::tallies::{HOUR_MS, Tallies};
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
        self.counts.flush(|slice| db.write(Write(slice))).await
    }
}

struct Write(Vec<(Tally, i64)>);

impl Work for Write {
    type For = NoOrg;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "write_refused_calls";

    async fn run(&self, tx: &mut Tx<'_>, _: &NoOrg) -> Result<(), AppError> {
        for (tally, calls) in &self.0 {
            refusals::add(tx, tally, *calls).await?;
        }
        Ok(())
    }
}
