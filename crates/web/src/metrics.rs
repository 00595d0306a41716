//! Numbers for operators, on a listener of their own: what this crate counts, and the page that shows all of them.

use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use app::App;
use http::StatusCode;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

use crate::layers::Surface;

/// What is in front of the names of our own numbers.
const PREFIX: &str = "symbolon";
const CLASSES: [&str; 4] = ["2xx", "3xx", "4xx", "5xx"];
/// Upper ends of the histogram's buckets, in seconds; what is above the last one is counted there too.
const BUCKETS: [f64; 10] = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 2.0];

/// All requests and connections of this process.
pub(crate) static REQUESTS: LazyLock<RequestMetrics> = LazyLock::new(RequestMetrics::default);
pub(crate) static CONNECTIONS: LazyLock<ConnectionMetrics> = LazyLock::new(ConnectionMetrics::default);

/// Numbers that only the caller knows: given the registry and our part of it.
pub type More = Arc<dyn Fn(&mut Registry) + Send + Sync>;

type Labels<const N: usize> = [(&'static str, &'static str); N];

#[derive(Default)]
pub(crate) struct ConnectionMetrics {
    pub(crate) open: Gauge,
    refused: Family<Labels<1>, Counter>,
}

impl ConnectionMetrics {
    /// Connections that were closed because their address had its share.
    pub(crate) fn refused_to_peers(&self) -> Counter {
        self.refused.get_or_create_owned(&[("reason", "peer")])
    }
}

pub(crate) struct RequestMetrics {
    answered: Family<Labels<2>, Counter>,
    seconds: Family<Labels<1>, Histogram>,
    /// Those of the families, in the order of `Surface::ALL`: looking them up takes longer than counting.
    surfaces: [SurfaceMetrics; Surface::ALL.len()],
}

struct SurfaceMetrics {
    classes: [Counter; 4],
    seconds: Histogram,
}

impl Default for RequestMetrics {
    fn default() -> Self {
        let answered = Family::<Labels<2>, Counter>::default();
        let seconds = Family::<Labels<1>, Histogram>::new_with_constructor(|| Histogram::new(BUCKETS));
        let surfaces = Surface::ALL.map(|surface| {
            let label = ("surface", surface.name());
            SurfaceMetrics {
                classes: CLASSES.map(|class| answered.get_or_create_owned(&[label, ("class", class)])),
                seconds: seconds.get_or_create_owned(&[label]),
            }
        });
        Self {
            answered,
            seconds,
            surfaces,
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
        metrics.classes[class].inc();
        metrics.seconds.observe(took.as_secs_f64());
    }

    fn register(&self, registry: &mut Registry) {
        registry.register("requests", "Answered requests", self.answered.clone());
        registry.register(
            "request_seconds",
            "Time from head to answer",
            self.seconds.clone(),
        );
    }
}

/// Adds what this crate counts.
pub fn register(registry: &mut Registry) {
    REQUESTS.register(registry);
    registry.register("connections_open", "Connections now", CONNECTIONS.open.clone());
    registry.register(
        "connections_refused",
        "Connections closed at once because their address had too many",
        CONNECTIONS.refused.clone(),
    );
}

/// Every number of this process, in the text form of OpenMetrics.
pub fn render(app: &App, more: &More) -> String {
    let mut registry = Registry::default();
    more(&mut registry);
    let ours = registry.sub_registry_with_prefix(PREFIX);
    register(ours);
    app::metrics::register(app, ours);
    let mut text = String::new();
    // Writing into a String cannot fail.
    _ = encode(&mut text, &registry);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_counted_by_its_class_and_in_every_bucket_it_fits() {
        let metrics = RequestMetrics::default();
        metrics.add(Surface::Plugin, StatusCode::OK, Duration::from_micros(500));
        metrics.add(Surface::Plugin, StatusCode::OK, Duration::from_millis(3));
        metrics.add(
            Surface::PublicPage,
            StatusCode::SERVICE_UNAVAILABLE,
            Duration::from_secs(30),
        );
        let mut registry = Registry::with_prefix(PREFIX);
        metrics.register(&mut registry);
        let mut text = String::new();
        encode(&mut text, &registry).unwrap();
        for expected in [
            "# HELP symbolon_requests Answered requests.",
            "# TYPE symbolon_requests counter",
            r#"symbolon_requests_total{surface="plugin",class="2xx"} 2"#,
            r#"symbolon_requests_total{surface="public_page",class="5xx"} 1"#,
            r#"symbolon_requests_total{surface="dashboard",class="2xx"} 0"#,
            r#"symbolon_request_seconds_bucket{le="0.0005",surface="plugin"} 1"#,
            r#"symbolon_request_seconds_bucket{le="0.002",surface="plugin"} 1"#,
            r#"symbolon_request_seconds_bucket{le="0.005",surface="plugin"} 2"#,
            r#"symbolon_request_seconds_bucket{le="+Inf",surface="plugin"} 2"#,
            r#"symbolon_request_seconds_sum{surface="plugin"} 0.0035"#,
            r#"symbolon_request_seconds_count{surface="plugin"} 2"#,
            r#"symbolon_request_seconds_bucket{le="2.0",surface="public_page"} 0"#,
            r#"symbolon_request_seconds_bucket{le="+Inf",surface="public_page"} 1"#,
        ] {
            assert!(
                text.lines().any(|line| line == expected),
                "{expected} is not in\n{text}"
            );
        }
    }
}
