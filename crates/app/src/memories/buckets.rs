//! Rate limits in memory: a bucket for whoever calls, with a bound on how many there are.

use std::hash::Hash;
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};

use domain::plan::RateLimit;
use domain::rate::{self, Decision};
use papaya::HashMap;

/// Buckets kept per kind; beyond it the rarely used ones are swept, then newcomers share one bucket.
pub(super) const MAX_CELLS: usize = 65_536;
/// How often a full set of buckets is searched for idle ones.
const SWEEP_MS: i64 = 1_000;

/// Plain buckets with a bound on their number.
pub(super) struct Buckets<K> {
    cells: HashMap<K, AtomicI64>,
    shared: AtomicI64,
    swept_at_ms: AtomicI64,
}

impl<K: Hash + Eq + Send + Sync> Buckets<K> {
    pub(super) fn new() -> Self {
        Self {
            cells: HashMap::new(),
            shared: AtomicI64::new(0),
            swept_at_ms: AtomicI64::new(0),
        }
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.cells.len()
    }

    pub(super) fn take(&self, key: K, steady_ms: i64, limit: RateLimit) -> Decision {
        let cells = self.cells.pin();
        if let Some(bucket) = cells.get(&key) {
            return take(bucket, steady_ms, limit);
        }
        // Looking through all of them for every newcomer would be the attack's own work; once a second is enough.
        if cells.len() >= MAX_CELLS && self.is_sweep_due(steady_ms) {
            self.sweep(steady_ms);
        }
        if cells.len() >= MAX_CELLS {
            return take(&self.shared, steady_ms, limit);
        }
        take(
            cells.get_or_insert_with(key, AtomicI64::default),
            steady_ms,
            limit,
        )
    }

    /// True for one caller a second.
    fn is_sweep_due(&self, steady_ms: i64) -> bool {
        let last = self.swept_at_ms.load(Relaxed);
        steady_ms - last >= SWEEP_MS
            && self
                .swept_at_ms
                .compare_exchange(last, steady_ms, Relaxed, Relaxed)
                .is_ok()
    }

    /// A bucket whose time has passed is full, the same as none.
    pub(super) fn sweep(&self, steady_ms: i64) {
        self.cells
            .pin()
            .retain(|_, bucket| bucket.load(Relaxed) > steady_ms * 1000);
    }
}

/// Counts a call against one bucket.
pub(super) fn take(bucket: &AtomicI64, steady_ms: i64, limit: RateLimit) -> Decision {
    let mut seen = bucket.load(Relaxed);
    loop {
        let decision = rate::decide(seen, steady_ms, limit);
        match bucket.compare_exchange_weak(seen, decision.new_tat, Relaxed, Relaxed) {
            Ok(_) => return decision,
            Err(newer) => seen = newer,
        }
    }
}
