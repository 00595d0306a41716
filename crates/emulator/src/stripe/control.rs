//! Control that only Stripe has: deliveries and secrets.

use std::sync::Arc;

use axum::extract::State;
use axum::extract::rejection::JsonRejection;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use http::StatusCode;
use serde::Deserialize;
use serde_json::json;

use super::Inner;
use crate::common::control::{bad_request, refuse};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Again {
    event_id: String,
    /// All endpoints, if none is named.
    endpoint: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Roll {
    /// An id or a url.
    endpoint: String,
}

pub fn routes() -> Router<Arc<Inner>> {
    Router::new()
        .route("/deliveries", get(read_deliveries).post(send_again))
        .route("/deliveries/settle", post(settle))
        .route("/secrets", post(roll_secret))
}

async fn read_deliveries(State(inner): State<Arc<Inner>>) -> Response {
    let world = inner.world();
    Json(world.outbox.all().collect::<Vec<_>>()).into_response()
}

async fn send_again(State(inner): State<Arc<Inner>>, again: Result<Json<Again>, JsonRejection>) -> Response {
    let again = match again {
        Ok(Json(again)) => again,
        Err(rejection) => return bad_request(&rejection.body_text()),
    };
    let sent = inner.change_world(|world| world.send_again(&again.event_id, again.endpoint.as_deref()));
    match sent {
        Ok(deliveries) => (StatusCode::CREATED, Json(json!({ "deliveries": deliveries }))).into_response(),
        Err(problem) => refuse(StatusCode::NOT_FOUND, "NOT_FOUND", &problem),
    }
}

async fn settle(State(inner): State<Arc<Inner>>) -> StatusCode {
    inner.settle().await;
    StatusCode::NO_CONTENT
}

async fn roll_secret(State(inner): State<Arc<Inner>>, roll: Result<Json<Roll>, JsonRejection>) -> Response {
    let roll = match roll {
        Ok(Json(roll)) => roll,
        Err(rejection) => return bad_request(&rejection.body_text()),
    };
    match inner.change_world(|world| world.roll_secret(&roll.endpoint)) {
        Some(secret) => (StatusCode::CREATED, Json(json!({ "secret": secret }))).into_response(),
        None => refuse(StatusCode::NOT_FOUND, "NOT_FOUND", "There is no such endpoint."),
    }
}
