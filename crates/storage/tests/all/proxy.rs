//! A wire to a server that can be cut and mended.

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

#[derive(Clone, Copy, PartialEq)]
enum Line {
    Whole,
    Cut,
    /// Connections are taken and never answered.
    Silent,
}

pub struct Proxy {
    port: u16,
    line: watch::Sender<Line>,
}

impl Proxy {
    /// Listens on a port of its own for the server of `address`.
    #[expect(clippy::disallowed_methods, reason = "ends with the test's runtime")]
    pub async fn start(address: &str) -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let server = host(address).to_owned();
        let (line, state) = watch::channel(Line::Whole);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(carry(client, server.clone(), state.clone()));
            }
        });
        Proxy { port, line }
    }

    pub fn address(&self, address: &str) -> String {
        address.replace(host(address), &format!("127.0.0.1:{}", self.port))
    }

    /// Ends every connection and lets no new one through. Returns when all are gone.
    pub async fn cut(&self) {
        self.line.send(Line::Cut).unwrap();
        // The listener holds one receiver, each open connection another.
        while self.line.receiver_count() > 1 {
            tokio::task::yield_now().await;
        }
    }

    /// Ends every connection; new ones wait for an answer that does not come.
    pub async fn silence(&self) {
        self.cut().await;
        self.line.send(Line::Silent).unwrap();
    }

    pub fn mend(&self) {
        self.line.send(Line::Whole).unwrap();
    }
}

async fn carry(mut client: TcpStream, server: String, mut line: watch::Receiver<Line>) {
    let now = *line.borrow_and_update();
    match now {
        Line::Cut => {}
        Line::Silent => drop(line.changed().await),
        Line::Whole => {
            let mut upstream = TcpStream::connect(server).await.unwrap();
            tokio::select! {
                _ = tokio::io::copy_bidirectional(&mut client, &mut upstream) => {}
                _ = line.changed() => {}
            }
        }
    }
}

/// `host:port` out of `postgres://user@host:port/name`.
fn host(address: &str) -> &str {
    let rest = address.split_once("://").unwrap().1;
    let rest = rest.rsplit_once('@').map_or(rest, |(_, rest)| rest);
    rest.split_once('/').unwrap().0
}
