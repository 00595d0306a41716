//! A wire to a server that can be cut, frozen and mended.

use tokio::io::AsyncReadExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Line {
    Whole,
    Cut,
    /// Connections are taken and kept, and nothing is carried.
    Frozen,
    /// What the client says arrives, what the server says does not.
    OneWay,
}

/// A wire between a store and its PostgreSQL, to be cut and mended by a test.
pub struct Proxy {
    port: u16,
    line: watch::Sender<Line>,
}

impl Proxy {
    /// Listens on a port of its own for the server of `address`.
    #[expect(clippy::disallowed_methods, reason = "ends with the test's runtime")]
    pub async fn start(address: &str) -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let port = listener.local_addr().expect("its own address").port();
        let server = host(address).to_owned();
        let (line, state) = watch::channel(Line::Whole);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(carry(client, server.clone(), state.clone()));
            }
        });
        Proxy { port, line }
    }

    /// The same address by way of this wire.
    pub fn address(&self, address: &str) -> String {
        address.replace(host(address), &format!("127.0.0.1:{}", self.port))
    }

    /// Ends every connection and lets no new one through. Returns when all are gone.
    pub async fn cut(&self) {
        self.line.send_replace(Line::Cut);
        while self.open() > 0 {
            tokio::task::yield_now().await;
        }
    }

    /// Nothing is carried from now on, over old connections and new ones. Old ones stay so.
    pub fn freeze(&self) {
        self.line.send_replace(Line::Frozen);
    }

    /// Answers of the server are lost from now on.
    pub fn lose_answers(&self) {
        self.line.send_replace(Line::OneWay);
    }

    /// Lets new connections through.
    pub fn mend(&self) {
        self.line.send_replace(Line::Whole);
    }

    /// Connections that the client has not closed.
    pub fn open(&self) -> usize {
        // The listener holds one receiver, each connection another.
        self.line.receiver_count() - 1
    }
}

async fn carry(mut client: TcpStream, server: String, mut line: watch::Receiver<Line>) {
    let now = *line.borrow_and_update();
    if now == Line::Cut {
        return;
    }
    let mut upstream = TcpStream::connect(server).await.expect("the server is there");
    if now == Line::Whole {
        tokio::select! {
            // First, so that nothing is carried that was sent after the line was changed.
            biased;
            _ = line.changed() => {}
            _ = tokio::io::copy_bidirectional(&mut client, &mut upstream) => return,
        }
    }
    let now = *line.borrow();
    let (mut from, _answers) = client.split();
    let rest = async {
        match now {
            Line::Frozen => while from.read(&mut [0; 1024]).await.is_ok_and(|read| read > 0) {},
            Line::OneWay => drop(tokio::io::copy(&mut from, &mut upstream).await),
            Line::Whole | Line::Cut => {}
        }
    };
    tokio::select! {
        () = rest => {}
        _ = line.wait_for(|line| *line == Line::Cut) => {}
    }
}

/// `host:port` out of `postgres://user@host:port/name`.
fn host(address: &str) -> &str {
    let rest = address.split_once("://").expect("an address").1;
    let rest = rest.rsplit_once('@').map_or(rest, |(_, rest)| rest);
    rest.split_once('/').expect("a database").0
}
