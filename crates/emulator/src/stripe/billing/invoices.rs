//! Invoices: one for each period, and up to four tries to be paid.

use crate::stripe::state::{AfterRetries, Card, Invoice, InvoiceStatus, Line, Status};
use crate::stripe::wire::invoice_prefix;
use crate::stripe::world::World;

/// When to try again, in days after the first try.
const RETRY_DAYS: [i64; 3] = [3, 7, 14];

impl World {
    /// An invoice for the current period, which nobody paid yet. While a trial lasts it is about nothing.
    pub fn make_invoice(&mut self, subscription: &str, reason: &str, at: i64) -> String {
        let id = self.ids.make("in");
        let Some(own) = self.state.subscriptions.get(subscription) else {
            return id;
        };
        let trial = own.status == Status::Trialing;
        let mut lines = Vec::new();
        let mut currency = "usd".to_owned();
        for item in &own.items {
            let Some(price) = self.state.prices.get(&item.price) else {
                continue;
            };
            currency.clone_from(&price.currency);
            let name = self.wire().product_name(&price.product);
            lines.push(Line {
                id: String::new(),
                item: item.id.clone(),
                price: item.price.clone(),
                description: if trial {
                    format!("Trial period for {name}")
                } else {
                    format!("{} × {name}", item.quantity)
                },
                quantity: item.quantity,
                amount: if trial {
                    0
                } else {
                    price.unit_amount * i64::from(item.quantity)
                },
            });
        }
        let invoice = Invoice {
            customer: own.customer.clone(),
            subscription: subscription.to_owned(),
            status: InvoiceStatus::Open,
            number: format!(
                "{}-{:04}",
                invoice_prefix(&own.customer),
                self.state.invoices.len() + 1
            ),
            currency,
            lines,
            created: at,
            paid_at: None,
            period_start: own.current_period_start,
            period_end: own.current_period_end,
            billing_reason: reason.to_owned(),
            attempt_count: 0,
            next_payment_attempt: None,
        };
        self.state.invoices.insert(id.clone(), invoice);
        if let Some(invoice) = self.state.invoices.get_mut(&id) {
            for line in &mut invoice.lines {
                line.id = self.ids.make("il");
            }
        }
        self.trim();
        id
    }

    /// Tries to take the money; false when the card is declined.
    pub fn charge(&mut self, id: &str) -> bool {
        let Some(invoice) = self.state.invoices.get_mut(id) else {
            return false;
        };
        let customer = self.state.customers.get_mut(&invoice.customer);
        let declined = customer.as_ref().is_some_and(|it| it.card == Card::Declined) && invoice.total() > 0;
        let at = match invoice.attempt_count {
            0 => invoice.created,
            _ => invoice.next_payment_attempt.unwrap_or(invoice.created),
        };
        invoice.attempt_count += 1;
        if let Some(customer) = customer {
            customer.delinquent = declined;
        }
        if declined {
            let tries = usize::try_from(invoice.attempt_count - 1).unwrap_or(usize::MAX);
            let next = RETRY_DAYS.get(tries);
            invoice.next_payment_attempt = next.map(|days| invoice.created + days * 86_400);
        } else {
            invoice.status = InvoiceStatus::Paid;
            invoice.paid_at = Some(at);
            invoice.next_payment_attempt = None;
        }
        !declined
    }

    /// Tells of a new invoice and of the first try to be paid.
    pub fn tell_invoice(&mut self, id: &str, at: i64) {
        if let Some(object) = self.wire().object(id) {
            self.emit("invoice.created", &object, None, at);
        }
        self.tell_payment(id, at);
    }

    pub fn tell_payment(&mut self, id: &str, at: i64) {
        let kind = match self.state.invoices.get(id).map(|invoice| invoice.status) {
            Some(InvoiceStatus::Paid) => "invoice.paid",
            Some(InvoiceStatus::Open) => "invoice.payment_failed",
            Some(InvoiceStatus::Draft | InvoiceStatus::Uncollectible | InvoiceStatus::Void) | None => return,
        };
        if let Some(object) = self.wire().object(id) {
            self.emit(kind, &object, None, at);
        }
    }

    /// Makes an invoice for the current period, tries to be paid, and lets the subscription follow.
    pub fn bill(&mut self, subscription: &str, reason: &str, at: i64) {
        let invoice = self.make_invoice(subscription, reason, at);
        let good = self.charge(&invoice);
        self.tell_invoice(&invoice, at);
        self.change_subscription(subscription, at, |own| {
            own.latest_invoice = Some(invoice);
            own.status = if good { Status::Active } else { Status::PastDue };
        });
    }

    /// Another try for an invoice that is open. After the last one the subscription is given up.
    pub fn try_again(&mut self, invoice: &str, at: i64) {
        let good = self.charge(invoice);
        self.tell_payment(invoice, at);
        let Some(own) = self.state.invoices.get(invoice) else {
            return;
        };
        let (subscription, last) = (own.subscription.clone(), own.next_payment_attempt.is_none());
        if good {
            self.revive(&subscription, at);
        } else if last {
            let after = self.state.account.after_retries;
            self.change_subscription(&subscription, at, |own| match after {
                AfterRetries::Cancel => own.cancel(at, "payment_failed"),
                AfterRetries::Unpaid => own.status = Status::Unpaid,
            });
        }
    }

    /// The card is mended, and what is open is paid. The customer has another payment method from then on.
    pub fn mend_card(&mut self, customer: &str) {
        let at = self.now_of(customer);
        let method = self.ids.make("pm");
        self.change_customer(customer, at, |own| {
            own.card = Card::Good;
            own.default_payment_method = Some(method);
        });
        let open = self.state.invoices.iter().filter(|(_, invoice)| {
            let owed = matches!(invoice.status, InvoiceStatus::Open | InvoiceStatus::Draft);
            let own = self.state.subscriptions.get(&invoice.subscription);
            owed && invoice.customer == customer && own.is_some_and(|own| !own.status.is_over())
        });
        let open: Vec<String> = open.map(|(id, _)| id.clone()).collect();
        for id in open {
            if let Some(invoice) = self.state.invoices.get_mut(&id) {
                invoice.next_payment_attempt = Some(at);
            }
            self.try_again(&id, at);
        }
        let own = self.state.subscriptions.iter();
        let own = own.filter(|(_, own)| own.customer == customer);
        let own: Vec<String> = own.map(|(id, _)| id.clone()).collect();
        for id in own {
            self.revive(&id, at);
        }
    }

    fn revive(&mut self, subscription: &str, at: i64) {
        self.change_subscription(subscription, at, |own| {
            if matches!(own.status, Status::PastDue | Status::Unpaid | Status::Incomplete) {
                own.status = Status::Active;
            }
        });
    }
}
