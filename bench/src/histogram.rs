//! Latencies by the microsecond, recorded by several threads at once.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::Duration;

/// Up to this many microseconds each has a bucket of its own; above, a bucket is at most 1/1024 wide.
const EXACT: u64 = 1 << EXACT_BITS;
const EXACT_BITS: u32 = 11;
const HALF: u64 = EXACT / 2;
/// Enough for any 40-bit number of microseconds, which is twelve days.
const BUCKETS: usize = (EXACT + (40 - EXACT_BITS as u64) * HALF) as usize;

pub struct Histogram {
    buckets: Vec<AtomicU32>,
}

impl Histogram {
    pub fn new() -> Self {
        Self {
            buckets: (0..BUCKETS).map(|_| AtomicU32::new(0)).collect(),
        }
    }

    pub fn record(&self, latency: Duration) {
        let micros = u64::try_from(latency.as_micros()).unwrap_or(u64::MAX);
        self.buckets[bucket_of(micros).min(BUCKETS - 1)].fetch_add(1, Relaxed);
    }

    pub fn count(&self) -> u64 {
        self.buckets
            .iter()
            .map(|bucket| u64::from(bucket.load(Relaxed)))
            .sum()
    }

    /// The latency that this share of all calls did not exceed; 0 when there were none.
    pub fn quantile_micros(&self, share: f64) -> u64 {
        let wanted = (self.count() as f64 * share).ceil().max(1.0) as u64;
        let mut seen = 0;
        for (bucket, count) in self.buckets.iter().enumerate() {
            seen += u64::from(count.load(Relaxed));
            if seen >= wanted {
                return upper_end(bucket as u64);
            }
        }
        0
    }
}

fn bucket_of(micros: u64) -> usize {
    let shift = (u64::BITS - micros.leading_zeros()).saturating_sub(EXACT_BITS);
    (u64::from(shift) * HALF + (micros >> shift)) as usize
}

/// The largest number of microseconds that falls into the bucket.
fn upper_end(bucket: u64) -> u64 {
    if bucket < EXACT {
        return bucket;
    }
    let shift = bucket / HALF - 1;
    let mantissa = bucket - shift * HALF;
    ((mantissa + 1) << shift) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_exact_to_the_microsecond_where_it_matters() {
        let histogram = Histogram::new();
        for micros in 1..=1_000 {
            histogram.record(Duration::from_micros(micros));
        }
        assert_eq!(histogram.quantile_micros(0.50), 500);
        assert_eq!(histogram.quantile_micros(0.99), 990);
        assert_eq!(histogram.count(), 1_000);
    }

    #[test]
    fn every_value_lies_in_a_narrow_bucket_that_holds_it() {
        for micros in (0..5_000).chain((5_000..40_000_000).step_by(9_973)) {
            let bucket = bucket_of(micros);
            let upper = upper_end(bucket as u64);
            assert!(
                upper >= micros && (upper - micros) * 1024 <= micros.max(1_024),
                "{micros} {upper}"
            );
            assert!(bucket == 0 || upper_end(bucket as u64 - 1) < micros, "{micros}");
        }
    }

    #[test]
    fn nothing_recorded_reads_as_zero() {
        assert_eq!(Histogram::new().quantile_micros(0.99), 0);
    }
}
