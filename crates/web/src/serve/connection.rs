//! One connection from its first byte to its end.

use std::{
    convert::Infallible,
    future::{Future, poll_fn},
    pin::pin,
    sync::Arc,
    task::Poll,
    time::Duration,
};

use axum::body::Body;
use domain::random::SystemRandom;
use http::{Request, Response};
use hyper::{
    body::Incoming,
    server::conn::http1::Builder,
    service::{Service as HyperService, service_fn},
};
use hyper_util::rt::TokioIo;
use tokio::{net::TcpStream, sync::watch, task::unconstrained, time};
use tower::{Service, ServiceExt};

use super::{
    Limits, Peer,
    activity::{Activity, InFlight, Phase, Watched},
    body::{self, InFlightBody},
    watchdog::Watchdog,
};
use crate::layers::RequestIds;

/// The least that hyper accepts as buffer size; below it panics.
const LEAST_HEAD_BYTES: usize = 8 * 1024;

/// How long a connection without a byte is given when draining begins.
const LATE_FIRST_BYTE: Duration = Duration::from_millis(500);

/// What all connections have in common.
pub(super) struct Connector {
    http: Builder,
    limits: Limits,
    /// Of requests that no service sees.
    ids: RequestIds,
}

enum End {
    Closed(hyper::Result<()>),
    Overdue(Phase),
}

impl End {
    /// Before the socket is dropped.
    fn settle(self, activity: &Activity) {
        match self {
            Self::Closed(Ok(())) => {}
            Self::Closed(Err(error)) => tracing::debug!(%error, "connection failed"),
            Self::Overdue(phase) => {
                if matches!(phase, Phase::Blocked { .. }) {
                    activity.cut_off();
                }
                tracing::debug!(?phase, "connection took too long");
            }
        }
    }
}

impl Connector {
    pub(super) fn new(limits: Limits) -> Self {
        let max_head_bytes = limits.max_head_bytes.max(LEAST_HEAD_BYTES);
        let mut http = Builder::new();
        http.keep_alive(true)
            .half_close(false)
            .pipeline_flush(false)
            // hyper's timer runs both between requests and during a head, and is allocated anew
            // for each request. The watchdog has a limit for each and one timer per connection.
            .header_read_timeout(None)
            .max_buf_size(max_head_bytes)
            // The buffer may grow past its limit by one read; this makes the limit exact.
            .max_header_size(max_head_bytes);
        let ids = RequestIds::new(&SystemRandom);
        Self { http, limits, ids }
    }

    pub(super) fn limits(&self) -> &Limits {
        &self.limits
    }

    pub(super) fn ids(&self) -> &RequestIds {
        &self.ids
    }
}

/// Returns when the client left, kept us waiting for too long, or was done after `drain` lost
/// its sender.
pub(super) async fn run<S>(
    stream: TcpStream,
    peer: Peer,
    service: S,
    connector: Arc<Connector>,
    mut drain: watch::Receiver<()>,
) where
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible> + Clone + Send + 'static,
    S::Future: Send,
{
    let limits = &connector.limits;
    // Silent connections cost no buffers.
    tokio::select! {
        biased;
        arrived = first_byte(&stream, limits.first_byte_timeout) => if !arrived { return },
        // It was connected before the end, so its request may be on the way.
        _ = drain.changed() => if !first_byte(&stream, limits.first_byte_timeout.min(LATE_FIRST_BYTE)).await { return },
    }
    let activity = Arc::new(Activity::default());
    let service = tracked(service, peer, activity.clone(), limits.body_timeout);
    let io = TokioIo::new(Watched::new(stream, activity.clone(), connector.clone()));
    let mut http = pin!(connector.http.serve_connection(io, service));
    let timer = pin!(time::sleep(limits.header_timeout));
    let mut watchdog = Watchdog::new(limits, timer);

    // Polled once, to have this task woken when draining begins. Asking `has_changed` afterwards
    // takes no lock, polling again would.
    let mut signal = drain.clone();
    let mut wake = pin!(unconstrained(signal.changed()));
    poll_fn(|cx| Poll::Ready(wake.as_mut().poll(cx).is_ready())).await;
    let mut draining = false;

    let end = poll_fn(|cx| {
        loop {
            if let Poll::Ready(result) = http.as_mut().poll(cx) {
                return Poll::Ready(End::Closed(result));
            }
            // In the middle of a later head hyper would close at once; that request is answered.
            let amid_head = matches!(activity.phase(limits.least_slice_bytes), Phase::Head { .. });
            if draining || amid_head || drain.has_changed().is_ok() {
                break;
            }
            // An idle connection ends with the next poll, others after their response.
            draining = true;
            http.as_mut().graceful_shutdown();
        }
        watchdog
            .poll_overdue(cx, activity.phase(limits.least_slice_bytes))
            .map(End::Overdue)
    })
    .await;
    end.settle(&activity);
}

async fn first_byte(stream: &TcpStream, limit: Duration) -> bool {
    let peeked = time::timeout(limit, stream.peek(&mut [0])).await;
    matches!(peeked, Ok(Ok(1)))
}

/// Gives hyper's requests to `service`, and keeps `activity` informed about them.
fn tracked<S>(
    service: S,
    peer: Peer,
    activity: Arc<Activity>,
    body_timeout: Duration,
) -> impl HyperService<Request<Incoming>, Response = Response<InFlightBody>, Error = Infallible, Future: Send>
where
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible> + Clone + Send + 'static,
    S::Future: Send,
{
    service_fn(move |request: Request<Incoming>| {
        let in_flight = InFlight::begin(&activity);
        let (service, activity) = (service.clone(), activity.clone());
        async move {
            let mut request = request.map(|incoming| body::timed(incoming, body_timeout, activity));
            request.extensions_mut().insert(peer);
            let response = service.oneshot(request).await?;
            Ok(response.map(|body| InFlightBody::new(body, in_flight)))
        }
    })
}
