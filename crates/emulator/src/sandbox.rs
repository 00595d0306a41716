//! The control interface of a whole sandbox: what moves the product and the emulators together.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::Arc;

use axum::extract::State;
use axum::extract::rejection::JsonRejection;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Json, Router, middleware};
use http::StatusCode;
use serde::Deserialize;
use serde_json::json;

use crate::common::control::{PREFIX, bad_request, on_loopback, refuse};
use crate::common::server::Server;

/// What the sandbox lets its visitors do. Texts of failures are shown to them.
pub trait Levers: Send + Sync + 'static {
    /// Moves the shared clock and tells the new time.
    fn advance(&self, by_ms: u64) -> impl Future<Output = Result<i64, String>> + Send;

    /// Returns when no due job is left that somebody runs, with the kinds of those that wait all the same and their number.
    fn drain(&self) -> impl Future<Output = Result<Vec<(String, i64)>, String>> + Send;
}

/// A running control interface on loopback. It ends when it is dropped.
pub struct SandboxControl {
    server: Server,
}

impl SandboxControl {
    pub async fn start<L: Levers>(levers: L) -> std::io::Result<Self> {
        let control = Router::new()
            .route("/clock", post(move_clock::<L>))
            .route("/jobs/drain", post(drain_jobs::<L>))
            .layer(middleware::from_fn(on_loopback))
            .with_state(Arc::new(levers));
        let router = Router::new().nest(PREFIX, control);
        let server = Server::start(0, router).await?;
        Ok(Self { server })
    }

    pub fn url(&self) -> String {
        format!("http://{}{PREFIX}", self.server.address())
    }
}

/// Ten years: far enough for anybody, and never out of range.
const FARTHEST_MS: u64 = 10 * 366 * 24 * 60 * 60_000;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Move {
    advance_ms: u64,
}

async fn move_clock<L: Levers>(
    State(levers): State<Arc<L>>,
    body: Result<Json<Move>, JsonRejection>,
) -> Response {
    let by_ms = match body {
        Ok(Json(Move { advance_ms })) if advance_ms <= FARTHEST_MS => advance_ms,
        Ok(_) => return bad_request("advance_ms is at most ten years"),
        Err(rejection) => return bad_request(&rejection.body_text()),
    };
    match levers.advance(by_ms).await {
        Ok(now_ms) => Json(json!({ "now_ms": now_ms })).into_response(),
        Err(message) => failed(&message),
    }
}

async fn drain_jobs<L: Levers>(State(levers): State<Arc<L>>) -> Response {
    match levers.drain().await {
        Ok(left) => {
            let due: i64 = left.iter().map(|(_, count)| count).sum();
            let left: BTreeMap<String, i64> = left.into_iter().collect();
            Json(json!({ "due": due, "left": left })).into_response()
        }
        Err(message) => failed(&message),
    }
}

fn failed(message: &str) -> Response {
    refuse(StatusCode::INTERNAL_SERVER_ERROR, "INTERNAL_ERROR", message)
}
