//! The operators' listener: metrics and health, never public.

use axum::Router;
use axum::routing::get;
use metrics_exporter_prometheus::PrometheusHandle;

use crate::health;
use crate::metrics::REQUESTS;
use crate::state::WebState;

/// A service for the metrics address.
pub fn operations_service(state: WebState, metrics: PrometheusHandle) -> Router {
    let render = move || {
        let metrics = metrics.clone();
        async move { metrics.render() + &REQUESTS.render() }
    };
    Router::new()
        .route("/metrics", get(render))
        .route("/healthz", get(health::alive))
        .route("/readyz", get(health::ready))
        .with_state(state)
}
