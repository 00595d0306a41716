//! Callers that go through the whole service without a socket.

use std::net::SocketAddr;

use axum::body::Body;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::BodyExt;
use serde_json::Value;
use tower::ServiceExt;
use web::Edge;
use web::serve::Peer;

/// A caller: the headers it always sends and the address it comes from.
#[derive(Clone)]
pub struct Client {
    service: Edge,
    headers: Vec<(HeaderName, HeaderValue)>,
    peer: SocketAddr,
}

impl Client {
    /// A caller of any service, such as one with a router of the test's own.
    pub fn new(service: Edge) -> Self {
        Self {
            service,
            headers: Vec::new(),
            peer: SocketAddr::from(([203, 0, 113, 7], 40_000)),
        }
    }

    /// Sends one more header; a repeated name is sent twice.
    pub fn header(self, name: &'static str, value: &str) -> Self {
        self.header_bytes(name, value.as_bytes())
    }

    /// The same with a value that need not be text.
    pub fn header_bytes(mut self, name: &'static str, value: &[u8]) -> Self {
        self.headers.push((
            HeaderName::from_static(name),
            HeaderValue::from_bytes(value).expect("a header value"),
        ));
        self
    }

    /// Sends a file where it would send JSON.
    pub fn sending_file(mut self) -> Self {
        for (name, value) in &mut self.headers {
            if *name == http::header::CONTENT_TYPE && *value == "application/json" {
                *value = HeaderValue::from_static("application/octet-stream");
            }
        }
        self
    }

    /// Comes from another address.
    pub fn from(mut self, address: &str) -> Self {
        self.peer = SocketAddr::new(address.parse().expect("an address"), 40_000);
        self
    }

    pub async fn get(&self, uri: &str) -> Reply {
        self.send(Method::GET, uri, Body::empty()).await
    }

    pub async fn post(&self, uri: &str, body: &str) -> Reply {
        self.send(Method::POST, uri, Body::from(body.to_owned())).await
    }

    pub async fn send(&self, method: Method, uri: &str, body: Body) -> Reply {
        let (parts, body) = self.begin(method, uri, body).await.into_parts();
        let bytes = body.collect().await.expect("a whole body").to_bytes();
        Reply {
            status: parts.status,
            headers: parts.headers,
            body: bytes.to_vec(),
        }
    }

    /// The answer as it begins, with a body that is still to be read.
    pub async fn begin(&self, method: Method, uri: &str, body: Body) -> Response<Body> {
        let mut request = Request::builder()
            .method(method)
            .uri(uri)
            .body(body)
            .expect("a request");
        for (name, value) in &self.headers {
            request.headers_mut().append(name.clone(), value.clone());
        }
        request.extensions_mut().insert(Peer(self.peer));
        self.service
            .clone()
            .oneshot(request)
            .await
            .expect("the service always answers")
    }
}

/// An answer, read to its end.
#[derive(Debug)]
pub struct Reply {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}

impl Reply {
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).expect("a text body")
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("not JSON ({error}): {}", self.text()))
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .get(name)
            .map(|value| value.to_str().expect("a text header"))
    }

    /// The `code` of a failure.
    pub fn code(&self) -> String {
        self.json()["code"].as_str().unwrap_or_default().to_owned()
    }

    /// The answer as a snapshot: status, headers that do not change between runs, body without its request id.
    pub fn snapshot(&self) -> String {
        let mut text = format!("{}\n", self.status.as_u16());
        let mut headers: Vec<_> = self
            .headers
            .iter()
            .filter(|(name, _)| *name != "x-request-id")
            .collect();
        headers.sort_by_key(|(name, _)| name.as_str());
        for (name, value) in headers {
            text.push_str(&format!("{name}: {}\n", value.to_str().unwrap_or("?")));
        }
        let body = match serde_json::from_slice::<Value>(&self.body) {
            Ok(mut value) => {
                if let Some(id) = value.get_mut("request_id") {
                    *id = "…".into();
                }
                value.to_string()
            }
            Err(_) => self.text().to_owned(),
        };
        text.push('\n');
        text.push_str(&body);
        text
    }
}
