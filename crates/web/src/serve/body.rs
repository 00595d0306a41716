//! Request bodies that must arrive in time, and response bodies that tell when they are done.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use axum::{
    BoxError, Error,
    body::{Body, Bytes, HttpBody},
};
use hyper::body::{Frame, Incoming, SizeHint};
use tokio::time::{Instant, Sleep, sleep_until};

use super::activity::{Activity, InFlight};

/// Keeps `Instant` arithmetic in range, whatever timeout was asked for.
const LONGEST_TIMEOUT: Duration = Duration::from_secs(24 * 60 * 60);

/// The client did not send its request body in time. Found among the sources of the error that
/// reading the body gave.
#[derive(Debug, thiserror::Error)]
#[error("the request body did not arrive in time")]
pub struct BodyTooSlow;

pub(super) fn timed(incoming: Incoming, timeout: Duration, activity: Arc<Activity>) -> Body {
    if incoming.is_end_stream() {
        return Body::empty();
    }
    Body::new(TimedBody {
        incoming: Some(incoming),
        timeout: timeout.min(LONGEST_TIMEOUT),
        deadline: None,
        timer: None,
        is_whole: false,
        activity,
    })
}

struct TimedBody {
    /// None after a failure: dropping hyper's end stops it from reading on.
    incoming: Option<Incoming>,
    timeout: Duration,
    /// Set with the first read; a client that waits for "100 Continue" sends nothing before.
    deadline: Option<Instant>,
    /// Made when a read has to wait. Most bodies arrive together with their head.
    timer: Option<Pin<Box<Sleep>>>,
    /// It was read to its end.
    is_whole: bool,
    activity: Arc<Activity>,
}

impl Drop for TimedBody {
    fn drop(&mut self) {
        let has_more = |incoming: &Incoming| !incoming.is_end_stream();
        if !self.is_whole && self.incoming.as_ref().is_none_or(has_more) {
            self.activity.note_unread_body();
        }
    }
}

impl TimedBody {
    /// Whether the time is over; if not, the task is woken when it is.
    fn poll_overdue(&mut self, cx: &mut Context<'_>, deadline: Instant) -> Poll<()> {
        self.timer
            .get_or_insert_with(|| Box::pin(sleep_until(deadline)))
            .as_mut()
            .poll(cx)
    }
}

impl HttpBody for TimedBody {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let this = &mut *self;
        let now = Instant::now();
        let deadline = *this.deadline.get_or_insert(now + this.timeout);
        let Some(incoming) = &mut this.incoming else {
            return Poll::Ready(None);
        };
        // A client that always has one more byte ready must not get past the deadline either.
        if now <= deadline {
            if let Poll::Ready(frame) = Pin::new(incoming).poll_frame(cx) {
                this.is_whole = frame.is_none();
                return Poll::Ready(frame.map(|result| result.map_err(BoxError::from)));
            }
            if this.poll_overdue(cx, deadline).is_pending() {
                return Poll::Pending;
            }
        }
        this.incoming = None;
        Poll::Ready(Some(Err(BodyTooSlow.into())))
    }

    fn is_end_stream(&self) -> bool {
        self.incoming.as_ref().is_none_or(HttpBody::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.incoming
            .as_ref()
            .map_or_else(SizeHint::new, HttpBody::size_hint)
    }
}

/// A response body that keeps its request in flight until hyper lets go of it.
pub(super) struct InFlightBody {
    body: Body,
    _in_flight: InFlight,
}

impl InFlightBody {
    pub(super) fn new(body: Body, in_flight: InFlight) -> Self {
        Self {
            body,
            _in_flight: in_flight,
        }
    }
}

impl HttpBody for InFlightBody {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
