//! What happens by itself when time passes: renewals, further tries, ends and expiries.

use super::periods;
use crate::stripe::state::{InvoiceStatus, SessionStatus, Status, Subscription};
use crate::stripe::world::World;

/// A subscription whose first payment failed waits so long for a better card.
const INCOMPLETE: i64 = 23 * 3_600;

/// What happens next to a subscription or session. The order is that of steps at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    End,
    GiveUp,
    TryAgain,
    Renew,
    ExpireSession,
}

impl World {
    /// Lets everything happen that is due now, in the order of time.
    pub fn catch_up(&mut self, now_ms: i64) {
        self.now_ms = now_ms;
        if self.now() < self.quiet_until {
            return;
        }
        loop {
            let (mut due, next) = self.due();
            if due.is_empty() {
                self.quiet_until = next;
                return;
            }
            due.sort();
            // A step can make the next one of the same subscription due, which then comes in the next round.
            let cause = self.cause.take();
            for (at, step, id) in due {
                self.take_step(step, &id, at);
            }
            self.cause = cause;
        }
    }

    /// The next step of each subscription and session that is due, and when the first other one will be.
    fn due(&self) -> (Vec<(i64, Step, String)>, i64) {
        let (mut due, mut next) = (Vec::new(), i64::MAX);
        for (id, own) in &self.state.subscriptions {
            let Some((at, step)) = self.next_step(own) else {
                continue;
            };
            if at <= self.now_of(&own.customer) {
                due.push((at, step, id.clone()));
            } else {
                // Those on a test clock are looked at when it is moved.
                next = next.min(at.max(self.now() + 1));
            }
        }
        for (id, session) in &self.state.checkout_sessions {
            if session.status != SessionStatus::Open {
                continue;
            }
            if session.expires_at <= self.now() {
                due.push((session.expires_at, Step::ExpireSession, id.clone()));
            } else {
                next = next.min(session.expires_at);
            }
        }
        (due, next)
    }

    /// A subscription is new or changed: it may be the next with which something happens.
    pub fn stir(&mut self, id: &str) {
        let Some(own) = self.state.subscriptions.get(id) else {
            return;
        };
        let customer = self.state.customers.get(&own.customer);
        if customer.is_some_and(|customer| customer.test_clock.is_some()) {
            self.quiet_until = 0;
        } else if let Some((at, _)) = self.next_step(own) {
            self.quiet_until = self.quiet_until.min(at);
        }
    }

    fn next_step(&self, own: &Subscription) -> Option<(i64, Step)> {
        if own.status.is_over() || own.status == Status::Paused {
            return None;
        }
        if own.status == Status::Incomplete {
            return Some((own.created + INCOMPLETE, Step::GiveUp));
        }
        let renewal = (own.current_period_end, Step::Renew);
        let end = own.cancel_at.map(|at| (at, Step::End));
        let invoice = own.latest_invoice.as_ref();
        let open = invoice.and_then(|invoice| self.state.invoices.get(invoice));
        let open = open.filter(|invoice| invoice.status == InvoiceStatus::Open);
        let again = open.and_then(|open| open.next_payment_attempt);
        let again = again.map(|at| (at, Step::TryAgain));
        [Some(renewal), end, again].into_iter().flatten().min()
    }

    fn take_step(&mut self, step: Step, id: &str, at: i64) {
        match step {
            Step::End => {
                self.change_subscription(id, at, |own| own.cancel(at, "cancellation_requested"));
            }
            Step::GiveUp => {
                self.change_subscription(id, at, |own| {
                    own.status = Status::IncompleteExpired;
                    own.ended_at = Some(at);
                });
            }
            Step::TryAgain => {
                let own = self.state.subscriptions.get(id);
                if let Some(invoice) = own.and_then(|own| own.latest_invoice.clone()) {
                    self.try_again(&invoice, at);
                }
            }
            Step::Renew => self.renew(id, at),
            Step::ExpireSession => self.expire_session(id, at),
        }
    }

    fn renew(&mut self, id: &str, at: i64) {
        let Some(own) = self.state.subscriptions.get(id) else {
            return;
        };
        let Ok(recurring) = self.recurring_of(&own.items) else {
            // Its price is gone. It ends, or this would be tried for ever.
            self.change_subscription(id, at, |own| own.cancel(at, "payment_failed"));
            return;
        };
        let owing = matches!(own.status, Status::PastDue | Status::Unpaid);
        let end = periods::end(own.billing_cycle_anchor, at, recurring);
        let roll = |own: &mut Subscription| {
            own.current_period_start = at;
            own.current_period_end = end;
        };
        if owing {
            // The first debt is what tries are made for; the next ones are only written down.
            self.change_subscription(id, at, roll);
            let invoice = self.make_invoice(id, "subscription_cycle", at);
            if let Some(invoice) = self.state.invoices.get_mut(&invoice) {
                invoice.status = InvoiceStatus::Draft;
            }
            self.tell_invoice(&invoice, at);
            return;
        }
        let before = self.wire().object(id);
        if let Some(own) = self.state.subscriptions.get_mut(id) {
            roll(own);
            own.status = Status::Active;
        }
        let invoice = self.make_invoice(id, "subscription_cycle", at);
        let good = self.charge(&invoice);
        if let Some(own) = self.state.subscriptions.get_mut(id) {
            own.latest_invoice = Some(invoice.clone());
            if !good {
                own.status = Status::PastDue;
            }
        }
        self.tell_invoice(&invoice, at);
        if let (Some(before), Some(after)) = (before, self.wire().object(id)) {
            self.emit_change("customer.subscription.updated", &before, &after, at);
        }
    }

    /// Nobody can pay in it any more.
    pub fn expire_session(&mut self, id: &str, at: i64) {
        let Some(session) = self.state.checkout_sessions.get_mut(id) else {
            return;
        };
        session.status = SessionStatus::Expired;
        if let Some(session) = self.state.checkout_sessions.get(id) {
            let object = self.wire().checkout_session(id, session);
            self.emit("checkout.session.expired", &object, None, at);
        }
    }
}
