//! Where bots connect to.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use serde_json::json;

use crate::discord::Inner;
use crate::discord::caller::Bot;

pub async fn address(State(inner): State<Arc<Inner>>) -> Response {
    Json(json!({"url": inner.gateway_url()})).into_response()
}

pub async fn for_bot(State(inner): State<Arc<Inner>>, Bot(bot): Bot) -> Response {
    let world = inner.world();
    let total = world.state.gateway.identifies_per_day;
    let (started, reset_after) = world.sessions.started(bot, inner.hub.now_ms());
    let body = json!({
        "url": inner.gateway_url(),
        "shards": 1,
        "session_start_limit": {
            "total": total,
            "remaining": total.saturating_sub(started),
            "reset_after": reset_after,
            "max_concurrency": 1,
        },
    });
    Json(body).into_response()
}
