//! Subscriptions begin, change and end as people wish.

use super::periods;
use crate::stripe::error::ApiError;
use crate::stripe::state::{Item, Metadata, Recurring, Status, Subscription};
use crate::stripe::world::World;

const DAY: i64 = 86_400;
/// Why a subscription ended that somebody wanted to end.
const REQUESTED: &str = "cancellation_requested";

/// What somebody subscribes to.
pub struct Order {
    pub customer: String,
    pub items: Vec<Item>,
    pub metadata: Metadata,
    pub trial_end: Option<i64>,
    /// In the billing mode that was usual before September 2025.
    pub classic: bool,
}

impl Order {
    pub fn trial_days(now: i64, days: Option<u16>) -> Option<i64> {
        days.filter(|days| *days > 0)
            .map(|days| now + i64::from(days) * DAY)
    }
}

/// When a subscription is to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    Now,
    AtPeriodEnd,
    /// At the end of the period, as the portal does it: a flexible subscription then has `cancel_at` and nothing else.
    InPortal,
}

impl World {
    /// The prices of items, checked: they exist, and all come round together.
    pub fn recurring_of(&self, items: &[Item]) -> Result<Recurring, ApiError> {
        let mut found = None;
        for item in items {
            let price = self.state.prices.get(&item.price);
            let price = price.ok_or_else(|| ApiError::no_such("price", &item.price, "items[0][price]"))?;
            let recurring = price.recurring.ok_or_else(|| {
                let message = "The price specified is set to `type=one_time` but this field only accepts prices \
                               with `type=recurring`.";
                ApiError::param("price_type_invalid", "items[0][price]", message)
            })?;
            if found.is_some_and(|other| other != recurring) {
                let message = "All prices on a subscription must have the same interval.";
                return Err(ApiError::invalid(message));
            }
            found = Some(recurring);
        }
        found.ok_or_else(|| ApiError::missing("items"))
    }

    /// Begins a subscription and takes the first money.
    pub fn begin(&mut self, order: Order) -> Result<String, ApiError> {
        let recurring = self.recurring_of(&order.items)?;
        let now = self.now_of(&order.customer);
        let id = self.ids.make("sub");
        let trial_end = order.trial_end.filter(|end| *end > now);
        let anchor = trial_end.unwrap_or(now);
        let mut items = order.items;
        for item in &mut items {
            item.id = self.ids.make("si");
            item.created = now;
            item.quantity = item.quantity.max(1);
        }
        let subscription = Subscription {
            customer: order.customer,
            status: if trial_end.is_some() {
                Status::Trialing
            } else {
                Status::Active
            },
            items,
            metadata: order.metadata,
            created: now,
            current_period_start: now,
            current_period_end: trial_end.unwrap_or_else(|| periods::end(now, now, recurring)),
            billing_cycle_anchor: anchor,
            trial_start: trial_end.map(|_| now),
            trial_end,
            classic: order.classic,
            ..Subscription::default()
        };
        self.state.subscriptions.insert(id.clone(), subscription);
        let invoice = self.make_invoice(&id, "subscription_create", now);
        let good = self.charge(&invoice);
        if let Some(own) = self.state.subscriptions.get_mut(&id) {
            own.latest_invoice = Some(invoice.clone());
            if !good {
                own.status = Status::Incomplete;
            }
        }
        if let Some(object) = self.wire().object(&id) {
            self.emit("customer.subscription.created", &object, None, now);
        }
        self.tell_invoice(&invoice, now);
        self.stir(&id);
        Ok(id)
    }

    /// Puts other prices on a subscription. Another interval begins a new period, which is paid for at once.
    pub fn switch(&mut self, id: &str, items: Vec<Item>) -> Result<(), ApiError> {
        self.amend(id, items, |_| {})
    }

    /// Puts other prices on a subscription and changes it otherwise, all in one.
    pub fn amend(
        &mut self,
        id: &str,
        items: Vec<Item>,
        change: impl FnOnce(&mut Subscription),
    ) -> Result<(), ApiError> {
        let recurring = self.recurring_of(&items)?;
        let Some(own) = self.state.subscriptions.get(id) else {
            return Err(ApiError::no_such("subscription", id, "id"));
        };
        let before = self.recurring_of(&own.items).ok();
        let now = self.now_of(&own.customer);
        let renewed = before != Some(recurring) && own.status != Status::Trialing;
        self.change_subscription(id, now, |own| {
            change(own);
            own.items = items;
            if renewed {
                own.billing_cycle_anchor = now;
                own.current_period_start = now;
                own.current_period_end = periods::end(now, now, recurring);
            }
        });
        if renewed {
            self.bill(id, "subscription_update", now);
        }
        Ok(())
    }

    /// Ends a subscription, or says that it will end. One that is over stays as it is.
    pub fn end(&mut self, id: &str, ending: Ending) -> Result<(), ApiError> {
        let Some(own) = self.state.subscriptions.get(id) else {
            return Err(ApiError::no_such("subscription", id, "id"));
        };
        if own.status.is_over() {
            return Err(ApiError::no_such("subscription", id, "id"));
        }
        let now = self.now_of(&own.customer);
        self.change_subscription(id, now, |own| match ending {
            Ending::Now => own.cancel(now, REQUESTED),
            Ending::AtPeriodEnd => own.cancel_at_period_end(now),
            Ending::InPortal => {
                own.cancel_at_period_end(now);
                own.cancel_at_period_end = own.classic;
            }
        });
        Ok(())
    }

    /// Takes back that it will end.
    pub fn keep(&mut self, id: &str) -> Result<(), ApiError> {
        let Some(own) = self.state.subscriptions.get(id) else {
            return Err(ApiError::no_such("subscription", id, "id"));
        };
        let now = self.now_of(&own.customer);
        self.change_subscription(id, now, Subscription::keep);
        Ok(())
    }
}

impl Subscription {
    pub fn cancel(&mut self, at: i64, reason: &str) {
        self.status = Status::Canceled;
        self.ended_at = Some(at);
        self.canceled_at.get_or_insert(at);
        self.cancellation_reason.get_or_insert_with(|| reason.to_owned());
    }

    pub fn cancel_at_period_end(&mut self, now: i64) {
        self.cancel_at_period_end = true;
        self.cancel_at = Some(self.current_period_end);
        self.canceled_at = Some(now);
        self.cancellation_reason = Some(REQUESTED.to_owned());
    }

    pub fn keep(&mut self) {
        self.cancel_at_period_end = false;
        self.cancel_at = None;
        self.canceled_at = None;
        self.cancellation_reason = None;
    }
}
