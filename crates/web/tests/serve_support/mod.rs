//! A server to be stopped, and clients that may misbehave.

use std::{future::Future, io, net::SocketAddr, time::Duration};

use axum::{Router, routing::get};
use prometheus_client::{encoding::text::encode, registry::Registry};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    sync::oneshot,
    task::JoinSet,
    time::timeout,
};
use web::serve::{DrainReport, Limits, bind, serve};

pub const SHORT: Duration = Duration::from_millis(200);
/// Far beyond what any of the tests needs; reaching it is a failure.
pub const LONG: Duration = Duration::from_secs(60);

/// Limits that no test reaches, to be shortened one at a time.
pub fn patient() -> Limits {
    Limits {
        first_byte_timeout: 3 * LONG,
        header_timeout: 3 * LONG,
        idle_timeout: 3 * LONG,
        body_timeout: 3 * LONG,
        write_stall_timeout: 3 * LONG,
        linger_timeout: 3 * LONG,
        drain_timeout: 3 * LONG,
        ..Limits::default()
    }
}

pub struct Server {
    pub addr: SocketAddr,
    stop: oneshot::Sender<()>,
    task: JoinSet<DrainReport>,
}

impl Server {
    pub async fn start(router: Router, limits: Limits) -> Self {
        let listener = bind(SocketAddr::from(([127, 0, 0, 1], 0))).await.unwrap();
        let addr = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel::<()>();
        let router = router.route("/", get(|| async { "ok" }));
        let mut task = JoinSet::new();
        task.spawn(serve(listener, router, limits, async {
            let _ = stopped.await;
        }));
        Self { addr, stop, task }
    }

    pub async fn connect(&self) -> Client {
        Client(TcpStream::connect(self.addr).await.unwrap())
    }

    /// Begins the shutdown; the report comes when the drain is over.
    pub fn stop(self) -> impl Future<Output = DrainReport> {
        let Self { stop, mut task, .. } = self;
        stop.send(()).unwrap();
        async move { within(task.join_next()).await.unwrap().unwrap() }
    }
}

pub struct Client(pub TcpStream);

impl Client {
    pub async fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.0.write_all(bytes.as_ref()).await.unwrap();
    }

    pub async fn get(&mut self, path: &str) -> io::Result<String> {
        let request = format!("GET {path} HTTP/1.1\r\nhost: test\r\n\r\n");
        self.0.write_all(request.as_bytes()).await?;
        self.response().await
    }

    /// One response of the test handlers: a head and the body `ok`, or nothing else but a head.
    pub async fn response(&mut self) -> io::Result<String> {
        let mut received = Vec::new();
        within(async {
            loop {
                let text = String::from_utf8_lossy(&received).into_owned();
                if text.ends_with("\r\n\r\nok")
                    || text.contains("length: 0\r\n") && text.ends_with("\r\n\r\n")
                {
                    return Ok(text);
                }
                received.push(self.0.read_u8().await?);
            }
        })
        .await
    }

    /// Waits until the server closed the connection, and gives what it sent before that.
    pub async fn ended(&mut self) -> String {
        let mut received = Vec::new();
        // A reset is an end as well.
        let _ = within(self.0.read_to_end(&mut received)).await;
        String::from_utf8_lossy(&received).into_owned()
    }

    pub async fn is_ended_after(&mut self, wait: Duration) -> bool {
        timeout(wait, self.0.read(&mut [0])).await.is_ok()
    }
}

pub async fn within<F: Future>(future: F) -> F::Output {
    timeout(LONG, future)
        .await
        .expect("should have happened long ago")
}

/// What the crate counted so far, as operators see it.
pub fn metrics() -> String {
    let mut registry = Registry::default();
    web::metrics::register(&mut registry);
    let mut text = String::new();
    encode(&mut text, &registry).unwrap();
    text
}
