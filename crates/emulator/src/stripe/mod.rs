//! Stripe: customers, prices, checkout, the portal, subscriptions, invoices, and webhooks that are signed and sent.

mod billing;
mod changes;
mod checkout;
mod complete;
mod control;
mod desk;
mod error;
mod events;
mod expand;
mod hands;
mod idempotency;
mod ids;
mod lists;
mod pages;
mod params;
mod portal;
mod portal_state;
mod queue;
mod rest;
mod sender;
mod state;
mod version;
mod wire;
mod world;

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use axum::middleware;
use axum::response::{IntoResponse, Response};
use http::header::RETRY_AFTER;
use serde_json::{Map, Value};
use tokio::sync::{Notify, Semaphore};
use tokio::task::JoinSet;

use crate::common::control::{PREFIX, Stateful, assemble};
use crate::common::faults::SENDER;
use crate::common::hub::{Hub, Refusals, lock};
use crate::common::merge;
use crate::common::routes::Routes;
use crate::common::server::Server;
use crate::common::setup::Setup;
use error::ApiError;
use ids::Ids;
use queue::Queue;
use sender::flight;
use sender::post::Client;
use world::World;

pub use billing::Ending;
pub use checkout::Unpaid;
pub use hands::{Catalogue, PlanPrices};
pub use sender::outbox::{Delivery, Progress};
pub use state::{
    Account, AfterRetries, Card, CheckoutSession, Customer, Features, Flow, Interval, Invoice, InvoiceStatus,
    Item, Line, Metadata, PortalConfiguration, PortalProduct, PortalSession, Price, Product, Recurring,
    Secret, SessionStatus, Status, StripeState, Subscription, TestClock, WebhookEndpoint,
};

/// The route under which faults of the sender are asked for.
pub const WEBHOOK: &str = SENDER;

/// So many are part of the state; the interface lists them all.
const SHOWN_EVENTS: usize = 1_000;
/// How often [`Stripe::settle`] looks again.
const SETTLING: Duration = Duration::from_millis(1);

/// A running Stripe. It ends when it is dropped.
pub struct Stripe {
    inner: Arc<Inner>,
    server: Server,
    secret_key: String,
    /// The sender; ends with its owner.
    _sending: JoinSet<()>,
}

/// What the handlers work on.
struct Inner {
    hub: Arc<Hub>,
    world: Mutex<World>,
    /// Something may be due.
    wake: Notify,
    /// How many posts may be under way at once.
    posts: Semaphore,
    client: Client,
    queue: Queue,
}

impl Stripe {
    pub async fn start(setup: Setup) -> std::io::Result<Self> {
        let listener = Server::bind(setup.port).await?;
        let hub = Arc::new(Hub::new(
            &setup,
            Refusals {
                rate_limit,
                error_500,
                error_403,
            },
        ));
        let base = format!("http://{}", listener.local_addr()?);
        let ids = Ids::new(hub.random.clone());
        let secret_key = format!("sk_test_{}", ids.text::<32>());
        let mut state = StripeState::default();
        state.api_keys.insert(secret_key.clone());
        let inner = Arc::new(Inner {
            world: Mutex::new(World::new(state, ids, base, hub.now_ms())),
            hub: Arc::clone(&hub),
            wake: Notify::new(),
            posts: Semaphore::new(flight::MAX_POSTS),
            client: Client::default(),
            queue: Queue::default(),
        });
        let router = assemble(hub, Arc::clone(&inner), routes(), unknown, control::routes());
        let router = router.layer(middleware::from_fn_with_state(Arc::clone(&inner), queue::pass));
        let server = Server::serve(listener, router)?;
        let mut sending = JoinSet::new();
        sending.spawn(flight::run(Arc::clone(&inner)));
        Ok(Self {
            inner,
            server,
            secret_key,
            _sending: sending,
        })
    }

    /// What stands before `/v1/…`.
    pub fn api_url(&self) -> String {
        format!("http://{}", self.server.address())
    }

    pub fn control_url(&self) -> String {
        format!("{}{PREFIX}", self.api_url())
    }

    /// A secret key that is valid from the start.
    pub fn secret_key(&self) -> &str {
        &self.secret_key
    }

    pub fn state(&self) -> StripeState {
        self.inner.change_world(|world| world.state.clone())
    }

    /// Reads what Stripe knows without a copy of all of it.
    pub fn look<T>(&self, read: impl FnOnce(&StripeState) -> T) -> T {
        self.inner.change_world(|world| read(&world.state))
    }

    /// Changes what Stripe knows, as a person in its dashboard would, and tells of it. Nothing changes when the result
    /// does not fit together; the text says why.
    pub fn change<T>(&self, change: impl FnOnce(&mut StripeState) -> T) -> Result<T, String> {
        self.inner.change_world(|world| {
            let mut state = world.state.clone();
            let result = change(&mut state);
            world.complete(&mut state)?;
            world.replace(state);
            Ok(result)
        })
    }

    /// Returns when no delivery is due or under way. What waits for another try later is not due.
    pub async fn settle(&self) {
        self.inner.settle().await;
    }

    /// The journal of calls and the faults.
    pub fn hub(&self) -> &Hub {
        &self.inner.hub
    }
}

impl Inner {
    fn world(&self) -> MutexGuard<'_, World> {
        lock(&self.world)
    }

    /// Lets happen what is due, then does something, then sends what came of it.
    fn change_world<T>(&self, change: impl FnOnce(&mut World) -> T) -> T {
        let mut world = self.world();
        world.catch_up(self.hub.now_ms());
        let result = change(&mut world);
        drop(world);
        self.wake.notify_one();
        result
    }

    /// A page is looked at.
    fn visit(&self, draw: impl FnOnce(&mut World) -> Response) -> Response {
        self.change_world(draw)
    }

    fn catch_up(&self) {
        self.world().catch_up(self.hub.now_ms());
    }

    async fn settle(&self) {
        loop {
            let settled = self.change_world(|world| {
                let now_ms = world.now_ms;
                world.outbox.hurry(now_ms);
                world.outbox.is_settled(now_ms)
            });
            if settled {
                return;
            }
            tokio::time::sleep(SETTLING).await;
        }
    }
}

impl Stateful for Inner {
    /// What is known, and the newest events by their ids.
    fn state(&self) -> Value {
        self.change_world(|world| {
            let mut value = serde_json::to_value(&world.state).unwrap_or_default();
            let version = &world.state.account.api_version;
            let events = world.events.iter().rev().take(SHOWN_EVENTS);
            let events: Map<String, Value> = events
                .map(|event| (event.id.clone(), event.wire(version)))
                .collect();
            value["events"] = Value::Object(events);
            value
        })
    }

    fn patch_state(&self, patch: &Value) -> Result<(), String> {
        if patch.get("events").is_some() {
            return Err("events happen and cannot be changed; POST deliveries sends one again".to_owned());
        }
        self.change_world(|world| {
            let mut state: StripeState =
                merge::patched(&world.state, patch).map_err(|error| error.to_string())?;
            world.complete(&mut state)?;
            world.replace(state);
            Ok(())
        })
    }
}

fn routes() -> Routes<Arc<Inner>> {
    let mut routes = rest::routes()
        .get(pages::checkout::PATH, pages::checkout::show)
        .post(pages::checkout::PATH, pages::checkout::act)
        .get(pages::portal::PATH, pages::portal::show)
        .post(pages::portal::PATH, pages::portal::act)
        .get(pages::invoice::PATH, pages::invoice::show);
    routes.names.push(SENDER.to_owned());
    routes
}

fn rate_limit(seconds: u32) -> Response {
    ([(RETRY_AFTER, seconds)], ApiError::rate_limit()).into_response()
}

fn error_500() -> Response {
    ApiError::internal().into_response()
}

fn error_403() -> Response {
    ApiError::forbidden().into_response()
}

fn unknown() -> Response {
    ApiError::unknown_route().into_response()
}
