//! Rate limiting as arithmetic on one number per bucket: the time at which the bucket will be full again. Times are those
//! of the steady clock, so that a correction of the wall clock neither fills nor empties anything.

use crate::plan::RateLimit;

const MINUTE_US: i64 = 60_000_000;
/// Times beyond this (about 73,000 years) are clamped, so that no sum can overflow.
const MAX_NOW_MS: i64 = i64::MAX / 4_000;

/// The answer for one call. Store `new_tat` after a refusal too: it heals a bucket that a lowered limit left overfull.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    pub allowed: bool,
    /// Calls that would still pass at this moment.
    pub remaining: u32,
    /// How long to wait until a call passes; 0 when one passes now.
    pub retry_after_ms: i64,
    /// How long until the bucket is full again if nothing more is called.
    pub reset_after_ms: i64,
    /// The new state of the bucket, in microseconds of the steady clock.
    pub new_tat: i64,
}

/// Takes one call from the bucket. A state of 0 is an untouched bucket; a limit of zero counts as one.
pub fn decide(tat: i64, now_ms: i64, limit: RateLimit) -> Decision {
    let bucket = Bucket::at(tat, now_ms, limit);
    if bucket.used_us > bucket.room_us() {
        return bucket.decision(false);
    }
    Bucket {
        used_us: bucket.used_us + bucket.interval_us,
        ..bucket
    }
    .decision(true)
}

/// What [`decide`] would find, without taking a call: `allowed` tells whether a call would pass.
pub fn peek(tat: i64, now_ms: i64, limit: RateLimit) -> Decision {
    let bucket = Bucket::at(tat, now_ms, limit);
    bucket.decision(bucket.used_us <= bucket.room_us())
}

struct Bucket {
    now_us: i64,
    /// The time that gives back one call. Rounded up, so that rounding never grants more.
    interval_us: i64,
    burst: i64,
    /// How much refill time is missing until the bucket is full.
    used_us: i64,
}

impl Bucket {
    fn at(tat: i64, now_ms: i64, limit: RateLimit) -> Self {
        let now_us = now_ms.clamp(0, MAX_NOW_MS) * 1_000;
        let per_minute = i64::from(limit.per_minute.max(1));
        let interval_us = (MINUTE_US + per_minute - 1) / per_minute;
        let burst = i64::from(limit.burst.max(1));
        // An empty bucket is the worst that a lowered limit can cause.
        let used_us = tat.saturating_sub(now_us).clamp(0, burst * interval_us);
        Self {
            now_us,
            interval_us,
            burst,
            used_us,
        }
    }

    /// The most that may be used for one more call to fit.
    fn room_us(&self) -> i64 {
        (self.burst - 1) * self.interval_us
    }

    fn decision(&self, allowed: bool) -> Decision {
        let free = (self.burst * self.interval_us - self.used_us) / self.interval_us;
        let wait_us = if allowed {
            0
        } else {
            (self.used_us - self.room_us()).max(0)
        };
        let new_tat = self.now_us + self.used_us;
        Decision {
            allowed,
            remaining: u32::try_from(free).unwrap_or(0),
            retry_after_ms: whole_ms(wait_us),
            reset_after_ms: whole_ms(self.used_us),
            new_tat,
        }
    }
}

/// Milliseconds, rounded up; never negative here.
fn whole_ms(us: i64) -> i64 {
    us / 1_000 + i64::from(us % 1_000 > 0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NOW_MS: i64 = 1_800_000_000_000;

    fn limit(per_minute: u32, burst: u32) -> RateLimit {
        RateLimit {
            per_minute,
            burst,
            bulk_ids: 1,
        }
    }

    fn any_limit() -> impl Strategy<Value = RateLimit> {
        (1..20_000_u32, 1..500_u32).prop_map(|(per_minute, burst)| limit(per_minute, burst))
    }

    #[test]
    fn an_untouched_bucket_allows_exactly_the_burst() {
        let mut tat = 0;
        for left in (0..480).rev() {
            let decision = decide(tat, NOW_MS, limit(240, 480));
            assert!(decision.allowed);
            assert_eq!(decision.remaining, left);
            tat = decision.new_tat;
        }
        let refused = decide(tat, NOW_MS, limit(240, 480));
        assert!(!refused.allowed);
        assert_eq!((refused.remaining, refused.retry_after_ms), (0, 250));
        assert_eq!(refused.reset_after_ms, 120_000);
    }

    #[test]
    fn a_refused_call_costs_nothing() {
        let one = limit(60, 1);
        let tat = decide(0, NOW_MS, one).new_tat;
        assert_eq!(decide(tat, NOW_MS, one).new_tat, tat);
        assert!(decide(tat, NOW_MS + 1_000, one).allowed);
    }

    #[test]
    fn peeking_takes_nothing() {
        let two = limit(60, 2);
        let fresh = peek(0, NOW_MS, two);
        assert!(fresh.allowed);
        assert_eq!((fresh.remaining, fresh.reset_after_ms), (2, 0));
        let tat = decide(0, NOW_MS, two).new_tat;
        assert_eq!(peek(tat, NOW_MS, two).remaining, 1);
        let tat = decide(tat, NOW_MS, two).new_tat;
        assert!(!peek(tat, NOW_MS, two).allowed);
        assert_eq!(peek(tat, NOW_MS, two).new_tat, tat);
    }

    #[test]
    fn a_limit_of_zero_counts_as_one() {
        assert!(decide(0, NOW_MS, limit(0, 0)).allowed);
    }

    proptest! {
        #[test]
        fn no_window_sees_more_than_burst_plus_refill(
            limit in any_limit(),
            steps in prop::collection::vec(0..300_i64, 1..400),
        ) {
            let (mut tat, mut now) = (0, NOW_MS);
            let mut allowed_at = Vec::new();
            for step in steps {
                now += step;
                let decision = decide(tat, now, limit);
                tat = decision.new_tat;
                prop_assert!(decision.remaining <= limit.burst);
                if decision.allowed {
                    allowed_at.push(now);
                }
            }
            for (first, start) in allowed_at.iter().enumerate() {
                for (last, end) in allowed_at.iter().enumerate().skip(first) {
                    let refill = (end - start) * i64::from(limit.per_minute) / 60_000;
                    let most = i64::from(limit.burst) + refill;
                    prop_assert!(i64::try_from(last - first + 1).unwrap() <= most);
                }
            }
        }

        #[test]
        fn waiting_as_told_is_enough_and_not_too_long(
            limit in any_limit(),
            beyond_us in 1..i64::MAX / 4,
            now in 0..NOW_MS,
        ) {
            let bucket = Bucket::at(0, now, limit);
            let nearly_empty = now * 1_000 + bucket.room_us();
            for tat in [nearly_empty + beyond_us, nearly_empty + 1 + beyond_us % bucket.interval_us] {
                let refused = decide(tat, now, limit);
                prop_assert!(!refused.allowed);
                let later = now + refused.retry_after_ms;
                prop_assert!(decide(refused.new_tat, later, limit).allowed);
                prop_assert!(!decide(refused.new_tat, later - 1, limit).allowed);
            }
        }

        #[test]
        fn a_bucket_is_full_at_its_reset(limit in any_limit(), tat: i64, now in 0..NOW_MS) {
            let decision = decide(tat, now, limit);
            prop_assert_eq!(peek(decision.new_tat, now + decision.reset_after_ms, limit).remaining, limit.burst);
        }

        #[test]
        fn a_clock_step_back_never_grants_more(limit in any_limit(), used in 0..600_u32, back in 0..NOW_MS) {
            let mut tat = 0;
            for _ in 0..used {
                tat = decide(tat, NOW_MS, limit).new_tat;
            }
            let (here, earlier) = (peek(tat, NOW_MS, limit), peek(tat, NOW_MS - back, limit));
            prop_assert!(used == 0 || earlier.remaining <= here.remaining);
        }

        #[test]
        fn no_state_locks_out_for_longer_than_a_full_refill(limit in any_limit(), tat: i64, now: i64) {
            let decision = decide(tat, now, limit);
            let interval_ms = 60_000 / i64::from(limit.per_minute) + 1;
            prop_assert!(decision.retry_after_ms <= interval_ms);
            let full_ms = i64::from(limit.burst) * interval_ms;
            prop_assert!(decision.reset_after_ms <= full_ms);
        }
    }
}
