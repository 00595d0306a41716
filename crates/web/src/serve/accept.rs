//! Taking connections from the listener, whatever the listener says.

use std::{
    io::{self, ErrorKind},
    net::SocketAddr,
    time::Duration,
};

use tokio::{
    net::{TcpListener, TcpStream},
    time::{Instant, sleep},
};

use super::Peer;

/// Out of descriptors or memory: trying again at once would spin, and only an ending connection helps.
const PAUSE_AFTER_ERROR: Duration = Duration::from_millis(50);
const WARN_EVERY: Duration = Duration::from_secs(10);

pub(super) struct Acceptor {
    listener: TcpListener,
    last_warning: Option<Instant>,
    unreported_errors: u64,
}

impl Acceptor {
    pub(super) fn new(listener: TcpListener) -> Self {
        Self {
            listener,
            last_warning: None,
            unreported_errors: 0,
        }
    }

    /// The next connection. Can be cancelled without losing one.
    pub(super) async fn next(&mut self) -> (TcpStream, Peer) {
        loop {
            match self.listener.accept().await {
                Ok((stream, addr)) => {
                    // Without it small responses may wait for the client's delayed acknowledgement.
                    if let Err(error) = stream.set_nodelay(true) {
                        tracing::debug!(%error, "could not set TCP_NODELAY");
                    }
                    return (
                        stream,
                        Peer(SocketAddr::new(addr.ip().to_canonical(), addr.port())),
                    );
                }
                // This client gave up while it was queued; the next one is not affected.
                Err(error) if is_about_one_client(&error) => {}
                Err(error) => {
                    self.warn(&error);
                    sleep(PAUSE_AFTER_ERROR).await;
                }
            }
        }
    }

    fn warn(&mut self, error: &io::Error) {
        self.unreported_errors += 1;
        if self.last_warning.is_some_and(|at| at.elapsed() < WARN_EVERY) {
            return;
        }
        tracing::warn!(%error, errors = self.unreported_errors, "cannot accept connections");
        self.last_warning = Some(Instant::now());
        self.unreported_errors = 0;
    }
}

fn is_about_one_client(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::ConnectionAborted | ErrorKind::ConnectionReset | ErrorKind::ConnectionRefused
    )
}
