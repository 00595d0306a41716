//! The listener: HTTP/1.1 on loopback, one task per connection, all gone when the server is dropped.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use http::Uri;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tower::ServiceExt;

const MAX_CONNECTIONS: usize = 4_096;

pub struct Server {
    address: SocketAddr,
    /// Ends with its owner.
    _accepting: JoinSet<()>,
}

impl Server {
    pub async fn start(port: u16, router: Router) -> std::io::Result<Self> {
        let listener = Server::bind(port).await?;
        Server::serve(listener, router)
    }

    /// For routers that have to know their own address.
    pub async fn bind(port: u16) -> std::io::Result<TcpListener> {
        TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await
    }

    pub fn serve(listener: TcpListener, router: Router) -> std::io::Result<Self> {
        let address = listener.local_addr()?;
        let mut accepting = JoinSet::new();
        accepting.spawn(accept(listener, router));
        Ok(Self {
            address,
            _accepting: accepting,
        })
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

/// Lets a handler close the connection it is answering.
#[derive(Clone, Default)]
pub struct Lifeline(Arc<Notify>);

impl Lifeline {
    pub fn cut(&self) {
        self.0.notify_one();
    }
}

async fn accept(listener: TcpListener, router: Router) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) if connections.len() < MAX_CONNECTIONS => {
                    connections.spawn(serve_connection(stream, router.clone()));
                }
                Ok(_) => {}
                // Out of descriptors: some will be free again.
                Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
            },
            Some(_) = connections.join_next() => {}
        }
    }
}

async fn serve_connection(stream: TcpStream, router: Router) {
    // Answers are small and written whole; waiting for more to send only delays them.
    let _ = stream.set_nodelay(true);
    let lifeline = Lifeline::default();
    let in_requests = lifeline.clone();
    let service = service_fn(move |request: hyper::Request<Incoming>| {
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(in_requests.clone());
        if let Some(uri) = without_last_slash(request.uri()) {
            *request.uri_mut() = uri;
        }
        router.clone().oneshot(request)
    });
    let connection = http1::Builder::new()
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades();
    tokio::select! {
        // A caller that breaks off is no news here.
        _ = connection => {}
        () = lifeline.0.notified() => {}
    }
}

/// The same address, if it ends in a slash that the route table does not know: Steam answers with and without.
fn without_last_slash(uri: &Uri) -> Option<Uri> {
    let path = uri.path().strip_suffix('/').filter(|path| !path.is_empty())?;
    match uri.query() {
        Some(query) => format!("{path}?{query}").parse().ok(),
        None => path.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_slash_goes() {
        let changed =
            |uri: &'static str| without_last_slash(&Uri::from_static(uri)).map(|uri| uri.to_string());
        assert_eq!(changed("/a/b/?c=d/").as_deref(), Some("/a/b?c=d/"));
        assert_eq!(changed("/a/b/").as_deref(), Some("/a/b"));
        assert_eq!(changed("/a/b"), None);
        assert_eq!(changed("/"), None);
    }
}
