//! An endpoint that notes what it is sent.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::State;
use axum::routing::post;
use http::{HeaderMap, StatusCode};
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::task::JoinSet;

pub struct Receiver {
    pub url: String,
    shared: Arc<Shared>,
    _serving: JoinSet<()>,
}

struct Shared {
    got: Mutex<Vec<Letter>>,
    answer: Mutex<u16>,
}

#[derive(Clone)]
pub struct Letter {
    pub signature: String,
    pub body: String,
}

impl Letter {
    pub fn event(&self) -> Value {
        serde_json::from_str(&self.body).expect("JSON")
    }

    pub fn id(&self) -> String {
        self.event()["id"].as_str().expect("an id").to_owned()
    }
}

impl Receiver {
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}/hook", listener.local_addr().expect("an address"));
        let shared = Arc::new(Shared {
            got: Mutex::default(),
            answer: Mutex::new(200),
        });
        let router = Router::new()
            .route("/hook", post(take))
            .with_state(Arc::clone(&shared));
        let mut serving = JoinSet::new();
        serving.spawn(async move { axum::serve(listener, router).await.expect("a server") });
        Self {
            url,
            shared,
            _serving: serving,
        }
    }

    /// What it answers from now on.
    pub fn answer(&self, status: u16) {
        *self.shared.answer.lock().expect("a lock") = status;
    }

    /// What came, in order; nothing is left.
    pub fn take(&self) -> Vec<Letter> {
        std::mem::take(&mut self.shared.got.lock().expect("a lock"))
    }
}

async fn take(State(shared): State<Arc<Shared>>, headers: HeaderMap, body: String) -> StatusCode {
    let signature = headers["stripe-signature"].to_str().expect("a text").to_owned();
    shared
        .got
        .lock()
        .expect("a lock")
        .push(Letter { signature, body });
    StatusCode::from_u16(*shared.answer.lock().expect("a lock")).expect("a status")
}
