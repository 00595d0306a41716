//! When to stop asking a service that fails, and when to try it again.

/// Failures in a row that open the breaker.
pub const FAILURES_TO_OPEN: u32 = 5;
/// While it is open, one call in this time is let through to see whether the service is back.
pub const PROBE_EVERY_MS: i64 = 5_000;

/// The state of one service. Successes and failures are told to it; time is passed in, of a clock that never steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Breaker {
    failures: u32,
    /// Present while open.
    next_probe_ms: Option<i64>,
}

/// Whether a call may be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    Allowed,
    Refused { retry_after_ms: i64 },
}

/// What a report changed, for the log: the state is told once, not once per call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    Same,
    Opened,
    Closed,
}

impl Breaker {
    /// Asks for one call. While open, an allowed call is the only one of its five seconds.
    pub fn admit(&mut self, now_ms: i64) -> Admission {
        let Some(next_probe_ms) = self.next_probe_ms else {
            return Admission::Allowed;
        };
        let wait_ms = next_probe_ms.saturating_sub(now_ms);
        if wait_ms > 0 {
            return Admission::Refused {
                retry_after_ms: wait_ms,
            };
        }
        self.next_probe_ms = Some(now_ms.saturating_add(PROBE_EVERY_MS));
        Admission::Allowed
    }

    pub fn is_open(&self) -> bool {
        self.next_probe_ms.is_some()
    }

    /// One success closes it, whichever call it came from.
    pub fn succeeded(&mut self) -> Turn {
        self.failures = 0;
        match self.next_probe_ms.take() {
            Some(_) => Turn::Closed,
            None => Turn::Same,
        }
    }

    /// Failures of calls that were under way when it opened do not move the next probe.
    pub fn failed(&mut self, now_ms: i64) -> Turn {
        self.failures = self.failures.saturating_add(1);
        if self.failures < FAILURES_TO_OPEN || self.next_probe_ms.is_some() {
            return Turn::Same;
        }
        self.next_probe_ms = Some(now_ms.saturating_add(PROBE_EVERY_MS));
        Turn::Opened
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NOW: i64 = 1_800_000_000_000;

    fn open() -> Breaker {
        let mut breaker = Breaker::default();
        for _ in 0..FAILURES_TO_OPEN {
            breaker.failed(NOW);
        }
        breaker
    }

    #[test]
    fn the_fifth_failure_in_a_row_opens_it() {
        let mut breaker = Breaker::default();
        for _ in 0..4 {
            assert_eq!(breaker.failed(NOW), Turn::Same);
            assert_eq!(breaker.admit(NOW), Admission::Allowed);
        }
        assert_eq!(breaker.failed(NOW), Turn::Opened);
        assert_eq!(
            breaker.admit(NOW),
            Admission::Refused {
                retry_after_ms: 5_000
            }
        );
    }

    #[test]
    fn a_success_between_failures_starts_the_count_again() {
        let mut breaker = Breaker::default();
        for _ in 0..10 {
            for _ in 0..4 {
                breaker.failed(NOW);
            }
            assert_eq!(breaker.succeeded(), Turn::Same);
        }
        assert_eq!(breaker.admit(NOW), Admission::Allowed);
    }

    #[test]
    fn one_success_closes_it() {
        let mut breaker = open();
        assert_eq!(breaker.admit(NOW + 5_000), Admission::Allowed);
        assert_eq!(breaker.succeeded(), Turn::Closed);
        assert_eq!(breaker, Breaker::default());
    }

    #[test]
    fn late_failures_do_not_put_the_next_probe_off() {
        let mut breaker = open();
        for late in 1..=4_999 {
            assert_eq!(breaker.failed(NOW + late), Turn::Same);
        }
        assert_eq!(breaker.admit(NOW + 5_000), Admission::Allowed);
    }

    proptest! {
        #[test]
        fn an_open_breaker_lets_one_call_through_in_five_seconds(steps in prop::collection::vec(0..2_000_i64, 1..200)) {
            let mut breaker = open();
            let (mut now, mut last) = (NOW, NOW);
            for step in steps {
                now += step;
                if breaker.admit(now) == Admission::Allowed {
                    prop_assert!(now - last >= PROBE_EVERY_MS);
                    last = now;
                    breaker.failed(now);
                }
            }
            // Nobody waits longer than that either.
            prop_assert_eq!(breaker.admit(last + PROBE_EVERY_MS), Admission::Allowed);
        }
    }
}
