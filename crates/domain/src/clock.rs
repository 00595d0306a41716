//! Where the time comes from.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// Tells the time in milliseconds since the Unix epoch. It may step backwards when the machine's clock is corrected.
pub trait Clock: Send + Sync + 'static {
    fn now_ms(&self) -> i64;
}

/// The clock that all parts of one process share.
pub type SharedClock = Arc<dyn Clock>;

/// The machine's wall clock; a time before 1970 reads as 0.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place where the process reads the wall clock"
    )]
    fn now_ms(&self) -> i64 {
        let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        i64::try_from(elapsed.as_millis()).unwrap_or(i64::MAX)
    }
}

/// A clock that stands still until it is moved.
#[derive(Debug)]
pub struct TestClock(AtomicI64);

impl TestClock {
    pub fn new(start_ms: i64) -> Self {
        Self(AtomicI64::new(start_ms))
    }

    /// Moves the clock; a negative step moves it back.
    pub fn advance_ms(&self, step_ms: i64) {
        self.0.fetch_add(step_ms, Ordering::SeqCst);
    }

    pub fn set_ms(&self, now_ms: i64) {
        self.0.store(now_ms, Ordering::SeqCst);
    }
}

impl Clock for TestClock {
    fn now_ms(&self) -> i64 {
        self.0.load(Ordering::SeqCst)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_clock_moves_only_when_told() {
        let clock = TestClock::new(1_000);
        assert_eq!(clock.now_ms(), 1_000);
        clock.advance_ms(250);
        assert_eq!(clock.now_ms(), 1_250);
        clock.advance_ms(-300);
        assert_eq!(clock.now_ms(), 950);
        clock.set_ms(7);
        assert_eq!(clock.now_ms(), 7);
    }

    #[test]
    fn system_clock_tells_a_time_after_this_was_written() {
        assert!(SystemClock.now_ms() > 1_700_000_000_000);
    }

    #[test]
    fn clocks_are_shared_behind_one_type() {
        let shared: SharedClock = Arc::new(TestClock::new(5));
        assert_eq!(shared.now_ms(), 5);
    }
}
