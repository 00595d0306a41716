//! The state as a whole replaced by another, and what Stripe tells of that: found by comparing the two.

use std::collections::BTreeMap;

use serde_json::Value;

use super::state::{SessionStatus, StripeState};
use super::wire::Wire;
use super::world::World;

/// An object before and after, as Stripe writes it.
type Pair = (Option<Value>, Option<Value>);

impl World {
    /// Takes a state that fits together, and tells of every object that is new, different or gone.
    pub fn replace(&mut self, state: StripeState) {
        let before = std::mem::replace(&mut self.state, state);
        self.quiet_until = 0;
        let base = self.base.clone();
        let old = Wire {
            state: &before,
            base: &base,
        };
        let mut events: Vec<(&str, Pair)> = Vec::new();
        let new = self.wire();
        let pairs = compare(&before.products, &self.state.products, |id| {
            (old.object(id), new.object(id))
        });
        events.extend(pairs.map(|pair| ("product", pair)));
        let pairs = compare(&before.prices, &self.state.prices, |id| {
            (old.object(id), new.object(id))
        });
        events.extend(pairs.map(|pair| ("price", pair)));
        let pairs = compare(&before.customers, &self.state.customers, |id| {
            (old.object(id), new.object(id))
        });
        events.extend(pairs.map(|pair| ("customer", pair)));
        let pairs = compare(&before.invoices, &self.state.invoices, |id| {
            (old.object(id), new.object(id))
        });
        events.extend(pairs.map(|pair| ("invoice", pair)));
        let pairs = compare(&before.subscriptions, &self.state.subscriptions, |id| {
            (old.object(id), new.object(id))
        });
        events.extend(pairs.map(|pair| ("customer.subscription", pair)));
        let sessions = sessions(old, new);
        let at = self.now();
        for (kind, (before, after)) in events {
            self.tell(kind, before, after, at);
        }
        for (kind, object) in sessions {
            self.emit(kind, &object, None, at);
        }
        let gone = before.webhook_endpoints.into_keys();
        let gone: Vec<String> = gone
            .filter(|id| !self.state.webhook_endpoints.contains_key(id))
            .collect();
        for endpoint in gone {
            self.forget_endpoint(&endpoint);
        }
    }

    fn tell(&mut self, kind: &str, before: Option<Value>, after: Option<Value>, at: i64) {
        match (before, after) {
            (None, Some(after)) => self.emit(&format!("{kind}.created"), &after, None, at),
            (Some(before), Some(after)) => self.tell_difference(kind, &before, &after, at),
            (Some(before), None) => self.emit(&format!("{kind}.deleted"), &before, None, at),
            (None, None) => {}
        }
    }

    fn tell_difference(&mut self, kind: &str, before: &Value, after: &Value, at: i64) {
        let became = |status: &str| before["status"] != status && after["status"] == status;
        let is_subscription = kind == "customer.subscription";
        if after["deleted"] == true && before["deleted"].is_null() {
            self.emit(&format!("{kind}.deleted"), before, None, at);
        } else if is_subscription && (became("canceled") || became("incomplete_expired")) {
            self.emit("customer.subscription.deleted", after, None, at);
        } else if kind == "invoice" {
            let told = if became("paid") {
                "invoice.paid"
            } else {
                "invoice.updated"
            };
            self.emit_change(told, before, after, at);
        } else {
            self.emit_change(&format!("{kind}.updated"), before, after, at);
        }
    }
}

/// Each object that is not the same.
fn compare<'a, T: PartialEq>(
    before: &'a BTreeMap<String, T>,
    after: &'a BTreeMap<String, T>,
    pair: impl Fn(&str) -> Pair + 'a,
) -> impl Iterator<Item = Pair> + 'a {
    let gone = before.keys().filter(|id| !after.contains_key(*id));
    let there = after
        .iter()
        .filter(|(id, new)| before.get(*id).is_none_or(|old| old != *new));
    gone.chain(there.map(|(id, _)| id)).map(move |id| pair(id))
}

/// Checkout sessions tell only of their ends.
fn sessions(old: Wire<'_>, new: Wire<'_>) -> Vec<(&'static str, Value)> {
    let mut told = Vec::new();
    for (id, session) in &new.state.checkout_sessions {
        let before = old.state.checkout_sessions.get(id).map(|old| old.status);
        let kind = match session.status {
            _ if before == Some(session.status) => continue,
            SessionStatus::Open => continue,
            SessionStatus::Complete => "checkout.session.completed",
            SessionStatus::Expired => "checkout.session.expired",
        };
        told.push((kind, new.checkout_session(id, session)));
    }
    told
}
