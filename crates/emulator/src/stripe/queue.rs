//! Requests that are still being answered: a second one under the same idempotency key is sent away.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};

use axum::body::Bytes;
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::header::AUTHORIZATION;
use http::{Method, StatusCode};

use super::Inner;
use super::error::ApiError;
use crate::common::gate;
use crate::common::hub::lock;

/// The keys of requests that are under way.
#[derive(Default)]
pub struct Queue(Mutex<HashSet<String>>);

/// Outside of the gate: a request that a fault makes slow is under way, too.
pub async fn pass(State(inner): State<Arc<Inner>>, request: Request, next: Next) -> Response {
    let Some(key) = key(&request) else {
        return next.run(request).await;
    };
    if !lock(&inner.queue.0).insert(key.clone()) {
        let (parts, _) = request.into_parts();
        let call = gate::call(&parts, &Bytes::new(), inner.hub.now_ms());
        let (route, status) = (call.route.clone(), StatusCode::CONFLICT.as_u16());
        let number = inner.hub.journal().arrived(call);
        inner.hub.journal().answered(number, &route, status);
        return ApiError::in_progress().into_response();
    }
    let _place = Place {
        queue: &inner.queue,
        key,
    };
    next.run(request).await
}

/// Ends with the answer, and with a caller that breaks off.
struct Place<'a> {
    queue: &'a Queue,
    key: String,
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        lock(&self.queue.0).remove(&self.key);
    }
}

fn key(request: &Request) -> Option<String> {
    let text = |name: &str| request.headers().get(name).and_then(|value| value.to_str().ok());
    let key = text("idempotency-key").filter(|_| request.method() == Method::POST)?;
    let caller = text(AUTHORIZATION.as_str()).unwrap_or_default();
    request
        .uri()
        .path()
        .starts_with("/v1/")
        .then(|| format!("{caller}\n{key}"))
}
