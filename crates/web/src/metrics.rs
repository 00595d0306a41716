//! Numbers for operators, on a listener of their own.

use std::time::Instant;

use http::StatusCode;
use metrics::{Counter, Histogram, counter, histogram};
pub use metrics_exporter_prometheus::PrometheusHandle;
use metrics_exporter_prometheus::{BuildError, Matcher, PrometheusBuilder};

use crate::layers::Surface;

const SURFACES: [Surface; 3] = [Surface::Plugin, Surface::Api, Surface::Page];
const CLASSES: [&str; 4] = ["2xx", "3xx", "4xx", "5xx"];
const SECONDS: [f64; 10] = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 2.0];

/// Handles made once, so that counting a request is two additions.
pub(crate) struct RequestMetrics {
    counts: [[Counter; 4]; 3],
    seconds: [Histogram; 3],
}

impl RequestMetrics {
    pub(crate) fn new() -> Self {
        Self {
            counts: SURFACES.map(|surface| {
                CLASSES.map(|class| counter!("symbolon_requests_total", "surface" => surface.name(), "class" => class))
            }),
            seconds: SURFACES.map(|surface| histogram!("symbolon_request_seconds", "surface" => surface.name())),
        }
    }

    pub(crate) fn record(&self, surface: Surface, status: StatusCode, started: Instant) {
        let class = usize::from(status.as_u16() / 100).clamp(2, 5) - 2;
        let index = surface as usize;
        self.counts[index][class].increment(1);
        self.seconds[index].record(started.elapsed());
    }
}

/// Installs the recorder of this process; once.
pub fn install() -> Result<PrometheusHandle, BuildError> {
    PrometheusBuilder::new()
        .set_buckets_for_metric(Matcher::Full("symbolon_request_seconds".to_owned()), &SECONDS)?
        .install_recorder()
}
