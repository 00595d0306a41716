//! Waits that double, each shorter by chance so that not all bots of a region come back at the same moment.

use std::time::Duration;

use domain::random::{SystemRandom, bytes};

pub struct Backoff {
    first: Duration,
    longest: Duration,
    times: u32,
}

impl Backoff {
    pub const fn new(first: Duration, longest: Duration) -> Self {
        Self {
            first,
            longest,
            times: 0,
        }
    }

    /// How long to wait this time.
    pub fn next(&mut self) -> Duration {
        let whole = wait(self.first, self.longest, self.times);
        self.times = self.times.saturating_add(1);
        shortened(whole)
    }

    pub fn reset(&mut self) {
        self.times = 0;
    }
}

/// The wait after so many that came before.
pub fn wait(first: Duration, longest: Duration, times: u32) -> Duration {
    first.saturating_mul(2_u32.saturating_pow(times)).min(longest)
}

/// By a quarter at most.
pub fn shortened(whole: Duration) -> Duration {
    let [chance] = bytes::<1>(&SystemRandom);
    whole - whole * u32::from(chance) / 1_024
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_the_longest_and_begin_anew_after_success() {
        let seconds = Duration::from_secs;
        let mut backoff = Backoff::new(seconds(1), seconds(60));
        for whole in [1, 2, 4, 8, 16, 32, 60, 60] {
            let wait = backoff.next();
            assert!(wait <= seconds(whole) && wait > seconds(whole) * 3 / 4, "{whole}");
        }
        backoff.reset();
        assert!(backoff.next() <= seconds(1));
        backoff.times = u32::MAX;
        assert!(backoff.next() <= seconds(60));
    }
}
