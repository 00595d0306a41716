//! The service on a port, which can fail in every way that a game server meets.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use http::{Request, StatusCode};
use testkit::TestApp;
use tokio::sync::oneshot;
use tower::{Service, ServiceExt};
use web::Edge;
use web::serve::{Limits, bind, serve};

/// How it answers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mood {
    Well,
    /// With a failure in the words of the service.
    Refuses(u16, &'static str),
    /// With something that is no answer of ours.
    Says(u16, &'static str),
    Hangs,
}

#[derive(Clone)]
struct Moody {
    inner: Edge,
    mood: Arc<Mutex<Mood>>,
}

impl Service<Request<Body>> for Moody {
    type Response = Response;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let mood = *self.mood.lock().expect("a mood");
        let inner = self.inner.clone();
        let status = |code: u16| StatusCode::from_u16(code).expect("a status");
        Box::pin(async move {
            match mood {
                Mood::Well => inner.oneshot(request).await,
                Mood::Refuses(code, word) => {
                    let body = format!(
                        r#"{{"status":{code},"code":"{word}","error":"{word}","message":"no","retry_after":30}}"#
                    );
                    Ok((status(code), body).into_response())
                }
                Mood::Says(code, text) => Ok((status(code), text).into_response()),
                Mood::Hangs => std::future::pending().await,
            }
        })
    }
}

/// A service that runs, until it is stopped.
pub struct Running {
    pub address: SocketAddr,
    mood: Arc<Mutex<Mood>>,
    stop: oneshot::Sender<()>,
}

impl Running {
    /// At this address, or at any.
    pub async fn start(test: &TestApp, address: Option<SocketAddr>) -> Running {
        let wanted = address.unwrap_or(SocketAddr::from(([127, 0, 0, 1], 0)));
        let listener = bind(wanted).await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let mood = Arc::new(Mutex::new(Mood::Well));
        let service = Moody {
            inner: web::service(test.state.clone()),
            mood: Arc::clone(&mood),
        };
        let (stop, stopped) = oneshot::channel();
        let limits = Limits {
            drain_timeout: std::time::Duration::from_millis(100),
            ..Limits::default()
        };
        test.app.tasks.spawn(async move {
            let stopped = async move { drop(stopped.await) };
            serve(listener, service, limits, stopped).await;
        });
        Running { address, mood, stop }
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub fn set(&self, mood: Mood) {
        *self.mood.lock().expect("a mood") = mood;
    }

    /// Nobody answers at its address any more.
    pub fn end(self) {
        self.set(Mood::Well);
        let _ = self.stop.send(());
    }
}
