//! What a connection is doing, as seen from its socket and its requests.

use std::{
    io::{self, IoSlice},
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed},
    },
    task::{Context, Poll, ready},
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
};

use super::{connection::Connector, linger::Lingering, refusal};

/// Only the task of the connection touches it; the atomics are there because that task moves
/// between threads.
#[derive(Default)]
pub(super) struct Activity {
    /// Requests handed to the service so far, wrapping.
    requests: AtomicU32,
    /// Requests whose response the service has not finished giving us.
    in_flight: AtomicU32,
    /// Bytes came in while no request was in flight: part of a head.
    head_begun: AtomicBool,
    /// The last request was answered before its body was read to the end.
    body_unread: AtomicBool,
    /// The socket took no more bytes when we last tried.
    write_blocked: AtomicBool,
    /// Bytes that the socket took so far.
    taken: AtomicU64,
    /// The client took too little of a response.
    cut_off: AtomicBool,
}

/// What we wait for. A change of the number inside means that the client did something, so that
/// its time starts anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// The next request, of which nothing arrived yet. The start of a pipelined request that
    /// arrived together with the one before it counts as nothing.
    Idle { requests: u32 },
    /// The rest of a request head.
    Head { requests: u32 },
    /// Our own service.
    Serving,
    /// The client to take some of the response. Counted in slices: one that takes a byte now and then did nothing.
    Blocked { slices: u64 },
}

impl Activity {
    /// `slice_bytes` is what a client has to take of a response before its time starts anew.
    pub(super) fn phase(&self, slice_bytes: u64) -> Phase {
        let requests = self.requests.load(Relaxed);
        if self.write_blocked.load(Relaxed) {
            Phase::Blocked {
                slices: self.taken.load(Relaxed) / slice_bytes.max(1),
            }
        } else if self.in_flight.load(Relaxed) > 0 {
            Phase::Serving
        } else if self.head_begun.load(Relaxed) {
            Phase::Head { requests }
        } else {
            Phase::Idle { requests }
        }
    }

    /// Whatever the client did not take is thrown away with the socket.
    pub(super) fn cut_off(&self) {
        self.cut_off.store(true, Relaxed);
    }

    pub(super) fn note_unread_body(&self) {
        self.body_unread.store(true, Relaxed);
    }

    /// The client may be sending something that nobody will read: a body, or a head that was refused.
    fn has_unread_input(&self) -> bool {
        self.body_unread.load(Relaxed) || self.head_begun.load(Relaxed)
    }

    fn note_write(&self, result: &Poll<io::Result<usize>>) {
        self.write_blocked.store(result.is_pending(), Relaxed);
        if let Poll::Ready(Ok(bytes)) = result {
            self.taken.fetch_add(*bytes as u64, Relaxed);
        }
    }
}

/// Marks a request as in flight until dropped, wherever its handler or response ends.
pub(super) struct InFlight(Arc<Activity>);

impl InFlight {
    pub(super) fn begin(activity: &Arc<Activity>) -> Self {
        activity.head_begun.store(false, Relaxed);
        activity.body_unread.store(false, Relaxed);
        activity.requests.fetch_add(1, Relaxed);
        activity.in_flight.fetch_add(1, Relaxed);
        Self(activity.clone())
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.in_flight.fetch_sub(1, Relaxed);
    }
}

/// A socket that notes what passes through it.
pub(super) struct Watched {
    stream: TcpStream,
    activity: Arc<Activity>,
    connector: Arc<Connector>,
    lingering: Option<Lingering>,
    /// What is left to send of an answer to a head that hyper refused.
    refusal: Vec<u8>,
}

impl Drop for Watched {
    /// The kernel would go on sending to a client that takes a byte now and then, and keep all of it meanwhile.
    fn drop(&mut self) {
        if self.activity.cut_off.load(Relaxed) {
            let _ = self.stream.set_zero_linger();
        }
    }
}

impl Watched {
    pub(super) fn new(stream: TcpStream, activity: Arc<Activity>, connector: Arc<Connector>) -> Self {
        Self {
            stream,
            activity,
            connector,
            lingering: None,
            refusal: Vec::new(),
        }
    }

    /// Whether this was hyper's own refusal and ours is sent instead, with the next flush.
    fn replaces(&mut self, written: &[u8]) -> bool {
        if self.activity.in_flight.load(Relaxed) > 0 {
            return false;
        }
        let Some(answer) = refusal::instead_of(written, self.connector.ids()) else {
            return false;
        };
        self.refusal = answer;
        // What follows the head is not read either.
        self.activity.head_begun.store(true, Relaxed);
        true
    }

    fn poll_refusal(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.refusal.is_empty() {
            let result = Pin::new(&mut self.stream).poll_write(cx, &self.refusal);
            self.activity.note_write(&result);
            match ready!(result)? {
                0 => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                sent => drop(self.refusal.drain(..sent)),
            }
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncRead for Watched {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let result = Pin::new(&mut self.stream).poll_read(cx, buf);
        // hyper also reads while a request is in flight, for its body or to see the client leave.
        if result.is_ready() && self.activity.in_flight.load(Relaxed) == 0 {
            self.activity.head_begun.store(true, Relaxed);
        }
        result
    }
}

impl AsyncWrite for Watched {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        if self.replaces(buf) {
            return Poll::Ready(Ok(buf.len()));
        }
        let result = Pin::new(&mut self.stream).poll_write(cx, buf);
        self.activity.note_write(&result);
        result
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        if let [only] = bufs
            && self.replaces(only)
        {
            return Poll::Ready(Ok(only.len()));
        }
        let result = Pin::new(&mut self.stream).poll_write_vectored(cx, bufs);
        self.activity.note_write(&result);
        result
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_refusal(cx))?;
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    /// Called once everything was sent. The client is told at once that nothing more comes; the socket stays open for
    /// what it is still sending.
    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = &mut *self;
        if this.lingering.is_none() {
            ready!(this.poll_refusal(cx))?;
            ready!(Pin::new(&mut this.stream).poll_shutdown(cx))?;
            if !this.activity.has_unread_input() {
                return Poll::Ready(Ok(()));
            }
        }
        let limits = this.connector.limits();
        let lingering = this.lingering.get_or_insert_with(|| Lingering::begin(limits));
        lingering.poll_over(&mut this.stream, cx).map(Ok)
    }
}
