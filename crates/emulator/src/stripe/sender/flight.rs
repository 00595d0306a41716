//! Deliveries on their way: many at once, in no promised order, hit by the faults of the sender.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::Bytes;
use domain::random;
use tokio::task::JoinSet;

use super::outbox::{Delivery, Progress};
use super::signature;
use crate::common::faults::{Fault, FaultKind, SENDER};
use crate::stripe::Inner;

/// Deliveries that are slow wait here as well; only so many post at once.
const MAX_FLIGHTS: usize = 1_024;
pub const MAX_POSTS: usize = 32;
/// How often to look whether the clock has moved.
const LOOK: Duration = Duration::from_millis(20);
const SLOW: Duration = Duration::from_secs(3);
const HOLD: Duration = Duration::from_millis(500);

/// What goes out together, one after the other.
struct Launch {
    deliveries: Vec<Delivery>,
    fault: Option<Fault>,
    removal: Pin<Box<dyn Future<Output = ()> + Send>>,
}

/// Sends what is due, until the emulator ends.
pub async fn run(inner: Arc<Inner>) {
    let mut flights = JoinSet::new();
    loop {
        while flights.len() < MAX_FLIGHTS
            && let Some(launch) = next(&inner)
        {
            flights.spawn(fly(Arc::clone(&inner), launch));
        }
        tokio::select! {
            Some(_) = flights.join_next() => {}
            () = inner.wake.notified() => {}
            () = tokio::time::sleep(LOOK) => inner.catch_up(),
        }
    }
}

/// The next launch, if anything is due. What a fault drops or holds does not leave.
fn next(inner: &Inner) -> Option<Launch> {
    let now_ms = inner.hub.now_ms();
    let mut world = inner.world();
    loop {
        // Before the fault is taken, so that whoever removes it is heard.
        let removal = Box::pin(inner.hub.next_removal());
        let more_to_hold = inner
            .hub
            .faults()
            .iter()
            .any(|fault| fault.fault == FaultKind::Reorder && fault.hits(SENDER));
        if world.outbox.is_hold_over(!more_to_hold) {
            let held = shuffled(inner, world.outbox.release());
            let deliveries = held.into_iter().map(|own| world.outbox.depart(own));
            return Some(Launch {
                deliveries: deliveries.collect(),
                fault: None,
                removal,
            });
        }
        let delivery = world.outbox.take_due(now_ms)?;
        let fault = if delivery.spared {
            None
        } else {
            inner.hub.take_fault(SENDER)
        };
        match fault.as_ref().map(|fault| fault.fault) {
            Some(FaultKind::Drop) => {
                world.finish(delivery, Progress::Dropped);
                continue;
            }
            Some(FaultKind::Reorder) => {
                let hold = fault.as_ref().and_then(|fault| fault.delay_ms);
                world
                    .outbox
                    .hold(delivery, hold.map_or(HOLD, Duration::from_millis));
                continue;
            }
            Some(FaultKind::Duplicate) => world.outbox.add_twin(&delivery, now_ms),
            _ => {}
        }
        let delivery = world.outbox.depart(delivery);
        return Some(Launch {
            deliveries: vec![delivery],
            fault,
            removal,
        });
    }
}

/// In another order, if there is one.
fn shuffled(inner: &Inner, mut held: Vec<Delivery>) -> Vec<Delivery> {
    let before: Vec<u64> = held.iter().map(Delivery::number).collect();
    for place in (1..held.len()).rev() {
        let dice = u64::from_le_bytes(random::bytes(&*inner.hub.random));
        let other = dice % (u64::try_from(place).unwrap_or_default() + 1);
        held.swap(place, usize::try_from(other).unwrap_or_default());
    }
    if held.len() > 1 && held.iter().map(Delivery::number).eq(before) {
        held.rotate_left(1);
    }
    held
}

async fn fly(inner: Arc<Inner>, launch: Launch) {
    let Launch {
        deliveries,
        fault,
        removal,
    } = launch;
    let fault = fault.as_ref();
    match fault.map(|fault| fault.fault) {
        Some(FaultKind::Slow) => {
            let delay = fault.and_then(|fault| fault.delay_ms);
            tokio::select! {
                () = tokio::time::sleep(delay.map_or(SLOW, Duration::from_millis)) => {}
                () = removal => {}
            }
        }
        Some(FaultKind::Hang) => removal.await,
        _ => {}
    }
    for mut delivery in deliveries {
        let outcome = attempt(&inner, &mut delivery, fault).await;
        land(&inner, delivery, outcome);
    }
    inner.wake.notify_one();
}

/// One try. Faults that refuse stand for an endpoint that refused.
async fn attempt(inner: &Inner, delivery: &mut Delivery, fault: Option<&Fault>) -> Result<u16, String> {
    match fault.map(|fault| fault.fault) {
        Some(FaultKind::RateLimit) => return Ok(429),
        Some(FaultKind::Error500) => return Ok(500),
        Some(FaultKind::Error403) => return Ok(403),
        _ => {}
    }
    let _permit = inner.posts.acquire().await.map_err(|error| error.to_string())?;
    let (url, mut payload, header) = letter(inner, delivery)?;
    if let Some(fault) = fault.filter(|fault| fault.fault == FaultKind::Garbage) {
        // The signature is that of the true body.
        payload = fault.body.clone().unwrap_or_else(|| "{\"id\":\"evt_".to_owned());
    }
    let begun = Instant::now();
    let answer = inner.client.post(&url, &header, Bytes::from(payload)).await;
    delivery.took_ms = u64::try_from(begun.elapsed().as_millis()).ok();
    match fault.map(|fault| fault.fault) {
        Some(FaultKind::Lost) => Err("the answer was lost".to_owned()),
        _ => answer,
    }
}

/// Where it goes, what it says and how it is signed, at this moment.
fn letter(inner: &Inner, delivery: &Delivery) -> Result<(String, String, String), String> {
    let now = inner.hub.now_ms().div_euclid(1_000);
    let world = inner.world();
    let endpoint = world.state.webhook_endpoints.get(&delivery.endpoint);
    let endpoint = endpoint.ok_or("the endpoint is gone")?;
    if endpoint.disabled {
        return Err("the endpoint is disabled".to_owned());
    }
    let event = world
        .events
        .get(&delivery.event)
        .ok_or("the event is forgotten")?;
    let version = endpoint.api_version.as_ref();
    let payload = event.payload(version.unwrap_or(&world.state.account.api_version));
    let payload = payload.map_err(|error| error.to_string())?;
    let header = signature::header(endpoint.valid_secrets(now), now, &payload);
    Ok((endpoint.url.clone(), payload, header))
}

fn land(inner: &Inner, mut delivery: Delivery, outcome: Result<u16, String>) {
    let mut world = inner.world();
    let gone = !world.state.webhook_endpoints.contains_key(&delivery.endpoint);
    let good = outcome.as_ref().is_ok_and(|status| (200..300).contains(status));
    (delivery.last_status, delivery.last_problem) = match outcome {
        Ok(status) => (Some(status), None),
        Err(problem) => (None, Some(problem)),
    };
    if good {
        world.finish(delivery, Progress::Delivered);
    } else if gone {
        world.finish(delivery, Progress::Failed);
    } else {
        world.retry(delivery, inner.hub.now_ms());
    }
}
