//! The load generator: raw HTTP/1.1 with requests made beforehand, because it uses the same processors as the server.

mod calls;
mod closed;
mod open;
mod response;

use std::io;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

pub use calls::{Call, Caller, Calls};
pub use closed::closed_loop;
pub use open::{ask_once, is_alive, open_loop, status_of};

use crate::histogram::Histogram;

/// Connections open at once, each with one request under way.
pub const CONNECTIONS: u64 = 64;

/// The part of a phase that counts.
#[derive(Clone, Copy)]
pub struct Window {
    pub from: Instant,
    pub until: Instant,
}

impl Window {
    pub fn new(warm_up: Duration, length: Duration) -> Self {
        let from = Instant::now() + warm_up;
        Self {
            from,
            until: from + length,
        }
    }

    pub fn holds(&self, moment: Instant) -> bool {
        (self.from..self.until).contains(&moment)
    }
}

/// What all connections of a phase found out.
pub struct Tally {
    pub latencies: Histogram,
    wrong: AtomicU64,
    first_wrong: Mutex<Option<String>>,
}

impl Tally {
    pub fn new() -> Self {
        Self {
            latencies: Histogram::new(),
            wrong: AtomicU64::new(0),
            first_wrong: Mutex::new(None),
        }
    }

    /// Notes an answer that was not the expected one.
    pub fn note_wrong(&self, what: impl FnOnce() -> String) {
        self.wrong.fetch_add(1, Relaxed);
        if let Ok(mut first) = self.first_wrong.lock() {
            first.get_or_insert_with(what);
        }
    }

    pub fn wrong(&self) -> u64 {
        self.wrong.load(Relaxed)
    }

    /// The first wrong answer, in words.
    pub fn first_wrong(&self) -> Option<String> {
        self.first_wrong.lock().ok().and_then(|mut first| first.take())
    }
}

fn unreadable() -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidData,
        "the server closed early or sent an unreadable answer",
    )
}
