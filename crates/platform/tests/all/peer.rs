//! A peer that answers each call as it is told, and remembers what it was asked.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::{Method, Request, Response, Uri};

/// One call that arrived.
#[derive(Clone, Debug)]
pub struct Call {
    pub method: Method,
    pub uri: Uri,
    pub authorization: Option<String>,
    pub body: String,
}

impl Call {
    /// The value of a parameter in the query.
    pub fn query(&self, name: &str) -> Option<String> {
        pair(self.uri.query().unwrap_or_default(), name)
    }

    /// The value of a field in a form.
    pub fn form(&self, name: &str) -> Option<String> {
        pair(&self.body, name)
    }
}

fn pair(text: &str, name: &str) -> Option<String> {
    let mut found = form_urlencoded::parse(text.as_bytes()).filter(|(known, _)| known == name);
    found.next().map(|(_, value)| value.into_owned())
}

/// What the peer does with a call.
#[derive(Clone)]
pub enum Say {
    Json(u16, String),
    Text(u16, String),
    /// A redirect to this address.
    Redirect(String),
    /// Accepts the call and never answers.
    Nothing,
}

type Answers = Box<dyn Fn(&Call) -> Say + Send>;

pub struct Peer {
    /// Scheme, host and port.
    pub base: String,
    inner: Arc<Inner>,
}

struct Inner {
    calls: Mutex<Vec<Call>>,
    answers: Mutex<Answers>,
}

impl Peer {
    #[expect(clippy::disallowed_methods, reason = "ends with the runtime of its test")]
    pub async fn start(answers: impl Fn(&Call) -> Say + Send + 'static) -> Peer {
        let inner = Arc::new(Inner {
            calls: Mutex::default(),
            answers: Mutex::new(Box::new(answers)),
        });
        let router = Router::new().fallback(answer).with_state(Arc::clone(&inner));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(async move { axum::serve(listener, router).await });
        Peer { base, inner }
    }

    /// Answers otherwise from now on.
    pub fn now(&self, answers: impl Fn(&Call) -> Say + Send + 'static) {
        *self.inner.answers.lock().unwrap() = Box::new(answers);
    }

    /// The calls since the last time this was asked.
    pub fn calls(&self) -> Vec<Call> {
        std::mem::take(&mut self.inner.calls.lock().unwrap())
    }
}

async fn answer(State(inner): State<Arc<Inner>>, request: Request<Body>) -> Response<Body> {
    let (parts, body) = request.into_parts();
    let body = axum::body::to_bytes(body, 1 << 20).await.unwrap();
    let authorization = parts.headers.get("authorization");
    let call = Call {
        method: parts.method,
        uri: parts.uri,
        authorization: authorization.map(|value| value.to_str().unwrap().to_owned()),
        body: String::from_utf8(body.to_vec()).unwrap(),
    };
    let say = inner.answers.lock().unwrap()(&call);
    inner.calls.lock().unwrap().push(call);
    let (status, kind, text) = match say {
        Say::Json(status, text) => (status, "application/json", text),
        Say::Text(status, text) => (status, "text/html", text),
        Say::Redirect(to) => {
            let response = Response::builder().status(302).header("location", to);
            return response.body(Body::empty()).unwrap();
        }
        Say::Nothing => std::future::pending().await,
    };
    let response = Response::builder().status(status).header("content-type", kind);
    response.body(Body::from(text)).unwrap()
}
