//! One gateway connection from HELLO to its end.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade};
use axum::extract::{RawQuery, State};
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::sessions::{Line, Outgoing, QUEUE};
use crate::common::forms::Form;
use crate::discord::{Inner, window};

/// What Discord accepts in one message of a bot.
const MAX_PAYLOAD_BYTES: usize = 4_096;
const MAX_MESSAGES_A_MINUTE: usize = 120;

/// Close codes, with the words that go with them.
pub const UNKNOWN_OPCODE: (u16, &str) = (4_001, "Unknown opcode");
pub const DECODE_ERROR: (u16, &str) = (4_002, "Decode error");
pub const NOT_AUTHENTICATED: (u16, &str) = (4_003, "Not authenticated");
pub const AUTHENTICATION_FAILED: (u16, &str) = (4_004, "Authentication failed");
pub const ALREADY_AUTHENTICATED: (u16, &str) = (4_005, "Already authenticated");
pub const INVALID_SEQUENCE: (u16, &str) = (4_007, "Invalid seq");
pub const RATE_LIMITED: (u16, &str) = (4_008, "Rate limited");
pub const TIMED_OUT: (u16, &str) = (4_009, "Session timed out");
pub const INVALID_SHARD: (u16, &str) = (4_010, "Invalid shard");
pub const INVALID_INTENTS: (u16, &str) = (4_013, "Invalid intent(s)");
pub const DISALLOWED_INTENTS: (u16, &str) = (4_014, "Disallowed intent(s)");

/// A bot connects, or somebody opens the address in a browser.
pub async fn connect(
    State(inner): State<Arc<Inner>>,
    RawQuery(query): RawQuery,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Response {
    let Ok(upgrade) = upgrade else {
        return window::front(&inner);
    };
    let query = Form::parse(query.unwrap_or_default().as_bytes());
    if query.get("encoding").is_some_and(|encoding| encoding != "json") {
        return (StatusCode::BAD_REQUEST, "This sandbox speaks JSON only.").into_response();
    }
    upgrade
        .max_message_size(16 * MAX_PAYLOAD_BYTES)
        .on_upgrade(move |socket| greet(inner, socket))
}

/// What handlers of single messages work with.
pub struct Connection {
    pub inner: Arc<Inner>,
    pub line: Line,
    /// The session that runs over this connection, once there is one.
    pub session: Option<String>,
}

impl Connection {
    /// Answers directly, beside all sessions. A queue that is full ends the connection soon enough.
    pub fn answer(&self, payload: &Value) {
        let _ = self.line.sender.try_send(Outgoing::Text(payload.to_string()));
    }
}

/// After these the bot has to begin anew; after all others it may go on.
fn ends_session(code: u16) -> bool {
    [INVALID_SEQUENCE, TIMED_OUT].iter().any(|(own, _)| *own == code)
}

/// Unless it is told to close whatever comes.
async fn greet(inner: Arc<Inner>, mut socket: WebSocket) {
    let closes_with = inner.world().state.gateway.closes_with;
    match closes_with {
        Some(code) => {
            inner.world().sessions.next_connection();
            hang_up(&mut socket, code, "Closed by the test").await;
        }
        None => run(inner, socket).await,
    }
}

/// The task belongs to the socket and not to the listener, so it watches for the emulator's end by itself.
async fn run(inner: Arc<Inner>, mut socket: WebSocket) {
    let (interval_ms, number) = {
        let mut world = inner.world();
        (world.state.gateway.heartbeat_ms, world.sessions.next_connection())
    };
    let (sender, mut outgoing) = mpsc::channel(QUEUE);
    let mut stop = inner.stop.subscribe();
    let mut connection = Connection {
        inner: Arc::clone(&inner),
        line: Line {
            connection: number,
            sender,
        },
        session: None,
    };
    connection.answer(&hello(interval_ms));
    let patience = Duration::from_millis(interval_ms.saturating_mul(3) / 2);
    let mut deadline = Instant::now() + patience;
    let mut received = Vec::new();
    let farewell = loop {
        let close = tokio::select! {
            message = socket.recv() => match message {
                Some(Ok(Message::Text(text))) => {
                    if is_heartbeat(text.as_str()) {
                        deadline = Instant::now() + patience;
                    }
                    take(&mut connection, text.as_str(), &mut received).err()
                }
                Some(Ok(Message::Binary(bytes))) => {
                    let text = String::from_utf8_lossy(&bytes);
                    take(&mut connection, &text, &mut received).err()
                }
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => None,
                Some(Ok(Message::Close(frame))) => {
                    break frame.is_none_or(|frame| matches!(frame.code, 1_000 | 1_001));
                }
                Some(Err(_)) | None => break false,
            },
            next = outgoing.recv() => match next {
                Some(Outgoing::Text(text)) => {
                    match socket.send(Message::text(text)).await {
                        Ok(()) => None,
                        Err(_) => break false,
                    }
                }
                Some(Outgoing::Close(code, reason)) => Some((code, reason)),
                Some(Outgoing::Cut) | None => break false,
            },
            () = tokio::time::sleep_until(deadline) => Some(TIMED_OUT),
            _ = stop.changed() => break false,
        };
        if let Some((code, reason)) = close {
            hang_up(&mut socket, code, reason).await;
            break ends_session(code);
        }
    };
    let now_ms = inner.hub.now_ms();
    inner.world().sessions.lost(number, farewell, now_ms);
}

fn hello(interval_ms: u64) -> Value {
    json!({"op": 10, "s": null, "t": null, "d": {"heartbeat_interval": interval_ms, "_trace": []}})
}

/// The other side may be gone already.
async fn hang_up(socket: &mut WebSocket, code: u16, reason: &'static str) {
    let frame = CloseFrame {
        code,
        reason: reason.into(),
    };
    let _ = socket.send(Message::Close(Some(frame))).await;
}

fn is_heartbeat(text: &str) -> bool {
    serde_json::from_str::<Value>(text).is_ok_and(|payload| payload["op"] == 1)
}

/// Handles one message of the bot; an error is the close code it earned.
fn take(
    connection: &mut Connection,
    text: &str,
    received: &mut Vec<Instant>,
) -> Result<(), (u16, &'static str)> {
    let now = Instant::now();
    received.retain(|at| now.duration_since(*at) < Duration::from_secs(60));
    received.push(now);
    if received.len() > MAX_MESSAGES_A_MINUTE {
        return Err(RATE_LIMITED);
    }
    if text.len() > MAX_PAYLOAD_BYTES {
        return Err(DECODE_ERROR);
    }
    let payload: Value = serde_json::from_str(text).map_err(|_| DECODE_ERROR)?;
    let op = payload["op"].as_u64().ok_or(DECODE_ERROR)?;
    let data = &payload["d"];
    match (op, &connection.session) {
        (1, _) => heartbeat(connection),
        (2, None) => super::hello::identify(connection, data)?,
        (6, None) => super::hello::resume(connection, data)?,
        (2 | 6, Some(_)) => return Err(ALREADY_AUTHENTICATED),
        (3 | 4 | 8 | 31, None) => return Err(NOT_AUTHENTICATED),
        (3, Some(id)) => {
            if let Some(session) = connection.inner.world().sessions.get_mut(id) {
                session.presence = data.clone();
            }
        }
        (8, Some(id)) => super::members::request(&connection.inner, id, data),
        // Voice and sounds: nothing here has a voice.
        (4 | 31, Some(_)) => {}
        _ => return Err(UNKNOWN_OPCODE),
    }
    Ok(())
}

fn heartbeat(connection: &Connection) {
    let ack = json!({"op": 11, "s": null, "t": null, "d": null});
    match &connection.session {
        None => connection.answer(&ack),
        Some(id) => {
            if let Some(session) = connection.inner.world().sessions.get_mut(id) {
                session.send(Outgoing::Text(ack.to_string()));
            }
        }
    }
}
