//! Closed loop: every connection sends its next request as soon as the last one is answered.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use super::response::{Inbox, Parsed};
use super::{CONNECTIONS, Caller, Calls, Tally, Window, unreadable};

/// Drives the server to the end of the window. The connections are given back still open.
pub async fn closed_loop(
    addr: SocketAddr,
    calls: &Arc<Calls>,
    window: Window,
    tally: &Arc<Tally>,
) -> io::Result<Vec<TcpStream>> {
    let mut connections = JoinSet::new();
    for number in 0..CONNECTIONS {
        let stream = TcpStream::connect(addr).await?;
        stream.set_nodelay(true)?;
        let caller = Caller::new(calls, number, CONNECTIONS);
        connections.spawn(drive(stream, caller, window, Arc::clone(tally)));
    }
    let mut open = Vec::new();
    while let Some(ended) = connections.join_next().await {
        open.push(ended.map_err(io::Error::other)??);
    }
    Ok(open)
}

async fn drive(
    mut stream: TcpStream,
    mut caller: Caller,
    window: Window,
    tally: Arc<Tally>,
) -> io::Result<TcpStream> {
    let mut inbox = Inbox::new();
    let mut begun = Instant::now();
    while begun < window.until {
        let answer = exchange(&mut stream, caller.prepare(), &mut inbox).await?;
        let done = Instant::now();
        if window.holds(done) {
            tally.latencies.record(done - begun);
        }
        if !caller.accepts(&answer, &inbox) {
            tally.note_wrong(|| describe(&answer, &inbox));
        }
        begun = done;
    }
    Ok(stream)
}

async fn exchange(stream: &mut TcpStream, request: &[u8], inbox: &mut Inbox) -> io::Result<Parsed> {
    stream.write_all(request).await?;
    inbox.clear();
    loop {
        let count = stream.read(inbox.space()).await?;
        if let Some(answer) = inbox.advance(count).map_err(|_| unreadable())? {
            return Ok(answer);
        }
    }
}

pub(super) fn describe(answer: &Parsed, inbox: &Inbox) -> String {
    format!(
        "status {}, body {}",
        answer.status,
        String::from_utf8_lossy(inbox.body(answer))
    )
}
