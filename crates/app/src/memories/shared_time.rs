//! The time that nodes share, as this node last asked the database for it.

use std::sync::{Mutex, PoisonError};

use storage::Db;
use storage::jobs::{self, Moment};

/// How long an answer is good for. Clocks of machines drift by far less than a millisecond in it.
const GOOD_FOR_MS: i64 = 10_000;

/// What the database said, and when that was by the steady clock, which nobody sets.
#[derive(Default)]
pub struct SharedTime(Mutex<Option<(i64, i64)>>);

impl SharedTime {
    /// The time now. Where the database does not answer, what it said before counts on.
    pub(crate) async fn read(&self, db: &Db, moment: Moment, steady_ms: i64) -> i64 {
        // Nobody shares an embedded database, and a clock that stands still tells the time itself.
        if db.engine() == "sqlite" || moment.ahead_ms.is_none() {
            return moment.here_ms;
        }
        let known = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let counted = known.map(|(told_ms, at_ms)| told_ms + (steady_ms - at_ms));
        if known.is_some_and(|(_, at_ms)| steady_ms - at_ms < GOOD_FOR_MS) {
            return counted.unwrap_or(moment.here_ms);
        }
        match jobs::read_time(db, moment).await {
            Ok(told_ms) => {
                *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((told_ms, steady_ms));
                told_ms
            }
            Err(_) => counted.unwrap_or(moment.here_ms),
        }
    }
}
