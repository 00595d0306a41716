//! Open loop: requests leave on a timetable. A late answer makes the next ones late too, and all of it counts.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use super::closed::describe;
use super::response::{Inbox, Parsed};
use super::{CONNECTIONS, Caller, Calls, Tally, Window, unreadable};

/// A server that does not answer for this long has failed.
const PATIENCE: Duration = Duration::from_secs(10);

/// Sends `per_second` requests a second over all connections; each is timed from the moment it was due.
///
/// Blocking threads, because the timer of the asynchronous runtime is only exact to a millisecond.
pub fn open_loop(
    addr: SocketAddr,
    calls: &Arc<Calls>,
    per_second: u64,
    window: Window,
    tally: &Tally,
) -> io::Result<()> {
    let begin = Instant::now() + Duration::from_millis(50);
    let between = Duration::from_secs(1) / u32::try_from(per_second).unwrap_or(u32::MAX);
    thread::scope(|scope| {
        let threads: Vec<_> = (0..CONNECTIONS)
            .map(|number| {
                let caller = Caller::new(calls, number, CONNECTIONS);
                let first_due = begin + between * number as u32;
                let period = between * CONNECTIONS as u32;
                scope.spawn(move || keep_timetable(addr, caller, first_due, period, window, tally))
            })
            .collect();
        for thread in threads {
            thread
                .join()
                .map_err(|_| io::Error::other("a connection's thread panicked"))??;
        }
        Ok(())
    })
}

fn keep_timetable(
    addr: SocketAddr,
    mut caller: Caller,
    first_due: Instant,
    period: Duration,
    window: Window,
    tally: &Tally,
) -> io::Result<()> {
    let mut stream = connect(addr)?;
    let mut inbox = Inbox::new();
    let mut due = first_due;
    while due < window.until {
        thread::sleep(due.saturating_duration_since(Instant::now()));
        let answer = exchange(&mut stream, caller.prepare(), &mut inbox)?;
        if window.holds(due) {
            tally.latencies.record(due.elapsed());
        }
        if !caller.accepts(&answer, &inbox) {
            tally.note_wrong(|| describe(&answer, &inbox));
        }
        due += period;
    }
    Ok(())
}

/// One call on a connection of its own; whether the answer was right.
pub fn ask_once(addr: SocketAddr, calls: &Arc<Calls>, number: u64) -> io::Result<bool> {
    let mut stream = connect(addr)?;
    let mut inbox = Inbox::new();
    let mut caller = Caller::new(calls, number, 1);
    let answer = exchange(&mut stream, caller.prepare(), &mut inbox)?;
    Ok(caller.accepts(&answer, &inbox))
}

/// The status of the answer to one request on a connection of its own.
pub fn status_of(addr: SocketAddr, request: &[u8]) -> io::Result<u16> {
    let mut stream = connect(addr)?;
    Ok(exchange(&mut stream, request, &mut Inbox::new())?.status)
}

/// Whether a server at this address says that it is alive.
pub fn is_alive(addr: SocketAddr) -> bool {
    let request = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
    status_of(addr, request).is_ok_and(|status| status == 200)
}

fn connect(addr: SocketAddr) -> io::Result<TcpStream> {
    let stream = TcpStream::connect(addr)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    Ok(stream)
}

fn exchange(stream: &mut TcpStream, request: &[u8], inbox: &mut Inbox) -> io::Result<Parsed> {
    stream.write_all(request)?;
    inbox.clear();
    loop {
        let count = stream.read(inbox.space())?;
        if let Some(answer) = inbox.advance(count).map_err(|_| unreadable())? {
            return Ok(answer);
        }
    }
}
