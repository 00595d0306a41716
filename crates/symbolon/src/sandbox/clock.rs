//! A clock that can be set back, so that the demo world has a past, and ahead, so that things run out.

use std::sync::atomic::{AtomicI64, Ordering};

use domain::clock::{Clock, SystemClock};

#[derive(Default)]
pub struct SandboxClock {
    offset_ms: AtomicI64,
    /// The farthest the clock was ever set ahead: waiting can be skipped, never undone.
    skipped_ms: AtomicI64,
}

impl SandboxClock {
    pub fn set_offset_ms(&self, offset_ms: i64) {
        self.offset_ms.store(offset_ms, Ordering::SeqCst);
        self.skipped_ms.fetch_max(offset_ms, Ordering::SeqCst);
    }

    pub fn offset_ms(&self) -> i64 {
        self.offset_ms.load(Ordering::SeqCst)
    }
}

impl Clock for SandboxClock {
    fn now_ms(&self) -> i64 {
        SystemClock.now_ms() + self.offset_ms.load(Ordering::SeqCst)
    }

    fn steady_ms(&self) -> i64 {
        SystemClock.steady_ms() + self.skipped_ms.load(Ordering::SeqCst)
    }

    fn ahead_ms(&self) -> Option<i64> {
        Some(self.offset_ms())
    }
}
