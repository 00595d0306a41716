//! Lines that the process log lost. The log belongs to the process, and so does the count.

use std::sync::atomic::{AtomicU64, Ordering};

static DROPPED: AtomicU64 = AtomicU64::new(0);

/// One more line could not be written.
pub fn note_dropped() {
    DROPPED.fetch_add(1, Ordering::Relaxed);
}

/// Lines lost since the process began.
pub fn dropped() -> u64 {
    DROPPED.load(Ordering::Relaxed)
}
