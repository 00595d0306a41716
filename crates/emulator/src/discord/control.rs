//! Control that only Discord has: the gateway, interactions and tokens.

use std::sync::Arc;

use axum::extract::rejection::JsonRejection;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};

use super::Inner;
use super::gateway::sessions::Outgoing;
use super::interactions::Use;
use super::snowflake::Snowflake;
use super::speech::Said;
use super::world::World;
use crate::common::control::{bad_request, refuse};

/// What can happen to a gateway session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "action", rename_all = "snake_case")]
pub enum Disturbance {
    /// Discord asks the bot to come back on another connection.
    Reconnect,
    /// The session is declared over; the bot has to identify again unless it may resume.
    InvalidSession {
        #[serde(default)]
        resumable: bool,
    },
    /// The connection is closed with a code.
    Close { code: u16 },
    /// The connection goes dead.
    Drop,
    /// The connection stands, but nothing comes any more, not even heartbeats.
    Zombie,
}

#[derive(Deserialize)]
struct Order {
    application_id: Snowflake,
    #[serde(flatten)]
    disturbance: Disturbance,
}

pub fn routes() -> Router<Arc<Inner>> {
    Router::new()
        .route("/gateway", get(read_gateway).post(disturb_gateway))
        .route("/interactions", post(interact))
        .route("/interactions/{id}", get(read_interaction))
        .route("/messages", post(say))
        .route("/grants", get(read_grants))
}

/// Says how many sessions were hit.
pub fn disturb(world: &mut World, application: Snowflake, disturbance: Disturbance) -> usize {
    let mut count = 0;
    for session in world
        .sessions
        .of_application(application)
        .filter(|session| session.is_connected())
    {
        count += 1;
        let payload = |op: u8, data: Value| {
            Outgoing::Text(json!({"op": op, "s": null, "t": null, "d": data}).to_string())
        };
        match disturbance {
            Disturbance::Reconnect => session.end(payload(7, Value::Null)),
            Disturbance::InvalidSession { resumable } => session.end(payload(9, resumable.into())),
            Disturbance::Close { code } => session.end(Outgoing::Close(code, "Closed by the test")),
            Disturbance::Drop => session.end(Outgoing::Cut),
            Disturbance::Zombie => session.zombie = true,
        }
    }
    if disturbance == (Disturbance::InvalidSession { resumable: false }) {
        world.sessions.forget_connected(application);
    }
    count
}

async fn read_gateway(State(inner): State<Arc<Inner>>) -> Response {
    Json(inner.world().sessions.describe()).into_response()
}

async fn disturb_gateway(
    State(inner): State<Arc<Inner>>,
    order: Result<Json<Order>, JsonRejection>,
) -> Response {
    match order {
        Ok(Json(order)) => {
            let sessions = disturb(&mut inner.world(), order.application_id, order.disturbance);
            Json(json!({ "sessions": sessions })).into_response()
        }
        Err(rejection) => bad_request(&rejection.body_text()),
    }
}

async fn interact(State(inner): State<Arc<Inner>>, used: Result<Json<Use>, JsonRejection>) -> Response {
    let used = match used {
        Ok(Json(used)) => used,
        Err(rejection) => return bad_request(&rejection.body_text()),
    };
    match inner.interact(&used) {
        Ok(interaction) => (StatusCode::CREATED, Json(interaction)).into_response(),
        Err(problem) => refuse(StatusCode::CONFLICT, "IMPOSSIBLE", &problem),
    }
}

async fn say(State(inner): State<Arc<Inner>>, said: Result<Json<Said>, JsonRejection>) -> Response {
    let said = match said {
        Ok(Json(said)) => said,
        Err(rejection) => return bad_request(&rejection.body_text()),
    };
    match inner.say(&said) {
        Ok(message) => (StatusCode::CREATED, Json(message)).into_response(),
        Err(problem) => refuse(StatusCode::CONFLICT, "IMPOSSIBLE", &problem),
    }
}

async fn read_interaction(State(inner): State<Arc<Inner>>, Path(id): Path<String>) -> Response {
    let world = inner.world();
    let found = id.parse().ok().and_then(|id| world.interactions.get(id));
    match found {
        Some(interaction) => Json(interaction).into_response(),
        None => refuse(
            StatusCode::NOT_FOUND,
            "NOT_FOUND",
            "There is no such interaction.",
        ),
    }
}

async fn read_grants(State(inner): State<Arc<Inner>>) -> Response {
    let now_ms = inner.hub.now_ms();
    Json(inner.world().grants.live(now_ms).collect::<Vec<_>>()).into_response()
}
