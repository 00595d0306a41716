//! The way every request to a platform comes in: noted, then answered, or hit by a fault.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::header::{AUTHORIZATION, CONTENT_TYPE, DATE};
use http::request::Parts;
use http::{HeaderName, HeaderValue, StatusCode};

use super::dates;
use super::faults::{Fault, FaultKind};
use super::hub::Hub;
use super::journal::Call;
use super::server::Lifeline;

const MAX_BODY_BYTES: usize = 1024 * 1024;
const REMEMBERED_BODY_BYTES: usize = 8 * 1024;
const SLOW: Duration = Duration::from_secs(3);
const RETRY_AFTER_SECONDS: u32 = 1;

/// What comes back where somebody expected JSON, key-value lines or a page.
const NOISE: &[u8] = b"\x1f\x8b\x08\x00<html>\xff\xfe{\"is_valid\":tru\x00";

pub async fn pass(State(hub): State<Arc<Hub>>, request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    let Ok(body) = axum::body::to_bytes(body, MAX_BODY_BYTES).await else {
        return StatusCode::PAYLOAD_TOO_LARGE.into_response();
    };
    let call = call(&parts, &body, hub.now_ms());
    let fault = hub.take_fault(&call.route);
    // Before anybody can see the call and take its fault away.
    let removal = hub.next_removal();
    let route = call.route.clone();
    let number = hub.journal().arrived(call);
    let lifeline = parts.extensions.get::<Lifeline>().cloned();
    let answer = next.run(Request::from_parts(parts, Body::from(body)));
    let mut response = match fault {
        None => answer.await,
        Some(fault) => hit(&hub, fault, removal, lifeline, answer).await,
    };
    // Otherwise it is the machine's time that is written.
    if let Ok(date) = HeaderValue::from_str(&dates::http(hub.now_ms())) {
        response.headers_mut().entry(DATE).or_insert(date);
    }
    let status = response.status().as_u16();
    hub.journal().answered(number, &route, status);
    response
}

pub fn call(parts: &Parts, body: &Bytes, at_ms: i64) -> Call {
    let template = match parts.extensions.get::<MatchedPath>() {
        Some(path) => path.as_str(),
        None => "(unknown)",
    };
    let header = |name: &str| {
        let value = parts.headers.get(name);
        let text = value.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
        text.unwrap_or_default()
    };
    Call {
        at_ms,
        route: format!("{} {template}", parts.method),
        path: parts.uri.path().to_owned(),
        query: parts.uri.query().unwrap_or_default().to_owned(),
        authorization: header(AUTHORIZATION.as_str()),
        reason: header("x-audit-log-reason"),
        idempotency_key: header("idempotency-key"),
        body: String::from_utf8_lossy(&body[..body.len().min(REMEMBERED_BODY_BYTES)]).into_owned(),
        status: None,
    }
}

async fn hit(
    hub: &Hub,
    fault: Fault,
    removal: impl Future<Output = ()>,
    lifeline: Option<Lifeline>,
    answer: impl Future<Output = Response>,
) -> Response {
    match fault.fault {
        FaultKind::RateLimit => with_headers((hub.refusals.rate_limit)(RETRY_AFTER_SECONDS), &fault),
        FaultKind::Error500 => with_headers((hub.refusals.error_500)(), &fault),
        FaultKind::Error403 => with_headers((hub.refusals.error_403)(), &fault),
        FaultKind::Garbage => {
            if let Some(delay_ms) = fault.delay_ms {
                late(Duration::from_millis(delay_ms), removal).await;
            }
            garbage(fault)
        }
        FaultKind::Slow => {
            late(fault.delay_ms.map_or(SLOW, Duration::from_millis), removal).await;
            answer.await
        }
        FaultKind::Hang => {
            removal.await;
            cut(lifeline).await
        }
        FaultKind::Drop => cut(lifeline).await,
        FaultKind::Lost => {
            drop(answer.await);
            cut(lifeline).await
        }
        // Only senders do these.
        FaultKind::Duplicate | FaultKind::Reorder => answer.await,
    }
}

/// Ends when the time is over, or when faults are removed.
async fn late(delay: Duration, removal: impl Future<Output = ()>) {
    tokio::select! {
        () = tokio::time::sleep(delay) => {}
        () = removal => {}
    }
}

fn garbage(fault: Fault) -> Response {
    let status = StatusCode::from_u16(fault.status.unwrap_or(200)).unwrap_or_default();
    let body = match &fault.body {
        Some(text) => Body::from(text.clone()),
        None => Body::from(NOISE),
    };
    let page = (status, [(CONTENT_TYPE, "text/html; charset=utf-8")], body);
    with_headers(page.into_response(), &fault)
}

/// The headers of the fault take the place of the response's own.
fn with_headers(mut response: Response, fault: &Fault) -> Response {
    for (name, value) in &fault.headers {
        if let (Ok(name), Ok(value)) = (name.parse::<HeaderName>(), HeaderValue::from_str(value)) {
            response.headers_mut().insert(name, value);
        }
    }
    response
}

/// Closes the connection; there is no answer to return.
async fn cut(lifeline: Option<Lifeline>) -> Response {
    match lifeline {
        Some(lifeline) => {
            lifeline.cut();
            std::future::pending().await
        }
        // Without a socket, in a router called directly, this is as near as it gets.
        None => StatusCode::BAD_GATEWAY.into_response(),
    }
}
