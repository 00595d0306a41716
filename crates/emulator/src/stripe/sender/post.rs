//! HTTP from the other side: posts to endpoints on this machine.

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Duration;

use axum::body::{Body, Bytes};
use http::header::{CONTENT_TYPE, HOST, USER_AGENT};
use http::{Request, Uri};
use hyper::client::conn::http1::{self, SendRequest};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use crate::common::control::is_loopback;
use crate::common::hub::lock;

const ANSWER_WITHIN: Duration = Duration::from_secs(10);
const MAX_ANSWER_BYTES: usize = 1024 * 1024;
const MAX_IDLE: usize = 64;

/// Keeps connections for the next post to the same place.
#[derive(Default)]
pub struct Client {
    idle: Mutex<HashMap<String, Vec<SendRequest<Body>>>>,
    /// What moves the bytes of each connection; all end with the client.
    connections: Mutex<JoinSet<()>>,
}

impl Client {
    /// The status that came back, or why none did.
    pub async fn post(&self, url: &str, signature: &str, body: Bytes) -> Result<u16, String> {
        let posted = tokio::time::timeout(ANSWER_WITHIN, self.exchange(url, signature, body));
        posted
            .await
            .unwrap_or_else(|_| Err("no answer in time".to_owned()))
    }

    async fn exchange(&self, url: &str, signature: &str, body: Bytes) -> Result<u16, String> {
        let uri: Uri = url.parse().map_err(|_| "not an address".to_owned())?;
        let host = uri.host().unwrap_or_default();
        if uri.scheme_str() != Some("http") || !is_loopback(host) {
            return Err("the emulator sends only to http addresses of this machine".to_owned());
        }
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        let place = format!("{host}:{}", uri.port_u16().unwrap_or(80));
        let request = || {
            let path = uri.path_and_query().map_or("/", |path| path.as_str());
            Request::post(path)
                .header(HOST, &place)
                .header(CONTENT_TYPE, "application/json; charset=utf-8")
                .header(USER_AGENT, "Stripe/1.0 (+https://stripe.com/docs/webhooks)")
                .header("stripe-signature", signature)
                .body(Body::from(body.clone()))
                .map_err(|error| error.to_string())
        };
        // A connection that was kept may have been closed meanwhile; then a new one is tried.
        if let Some(kept) = self.kept(&place)
            && let Ok(status) = self.send(kept, &place, request()?).await
        {
            return Ok(status);
        }
        let fresh = self.connect(bare, uri.port_u16().unwrap_or(80)).await;
        self.send(fresh.map_err(|error| error.to_string())?, &place, request()?)
            .await
    }

    fn kept(&self, place: &str) -> Option<SendRequest<Body>> {
        let mut idle = lock(&self.idle);
        let kept = idle.get_mut(place)?;
        std::iter::from_fn(|| kept.pop()).find(SendRequest::is_ready)
    }

    async fn connect(&self, host: &str, port: u16) -> std::io::Result<SendRequest<Body>> {
        let stream = TcpStream::connect((host, port)).await?;
        let _ = stream.set_nodelay(true);
        let (sender, connection) = http1::handshake(TokioIo::new(stream))
            .await
            .map_err(std::io::Error::other)?;
        let mut connections = lock(&self.connections);
        while connections.try_join_next().is_some() {}
        connections.spawn(async move {
            // Whoever waits for the answer hears of a failure.
            let _ = connection.await;
        });
        Ok(sender)
    }

    async fn send(
        &self,
        mut sender: SendRequest<Body>,
        place: &str,
        request: Request<Body>,
    ) -> Result<u16, String> {
        let answer = sender.send_request(request).await;
        let (head, body) = answer.map_err(|error| error.to_string())?.into_parts();
        let read = axum::body::to_bytes(Body::new(body), MAX_ANSWER_BYTES).await;
        if read.is_ok() && sender.ready().await.is_ok() {
            let mut idle = lock(&self.idle);
            let kept = idle.entry(place.to_owned()).or_default();
            if kept.len() < MAX_IDLE {
                kept.push(sender);
            }
        }
        Ok(head.status.as_u16())
    }
}
