//! Jobs in numbers.

use std::sync::atomic::AtomicU64;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;

/// Labels with their values.
type Labels<const N: usize> = [(&'static str, &'static str); N];

#[derive(Default)]
pub(crate) struct JobNumbers {
    /// By kind and outcome.
    pub(crate) outcomes: Family<Labels<2>, Counter>,
    /// By kind of lane.
    pub(crate) claimed: Family<Labels<1>, Counter>,
    /// By kind, as the housekeeping found it.
    pub(crate) waiting: Family<Labels<1>, Gauge>,
    pub(crate) oldest_seconds: Family<Labels<1>, Gauge<f64, AtomicU64>>,
}
