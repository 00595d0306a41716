//! Numbers for operators, on a listener of their own.

use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use http::StatusCode;
pub use metrics_exporter_prometheus::PrometheusHandle;
use metrics_exporter_prometheus::{BuildError, PrometheusBuilder};

use crate::layers::Surface;

const SURFACES: [Surface; 3] = [Surface::Plugin, Surface::Api, Surface::Page];
const CLASSES: [&str; 4] = ["2xx", "3xx", "4xx", "5xx"];
/// Upper ends of the histogram's buckets, in microseconds; what is above the last one is counted there too.
const BUCKETS_US: [u64; 10] = [
    500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 500_000, 2_000_000,
];

/// All requests of this process. Counted here and not in the recorder, which would keep every single duration until
/// somebody asks for it.
pub(crate) static REQUESTS: RequestMetrics = RequestMetrics {
    surfaces: [const { SurfaceMetrics::new() }; 3],
};

pub(crate) struct RequestMetrics {
    surfaces: [SurfaceMetrics; 3],
}

struct SurfaceMetrics {
    classes: [AtomicU64; 4],
    buckets: [AtomicU64; BUCKETS_US.len() + 1],
    total_us: AtomicU64,
}

impl SurfaceMetrics {
    const fn new() -> Self {
        Self {
            classes: [const { AtomicU64::new(0) }; 4],
            buckets: [const { AtomicU64::new(0) }; BUCKETS_US.len() + 1],
            total_us: AtomicU64::new(0),
        }
    }
}

impl RequestMetrics {
    pub(crate) fn record(&self, surface: Surface, status: StatusCode, started: Instant) {
        self.add(surface, status, started.elapsed());
    }

    fn add(&self, surface: Surface, status: StatusCode, took: Duration) {
        let metrics = &self.surfaces[surface as usize];
        let class = usize::from(status.as_u16() / 100).clamp(2, 5) - 2;
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        let bucket = BUCKETS_US.partition_point(|end| *end < micros);
        metrics.classes[class].fetch_add(1, Relaxed);
        metrics.buckets[bucket].fetch_add(1, Relaxed);
        metrics.total_us.fetch_add(micros, Relaxed);
    }

    /// In the text form that Prometheus reads.
    pub(crate) fn render(&self) -> String {
        let mut text = String::from("# TYPE symbolon_requests_total counter\n");
        for (surface, metrics) in SURFACES.iter().zip(&self.surfaces) {
            for (class, count) in CLASSES.iter().zip(&metrics.classes) {
                let (surface, count) = (surface.name(), count.load(Relaxed));
                line(
                    &mut text,
                    format_args!(
                        "symbolon_requests_total{{surface=\"{surface}\",class=\"{class}\"}} {count}"
                    ),
                );
            }
        }
        line(
            &mut text,
            format_args!("# TYPE symbolon_request_seconds histogram"),
        );
        for (surface, metrics) in SURFACES.iter().zip(&self.surfaces) {
            render_histogram(&mut text, surface.name(), metrics);
        }
        text
    }
}

fn render_histogram(text: &mut String, surface: &str, metrics: &SurfaceMetrics) {
    let ends = BUCKETS_US
        .iter()
        .map(|end| seconds(*end))
        .chain(["+Inf".to_owned()]);
    let mut counted = 0;
    for (end, bucket) in ends.zip(&metrics.buckets) {
        counted += bucket.load(Relaxed);
        line(
            text,
            format_args!("symbolon_request_seconds_bucket{{surface=\"{surface}\",le=\"{end}\"}} {counted}"),
        );
    }
    let total = seconds(metrics.total_us.load(Relaxed));
    line(
        text,
        format_args!("symbolon_request_seconds_sum{{surface=\"{surface}\"}} {total}"),
    );
    line(
        text,
        format_args!("symbolon_request_seconds_count{{surface=\"{surface}\"}} {counted}"),
    );
}

fn seconds(micros: u64) -> String {
    Duration::from_micros(micros).as_secs_f64().to_string()
}

fn line(text: &mut String, content: std::fmt::Arguments<'_>) {
    // Writing into a String cannot fail.
    _ = writeln!(text, "{content}");
}

/// Installs the recorder of this process; once.
pub fn install() -> Result<PrometheusHandle, BuildError> {
    PrometheusBuilder::new().install_recorder()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_counted_by_its_class_and_in_every_bucket_it_fits() {
        let metrics = RequestMetrics {
            surfaces: [const { SurfaceMetrics::new() }; 3],
        };
        metrics.add(Surface::Plugin, StatusCode::OK, Duration::from_micros(500));
        metrics.add(Surface::Plugin, StatusCode::OK, Duration::from_millis(3));
        metrics.add(
            Surface::Page,
            StatusCode::SERVICE_UNAVAILABLE,
            Duration::from_secs(30),
        );
        let text = metrics.render();
        for expected in [
            r#"symbolon_requests_total{surface="plugin",class="2xx"} 2"#,
            r#"symbolon_requests_total{surface="page",class="5xx"} 1"#,
            r#"symbolon_requests_total{surface="api",class="2xx"} 0"#,
            r#"symbolon_request_seconds_bucket{surface="plugin",le="0.0005"} 1"#,
            r#"symbolon_request_seconds_bucket{surface="plugin",le="0.002"} 1"#,
            r#"symbolon_request_seconds_bucket{surface="plugin",le="0.005"} 2"#,
            r#"symbolon_request_seconds_bucket{surface="plugin",le="+Inf"} 2"#,
            r#"symbolon_request_seconds_sum{surface="plugin"} 0.0035"#,
            r#"symbolon_request_seconds_count{surface="plugin"} 2"#,
            r#"symbolon_request_seconds_bucket{surface="page",le="2"} 0"#,
            r#"symbolon_request_seconds_bucket{surface="page",le="+Inf"} 1"#,
        ] {
            assert!(
                text.lines().any(|line| line == expected),
                "{expected} is not in\n{text}"
            );
        }
    }
}
