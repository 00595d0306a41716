//! What is behind the one lock: the state, what happened, and what is to be sent.

use serde_json::Value;

use super::events::{Cause, Event, EventLog, previous_attributes};
use super::idempotency::Idempotency;
use super::ids::Ids;
use super::sender::outbox::{Delivery, Outbox, Progress};
use super::state::{StripeState, Subscription, WebhookEndpoint};
use super::wire::Wire;

/// Objects that are made again and again; the oldest go.
const MOST_OBJECTS: usize = 50_000;

pub struct World {
    pub state: StripeState,
    pub events: EventLog,
    pub outbox: Outbox,
    pub idempotency: Idempotency,
    pub ids: Ids,
    /// Where the pages are.
    pub base: String,
    /// The request that is being answered.
    pub cause: Option<Cause>,
    pub now_ms: i64,
    /// Before this time nothing is due, unless something changes.
    pub quiet_until: i64,
}

impl World {
    pub fn new(state: StripeState, ids: Ids, base: String, now_ms: i64) -> Self {
        Self {
            state,
            events: EventLog::default(),
            outbox: Outbox::default(),
            idempotency: Idempotency::default(),
            ids,
            base,
            cause: None,
            now_ms,
            quiet_until: 0,
        }
    }

    pub fn wire(&self) -> Wire<'_> {
        Wire {
            state: &self.state,
            base: &self.base,
        }
    }

    /// Seconds since 1970.
    pub fn now(&self) -> i64 {
        self.now_ms.div_euclid(1_000)
    }

    /// The time that a customer lives at: their test clock's, if they have one.
    pub fn now_of(&self, customer: &str) -> i64 {
        let clock = self.state.customers.get(customer);
        let clock = clock.and_then(|customer| customer.test_clock.as_ref());
        let clock = clock.and_then(|clock| self.state.test_clocks.get(clock));
        clock.map_or_else(|| self.now(), |clock| clock.frozen_time)
    }

    /// Notes that something happened and who is to hear of it.
    pub fn emit(&mut self, kind: &str, object: &Value, previous: Option<Value>, at: i64) {
        let id = self.ids.make("evt");
        let hears = |endpoint: &WebhookEndpoint| {
            let wanted = |event: &String| event == "*" || event == kind;
            !endpoint.disabled && endpoint.enabled_events.iter().any(wanted)
        };
        let mut pending = 0;
        for (endpoint, it) in &self.state.webhook_endpoints {
            if hears(it) {
                self.outbox.add(&id, endpoint, self.now_ms, false);
                pending += 1;
            }
        }
        self.events.add(Event {
            id,
            kind: kind.to_owned(),
            created: at,
            object: object.to_string().into(),
            previous: previous.map(|previous| previous.to_string().into()),
            cause: self.cause.clone(),
            livemode: self.state.account.livemode,
            pending,
            failed: 0,
        });
    }

    /// Tells of an object that was changed, if it was.
    pub fn emit_change(&mut self, kind: &str, before: &Value, after: &Value, at: i64) {
        if let Some(previous) = previous_attributes(before, after) {
            self.emit(kind, after, Some(previous), at);
        }
    }

    /// Changes a subscription and tells of it. None if there is no such subscription.
    pub fn change_subscription<T>(
        &mut self,
        id: &str,
        at: i64,
        change: impl FnOnce(&mut Subscription) -> T,
    ) -> Option<T> {
        let own = self.state.subscriptions.get(id)?;
        let (before, was_over) = (self.wire().subscription(id, own), own.status.is_over());
        let result = change(self.state.subscriptions.get_mut(id)?);
        let own = self.state.subscriptions.get(id)?;
        let (after, is_over) = (self.wire().subscription(id, own), own.status.is_over());
        if is_over && !was_over {
            self.emit("customer.subscription.deleted", &after, None, at);
        } else {
            self.emit_change("customer.subscription.updated", &before, &after, at);
        }
        self.stir(id);
        Some(result)
    }

    /// Forgets the oldest of what is made again and again.
    pub fn trim(&mut self) {
        let state = &mut self.state;
        while state.invoices.len() > MOST_OBJECTS {
            state.invoices.pop_first();
        }
        while state.checkout_sessions.len() > MOST_OBJECTS {
            state.checkout_sessions.pop_first();
        }
        while state.portal_sessions.len() > MOST_OBJECTS {
            state.portal_sessions.pop_first();
        }
    }

    /// A delivery was answered with success, or never will be.
    pub fn finish(&mut self, delivery: Delivery, progress: Progress) {
        if !delivery.extra
            && let Some(event) = self.events.get_mut(&delivery.event)
        {
            event.pending = event.pending.saturating_sub(1);
            event.failed += u32::from(progress != Progress::Delivered);
        }
        self.outbox.finish(delivery, progress);
    }

    /// Plans another try, or gives up.
    pub fn retry(&mut self, delivery: Delivery, now_ms: i64) {
        if let Some(delivery) = self.outbox.retry(delivery, now_ms) {
            self.finish(delivery, Progress::Failed);
        }
    }

    /// Sends an event again, to all endpoints or to one.
    pub fn send_again(&mut self, event: &str, endpoint: Option<&str>) -> Result<usize, String> {
        if self.events.get(event).is_none() {
            return Err(format!("there is no event `{event}`"));
        }
        let all = self.state.webhook_endpoints.keys();
        let meant: Vec<String> = all
            .filter(|id| endpoint.is_none_or(|endpoint| endpoint == *id))
            .cloned()
            .collect();
        if meant.is_empty() {
            return Err("there is no such webhook endpoint".to_owned());
        }
        for endpoint in &meant {
            self.outbox.add(event, endpoint, self.now_ms, true);
        }
        Ok(meant.len())
    }
}
