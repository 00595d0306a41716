//! Closing a connection so that the answer arrives. A socket that is closed while bytes of the client are unread resets
//! the connection, and the client loses the answer that tells why.

use std::{
    mem::MaybeUninit,
    pin::Pin,
    task::{Context, Poll, ready},
};

use tokio::{
    io::{AsyncRead, ReadBuf},
    net::TcpStream,
    time::{Instant, Sleep, sleep_until},
};

use super::Limits;

/// Reads and throws away what a client still sends after its answer, within bounds.
pub(super) struct Lingering {
    left_bytes: usize,
    timer: Pin<Box<Sleep>>,
}

impl Lingering {
    pub(super) fn begin(limits: &Limits) -> Self {
        Self {
            left_bytes: limits.linger_bytes,
            timer: Box::pin(sleep_until(Instant::now() + limits.linger_timeout)),
        }
    }

    /// Ready when the client is done too, or used up what it is given.
    pub(super) fn poll_over(&mut self, stream: &mut TcpStream, cx: &mut Context<'_>) -> Poll<()> {
        let mut scratch = [MaybeUninit::uninit(); 8 * 1024];
        while self.timer.as_mut().poll(cx).is_pending() {
            let mut thrown_away = ReadBuf::uninit(&mut scratch);
            let read = ready!(Pin::new(&mut *stream).poll_read(cx, &mut thrown_away));
            let bytes = thrown_away.filled().len();
            if read.is_err() || bytes == 0 || bytes > self.left_bytes {
                break;
            }
            self.left_bytes -= bytes;
        }
        Poll::Ready(())
    }
}
