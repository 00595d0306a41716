//! Where the time comes from.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Tells the time, as two numbers that must not be mixed.
pub trait Clock: Send + Sync + 'static {
    /// Milliseconds since the Unix epoch. It may step backwards when the machine's clock is corrected.
    fn now_ms(&self) -> i64;

    /// Milliseconds since some moment in the past, for measuring how long something takes or has to wait. It never
    /// steps, whatever happens to the machine's clock; it means nothing to another process.
    fn steady_ms(&self) -> i64;

    /// How far `now_ms` is ahead of the machine's own time; none for a clock that does not move with it. What several
    /// nodes agree on is measured by the database's clock, moved by this.
    fn ahead_ms(&self) -> Option<i64>;
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

    fn steady_ms(&self) -> i64 {
        static BEGAN: LazyLock<Instant> = LazyLock::new(Instant::now);
        // Not from 0: a bucket that was never touched must lie in the past.
        HOUR_MS + i64::try_from(BEGAN.elapsed().as_millis()).unwrap_or(i64::MAX - HOUR_MS)
    }

    fn ahead_ms(&self) -> Option<i64> {
        Some(0)
    }
}

const HOUR_MS: i64 = 60 * 60_000;

/// A clock that stands still until it is moved.
#[derive(Debug)]
pub struct TestClock {
    now_ms: AtomicI64,
    steady_ms: AtomicI64,
}

impl TestClock {
    pub fn new(start_ms: i64) -> Self {
        Self {
            now_ms: AtomicI64::new(start_ms),
            steady_ms: AtomicI64::new(HOUR_MS),
        }
    }

    /// Lets time pass. A negative step sets the wall clock back, and no time passes.
    pub fn advance_ms(&self, step_ms: i64) {
        self.now_ms.fetch_add(step_ms, Ordering::SeqCst);
        self.steady_ms.fetch_add(step_ms.max(0), Ordering::SeqCst);
    }

    /// Sets the wall clock, without any time passing.
    pub fn set_ms(&self, now_ms: i64) {
        self.now_ms.store(now_ms, Ordering::SeqCst);
    }
}

impl Clock for TestClock {
    fn now_ms(&self) -> i64 {
        self.now_ms.load(Ordering::SeqCst)
    }

    fn steady_ms(&self) -> i64 {
        self.steady_ms.load(Ordering::SeqCst)
    }

    fn ahead_ms(&self) -> Option<i64> {
        None
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
    fn setting_the_wall_clock_leaves_the_steady_one_alone() {
        let clock = TestClock::new(1_000);
        let began = clock.steady_ms();
        clock.advance_ms(250);
        clock.advance_ms(-600_000);
        clock.set_ms(7);
        assert_eq!(clock.steady_ms(), began + 250);
    }

    #[test]
    fn the_steady_clock_of_the_machine_only_goes_forward() {
        let times: Vec<i64> = (0..1_000).map(|_| SystemClock.steady_ms()).collect();
        assert!(times.is_sorted() && times[0] > 0);
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
