//! A receiver of messages that checks signatures with code of its own.

use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::State;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use http::{HeaderMap, Request, Response};
use serde_json::Value;
use sha2::Sha256;
use tokio::sync::watch;

/// One message as it arrived.
#[derive(Clone, Debug)]
pub struct Received {
    pub path: String,
    pub id: String,
    pub at: String,
    pub signatures: Vec<String>,
    pub body: String,
}

impl Received {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).expect("a JSON body")
    }

    /// Whether one of its signatures was made with this secret.
    pub fn is_signed_with(&self, secret: &str) -> bool {
        let key = secret.strip_prefix("whsec_").expect("the mark of a secret");
        let key = STANDARD.decode(key).expect("base64");
        let mut mac = Hmac::<Sha256>::new_from_slice(&key).expect("a key");
        mac.update([&self.id, ".", &self.at, ".", &self.body].concat().as_bytes());
        let expected = ["v1,", &STANDARD.encode(mac.finalize().into_bytes())].concat();
        self.signatures.contains(&expected)
    }
}

/// What it says to every message.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Say {
    Status(u16),
    /// Nothing, for now.
    Wait,
}

pub struct Sink {
    base: String,
    say: watch::Sender<Say>,
    received: Arc<Mutex<Vec<Received>>>,
}

#[derive(Clone)]
struct Ears {
    say: watch::Receiver<Say>,
    received: Arc<Mutex<Vec<Received>>>,
}

impl Sink {
    /// One that takes everything.
    #[expect(clippy::disallowed_methods, reason = "ends with the runtime of its test")]
    pub async fn start() -> Sink {
        let (say, ears) = watch::channel(Say::Status(204));
        let received = Arc::default();
        let ears = Ears {
            say: ears,
            received: Arc::clone(&received),
        };
        let router = Router::new().fallback(answer).with_state(ears);
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
            .await
            .expect("a port");
        let base = format!("http://{}", listener.local_addr().expect("an address"));
        tokio::spawn(async move { axum::serve(listener, router).await });
        Sink { base, say, received }
    }

    pub fn url(&self, path: &str) -> String {
        [&self.base, path].concat()
    }

    /// Answers with this status from now on, also to those who wait.
    pub fn says(&self, status: u16) {
        self.say.send_replace(Say::Status(status));
    }

    /// Lets everybody wait for an answer.
    pub fn hangs(&self) {
        self.say.send_replace(Say::Wait);
    }

    /// How many messages have arrived since they were last taken.
    pub fn count(&self) -> usize {
        self.received.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// The messages since the last time this was asked, by the order of their ids.
    pub fn take(&self) -> Vec<Received> {
        let mut received = self.received.lock().unwrap_or_else(PoisonError::into_inner);
        let mut taken = std::mem::take(&mut *received);
        taken.sort_by(|one, other| one.id.cmp(&other.id));
        taken
    }

    /// The one message since the last time.
    pub fn take_one(&self) -> Received {
        let mut taken = self.take();
        assert_eq!(taken.len(), 1, "{taken:?}");
        taken.remove(0)
    }
}

async fn answer(State(mut ears): State<Ears>, request: Request<Body>) -> Response<Body> {
    let (parts, body) = request.into_parts();
    let header = |name: &str| text(&parts.headers, name);
    assert_eq!(header("content-type"), "application/json");
    let bytes = to_bytes(body, 1 << 20).await.expect("a body");
    let received = Received {
        path: parts.uri.to_string(),
        id: header("webhook-id"),
        at: header("webhook-timestamp"),
        signatures: header("webhook-signature")
            .split(' ')
            .map(str::to_owned)
            .collect(),
        body: String::from_utf8(bytes.to_vec()).expect("text"),
    };
    ears.received
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .push(received);
    let said = ears.say.wait_for(|say| *say != Say::Wait).await;
    let status = match said.as_deref() {
        Ok(Say::Status(status)) => *status,
        Ok(Say::Wait) | Err(_) => 503,
    };
    let answer = Response::builder().status(status);
    answer.body(Body::from("not read by anybody")).expect("an answer")
}

fn text(headers: &HeaderMap, name: &str) -> String {
    let value = headers.get(name).and_then(|value| value.to_str().ok());
    value.unwrap_or_default().to_owned()
}
