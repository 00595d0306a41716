//! The operators' listener: metrics and health, never public.

use app::AppError;
use axum::Router;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use http::header::CONTENT_TYPE;

use crate::error::Failure;
use crate::health;
use crate::metrics::{self, More};
use crate::state::WebState;

const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// A service for the metrics address; `more` adds what only the process knows.
pub fn operations_service(state: WebState, more: More) -> Router {
    let render = async move |State(state): State<WebState>| -> Result<Response, Failure> {
        let more = more.clone();
        // Not on a thread that serves requests: files of the system are read for it.
        let text = tokio::task::spawn_blocking(move || metrics::render(&state.app, &more)).await;
        let text = text.map_err(|error| AppError::internal(format!("no metrics: {error}")))?;
        Ok(([(CONTENT_TYPE, OPEN_METRICS)], text).into_response())
    };
    Router::new()
        .route("/metrics", get(render))
        .route("/healthz", get(health::alive))
        .route("/readyz", get(health::ready))
        .with_state(state)
}
