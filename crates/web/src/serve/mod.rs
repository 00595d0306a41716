//! The HTTP accept loop: HTTP/1.1 with a time limit on every wait for a client, caps on open
//! connections, and a shutdown that drains for a bounded time.

mod accept;
mod activity;
mod admission;
mod body;
mod connection;
mod linger;
mod refusal;
mod watchdog;

use std::{convert::Infallible, future::Future, io, net::SocketAddr, pin::pin, sync::Arc, time::Duration};

use axum::body::Body;
use http::{Extensions, Request, Response};
use ipnet::IpNet;
use tokio::{
    net::{TcpListener, TcpSocket},
    sync::watch,
    task::{JoinError, JoinSet},
    time::{Instant, timeout, timeout_at},
};
use tower::Service;

pub use self::body::BodyTooSlow;
use self::{accept::Acceptor, admission::Admission, connection::Connector};

/// What the kernel keeps of answers for one connection: a client that does not read costs no more than this.
const SEND_BUFFER_BYTES: u32 = 256 * 1024;
const BACKLOG: u32 = 1024;

/// How long aborted connections get to be dropped. Only a handler that blocks its thread needs
/// longer, and waiting for that one could take forever.
const ABORT_GRACE: Duration = Duration::from_secs(1);

/// How long the listen queue is watched for clients that came before the end.
const LAST_CALL: Duration = Duration::from_millis(20);

/// How long clients may keep us waiting, and how many of them may do so at once.
#[derive(Clone, Debug)]
pub struct Limits {
    /// From accepting a connection to its first byte.
    pub first_byte_timeout: Duration,
    /// From the first byte of a request head to its last.
    pub header_timeout: Duration,
    /// From the end of a response to the first byte of the next request.
    pub idle_timeout: Duration,
    /// For the whole request body, from the first time the handler asks for it. Reading past it
    /// gives the handler an error.
    pub body_timeout: Duration,
    /// For a client that takes less than `least_slice_bytes` of the response that we hold for it.
    pub write_stall_timeout: Duration,
    pub least_slice_bytes: u64,
    /// What a client that was answered early may still send, and for how long, before its connection is closed.
    pub linger_timeout: Duration,
    pub linger_bytes: usize,
    /// From shutdown until connections that are still open get aborted.
    pub drain_timeout: Duration,
    /// Further connections wait in the listen backlog.
    pub max_connections: usize,
    /// Further connections of the same address are closed at once.
    pub max_connections_per_peer: usize,
    /// Request line and headers. Raised to 8 KiB if lower, the least that hyper can work with.
    pub max_head_bytes: usize,
    /// Proxies that speak for many clients: exempt from the cap per peer.
    pub trusted_peers: Arc<[IpNet]>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            first_byte_timeout: Duration::from_secs(10),
            header_timeout: Duration::from_secs(10),
            idle_timeout: Duration::from_secs(60),
            body_timeout: Duration::from_secs(15),
            write_stall_timeout: Duration::from_secs(30),
            least_slice_bytes: 128 * 1024,
            linger_timeout: Duration::from_secs(5),
            linger_bytes: 16 * 1024 * 1024,
            drain_timeout: Duration::from_secs(10),
            max_connections: 4096,
            max_connections_per_peer: 256,
            max_head_bytes: 64 * 1024,
            trusted_peers: Arc::from([]),
        }
    }
}

/// The other end of the connection, found in the extensions of every request. An IPv4 address
/// that reached an IPv6 socket is given as IPv4.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peer(pub SocketAddr);

impl Peer {
    /// Where a request comes from. One that came over no connection is nobody's.
    pub fn of(extensions: &Extensions) -> Self {
        let nobody = Self(SocketAddr::from(([0, 0, 0, 0], 0)));
        extensions.get().copied().unwrap_or(nobody)
    }
}

/// What became of the connections that were open when shutdown began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrainReport {
    pub completed: usize,
    pub aborted: usize,
}

/// Listens on `addr`, also while connections of a previous process linger in `TIME_WAIT`.
pub async fn bind(addr: SocketAddr) -> io::Result<TcpListener> {
    let socket = match addr {
        SocketAddr::V4(_) => TcpSocket::new_v4()?,
        SocketAddr::V6(_) => TcpSocket::new_v6()?,
    };
    socket.set_reuseaddr(true)?;
    socket.set_send_buffer_size(SEND_BUFFER_BYTES)?;
    socket.bind(addr)?;
    socket.listen(BACKLOG)
}

/// Serves until `shutdown` resolves, then drains. Returns when all connections ended or the
/// drain deadline passed.
pub async fn serve<S>(
    listener: TcpListener,
    service: S,
    limits: Limits,
    shutdown: impl Future<Output = ()> + Send,
) -> DrainReport
where
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible> + Clone + Send + 'static,
    S::Future: Send,
{
    let max_connections = limits.max_connections.max(1);
    let drain_timeout = limits.drain_timeout;
    let admission = Admission::new(&limits);
    let connector = Arc::new(Connector::new(limits));
    let mut acceptor = Acceptor::new(listener);
    // Carries no value: dropping the sender is the signal to drain.
    let (serving, drain) = watch::channel(());
    let mut connections = JoinSet::new();
    let mut shutdown = pin!(shutdown);

    let start = |connections: &mut JoinSet<()>, stream, peer: Peer| {
        if let Some(ticket) = admission.admit(peer.0.ip()) {
            let run = connection::run(stream, peer, service.clone(), connector.clone(), drain.clone());
            connections.spawn(async move {
                let _ticket = ticket;
                run.await;
            });
        }
    };

    loop {
        tokio::select! {
            biased;
            () = &mut shutdown => break,
            Some(ended) = connections.join_next() => note_end(&ended),
            (stream, peer) = acceptor.next(), if connections.len() < max_connections => {
                start(&mut connections, stream, peer);
            }
        }
    }

    // Who is already in the listen queue would be reset when it closes; they are answered too. Newcomers may not
    // prolong it.
    let last_call = Instant::now() + LAST_CALL;
    while connections.len() < max_connections
        && let Ok((stream, peer)) = timeout_at(last_call, acceptor.next()).await
    {
        start(&mut connections, stream, peer);
    }
    drop(acceptor);
    while let Some(ended) = connections.try_join_next() {
        note_end(&ended);
    }
    drop(serving);
    finish(connections, drain_timeout).await
}

async fn finish(mut connections: JoinSet<()>, drain_timeout: Duration) -> DrainReport {
    let open = connections.len();
    // Whether the wait ended in time is answered by who is left.
    let _ = timeout(drain_timeout, join_all(&mut connections)).await;
    while let Some(ended) = connections.try_join_next() {
        note_end(&ended);
    }
    let aborted = connections.len();
    connections.abort_all();
    let _ = timeout(ABORT_GRACE, join_all(&mut connections)).await;
    DrainReport {
        completed: open - aborted,
        aborted,
    }
}

async fn join_all(connections: &mut JoinSet<()>) {
    while let Some(ended) = connections.join_next().await {
        note_end(&ended);
    }
}

fn note_end(ended: &Result<(), JoinError>) {
    if ended.as_ref().is_err_and(JoinError::is_panic) {
        tracing::error!("a request handler panicked, its connection was closed");
    }
}
