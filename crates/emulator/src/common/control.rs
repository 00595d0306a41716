//! The control interface: what tests and scripts use to look inside and to make things go wrong.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::sync::Arc;

use axum::extract::rejection::JsonRejection;
use axum::extract::{Request, State};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use http::header::HOST;
use http::{StatusCode, Uri};
use serde_json::{Value, json};

use super::faults::Fault;
use super::gate;
use super::hub::Hub;
use super::routes::Routes;

pub const PREFIX: &str = "/control";

/// A platform whose knowledge can be read and changed as JSON.
pub trait Stateful: Send + Sync + 'static {
    fn state(&self) -> Value;

    /// Applies a merge patch as a whole or not at all; the text says why not.
    fn patch_state(&self, patch: &Value) -> Result<(), String>;
}

#[derive(Clone)]
struct Control {
    hub: Arc<Hub>,
    platform: Arc<dyn Stateful>,
    routes: Arc<[String]>,
}

/// The platform's routes behind the gate, and the control interface beside them. `extra` is control of one platform only.
pub fn assemble<S: Stateful>(
    hub: Arc<Hub>,
    platform: Arc<S>,
    routes: Routes<Arc<S>>,
    unknown: fn() -> Response,
    extra: Router<Arc<S>>,
) -> Router {
    let control = Control {
        hub: Arc::clone(&hub),
        platform: Arc::clone(&platform) as Arc<dyn Stateful>,
        routes: routes.names.into(),
    };
    let general: Router = Router::new()
        .route("/calls", get(read_calls).delete(forget_calls))
        .route("/requests", get(read_requests))
        .route("/statuses", get(read_statuses))
        .route("/state", get(read_state).patch(patch_state))
        .route("/faults", get(read_faults).post(add_fault).delete(remove_faults))
        .with_state(control)
        .merge(extra.with_state(Arc::clone(&platform)))
        .layer(middleware::from_fn(on_loopback));
    routes
        .router
        .fallback(move || async move { unknown() })
        .layer(middleware::from_fn_with_state(hub, gate::pass))
        .with_state(platform)
        .nest(PREFIX, general)
}

/// A refusal in the form that all control routes share.
pub fn refuse(status: StatusCode, code: &str, message: &str) -> Response {
    (status, Json(json!({"code": code, "message": message}))).into_response()
}

pub fn bad_request(message: &str) -> Response {
    refuse(StatusCode::BAD_REQUEST, "INVALID_REQUEST", message)
}

/// A page in a browser could be led here by a name that it controls; only the address itself will do.
pub async fn on_loopback(request: Request, next: Next) -> Response {
    let host = request.headers().get(HOST).and_then(|host| host.to_str().ok());
    let authority = host.and_then(|host| host.parse::<Uri>().ok());
    let local = authority.as_ref().and_then(Uri::host).is_some_and(is_loopback);
    if local {
        return next.run(request).await;
    }
    refuse(
        StatusCode::FORBIDDEN,
        "NOT_LOOPBACK",
        "Control is for this machine: call it as 127.0.0.1 or localhost.",
    )
}

pub fn is_loopback(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost"
        || bare
            .parse::<Ipv4Addr>()
            .is_ok_and(|address| address.is_loopback())
        || bare
            .parse::<Ipv6Addr>()
            .is_ok_and(|address| address.is_loopback())
}

async fn read_calls(State(control): State<Control>) -> Response {
    Json(control.hub.journal().counts()).into_response()
}

async fn forget_calls(State(control): State<Control>) -> StatusCode {
    control.hub.forget_calls();
    StatusCode::NO_CONTENT
}

async fn read_requests(State(control): State<Control>) -> Response {
    Json(control.hub.calls()).into_response()
}

async fn read_statuses(State(control): State<Control>) -> Response {
    Json(control.hub.journal().statuses()).into_response()
}

async fn read_state(State(control): State<Control>) -> Response {
    Json(control.platform.state()).into_response()
}

async fn patch_state(State(control): State<Control>, patch: Result<Json<Value>, JsonRejection>) -> Response {
    let patch = match patch {
        Ok(Json(patch)) if patch.is_object() => patch,
        Ok(_) => return bad_request("a patch of the state is an object"),
        Err(rejection) => return bad_request(&rejection.body_text()),
    };
    match control.platform.patch_state(&patch) {
        Ok(()) => Json(control.platform.state()).into_response(),
        Err(message) => bad_request(&message),
    }
}

async fn read_faults(State(control): State<Control>) -> Response {
    Json(control.hub.faults()).into_response()
}

async fn add_fault(State(control): State<Control>, fault: Result<Json<Fault>, JsonRejection>) -> Response {
    let fault = match fault {
        Ok(Json(fault)) => fault,
        Err(rejection) => return bad_request(&rejection.body_text()),
    };
    if let Some(problem) = fault.problem(&control.routes) {
        return bad_request(&problem);
    }
    control.hub.add_fault(fault);
    (StatusCode::CREATED, Json(control.hub.faults())).into_response()
}

async fn remove_faults(State(control): State<Control>) -> StatusCode {
    control.hub.remove_faults();
    StatusCode::NO_CONTENT
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_loopback_names_are_loopback() {
        for host in ["127.0.0.1", "127.1.2.3", "localhost", "[::1]"] {
            assert!(is_loopback(host), "{host}");
        }
        for host in ["evil.example", "127.0.0.1.evil.example", "10.0.0.1", "[::2]", ""] {
            assert!(!is_loopback(host), "{host}");
        }
    }
}
