//! How long nothing was heard of a process.

use std::time::Duration;

use tokio::time::Instant;

/// A child of whom nothing is heard for so long is replaced.
const MOST: Duration = Duration::from_secs(60);
/// Readings come every second. After a gap this long nobody was heard, for the service itself did not listen.
const GAP: Duration = Duration::from_secs(10);

/// What was heard of a process last, and when that was read first.
pub struct Silence {
    heard_at_ms: Option<i64>,
    since: Instant,
    read_at: Instant,
}

impl Silence {
    /// From now on.
    pub fn begin(heard_at_ms: Option<i64>, now: Instant) -> Self {
        Self {
            heard_at_ms,
            since: now,
            read_at: now,
        }
    }

    /// Looks at what a reading says. Time in which nothing was read is nobody's silence.
    pub fn is_too_long(&mut self, heard_at_ms: Option<i64>, now: Instant) -> bool {
        let is_blind = now.duration_since(self.read_at) > GAP;
        self.read_at = now;
        if self.heard_at_ms != heard_at_ms || is_blind {
            (self.heard_at_ms, self.since) = (heard_at_ms, now);
        }
        self.lasts(now) > MOST
    }

    /// So far.
    pub fn lasts(&self, now: Instant) -> Duration {
        now.duration_since(self.since)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_says_nothing_for_a_minute_is_silent() {
        let begun = Instant::now();
        let mut silence = Silence::begin(None, begun);
        let at = |second| begun + Duration::from_secs(second);
        for second in 1..=60 {
            assert!(!silence.is_too_long(None, at(second)), "{second}");
        }
        assert!(silence.is_too_long(None, at(61)));
        assert!(!silence.is_too_long(Some(7), at(62)), "it spoke");
    }

    #[test]
    fn a_minute_in_which_nothing_could_be_read_is_no_silence() {
        let begun = Instant::now();
        let mut silence = Silence::begin(None, begun);
        let at = |second| begun + Duration::from_secs(second);
        assert!(!silence.is_too_long(Some(7), at(1)));
        // The database did not answer, and what the process said was not written down either.
        assert!(!silence.is_too_long(Some(7), at(120)));
        for second in 121..=180 {
            assert!(!silence.is_too_long(Some(7), at(second)), "{second}");
        }
        assert!(
            silence.is_too_long(Some(7), at(181)),
            "it says nothing now either"
        );
    }
}
