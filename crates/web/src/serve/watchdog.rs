//! The one timer of a connection.

use std::{
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use tokio::time::{Instant, Sleep};

use super::{Limits, activity::Phase};

/// Tells when a client used up the time of the phase its connection is in.
///
/// The timer is moved forward only when it fires, not with every request: arming it takes a lock
/// shared by all connections.
pub(super) struct Watchdog<'a> {
    limits: &'a Limits,
    timer: Pin<&'a mut Sleep>,
    phase: Phase,
    /// None while we wait for ourselves.
    deadline: Option<Instant>,
}

impl<'a> Watchdog<'a> {
    pub(super) fn new(limits: &'a Limits, timer: Pin<&'a mut Sleep>) -> Self {
        Self {
            limits,
            timer,
            phase: Phase::Serving,
            deadline: None,
        }
    }

    /// Ready, with the phase that took too long, when its time is over. To be called whenever
    /// the connection made what progress it could.
    pub(super) fn poll_overdue(&mut self, cx: &mut Context<'_>, phase: Phase) -> Poll<Phase> {
        if phase != self.phase {
            self.phase = phase;
            self.deadline = limit(self.limits, phase).and_then(|limit| Instant::now().checked_add(limit));
        }
        let Some(deadline) = self.deadline else {
            return Poll::Pending;
        };
        if self.timer.deadline() > deadline {
            self.timer.as_mut().reset(deadline);
        }
        loop {
            ready!(self.timer.as_mut().poll(cx));
            if Instant::now() >= deadline {
                return Poll::Ready(phase);
            }
            self.timer.as_mut().reset(deadline);
        }
    }
}

fn limit(limits: &Limits, phase: Phase) -> Option<Duration> {
    match phase {
        Phase::Idle { .. } => Some(limits.idle_timeout),
        Phase::Head { .. } => Some(limits.header_timeout),
        Phase::Serving => None,
        Phase::Blocked { .. } => Some(limits.write_stall_timeout),
    }
}
