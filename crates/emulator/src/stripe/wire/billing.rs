//! Subscriptions and invoices.

use serde_json::{Value, json};

use super::{Wire, join, whole_list};
use crate::stripe::state::{Invoice, InvoiceStatus, Item, Line, Subscription};

impl Wire<'_> {
    pub fn subscription(&self, id: &str, own: &Subscription) -> Value {
        let items = own.items.iter().map(|item| self.item(id, own, item));
        let items = whole_list(
            items.collect(),
            &format!("/v1/subscription_items?subscription={id}"),
        );
        let first = own.items.first();
        let price = first.and_then(|item| self.state.prices.get(&item.price));
        let customer = self.state.customers.get(&own.customer);
        let mut value = json!({
            "id": id,
            "object": "subscription",
            "billing_cycle_anchor": own.billing_cycle_anchor,
            "billing_mode": billing_mode(own.classic),
            "cancel_at": own.cancel_at,
            "cancel_at_period_end": own.cancel_at_period_end,
            "canceled_at": own.canceled_at,
            "cancellation_details": {"comment": null, "feedback": null, "reason": own.cancellation_reason},
            "created": own.created,
            "currency": price.map_or("usd", |price| &price.currency),
            "customer": own.customer,
            "ended_at": own.ended_at,
            "items": items,
            "latest_invoice": own.latest_invoice,
            "livemode": self.livemode(),
            "metadata": own.metadata,
            "start_date": own.created,
            "status": own.status,
            "test_clock": customer.and_then(|customer| customer.test_clock.as_ref()),
            "trial_end": own.trial_end,
            "trial_start": own.trial_start,
        });
        join(&mut value, unused_by_subscriptions());
        value
    }

    fn item(&self, id: &str, subscription: &Subscription, item: &Item) -> Value {
        let price = self.state.prices.get(&item.price);
        json!({
            "id": item.id,
            "object": "subscription_item",
            "billing_thresholds": null,
            "created": item.created,
            "current_period_end": subscription.current_period_end,
            "current_period_start": subscription.current_period_start,
            "current_trial": null,
            "discounts": [],
            "metadata": item.metadata,
            "plan": price.and_then(|price| self.plan(&item.price, price)),
            "price": price.map(|price| self.price(&item.price, price)),
            "quantity": item.quantity,
            "subscription": id,
            "tax_rates": [],
        })
    }

    pub fn invoice(&self, id: &str, invoice: &Invoice) -> Value {
        let lines = invoice.lines.iter().map(|line| self.line(id, invoice, line));
        let lines = whole_list(lines.collect(), &format!("/v1/invoices/{id}/lines"));
        let total = invoice.total();
        let paid = if invoice.status == InvoiceStatus::Paid {
            total
        } else {
            0
        };
        let subscription = self.state.subscriptions.get(&invoice.subscription);
        let open = matches!(invoice.status, InvoiceStatus::Open | InvoiceStatus::Draft);
        let mut value = self.people_of(invoice);
        let money = json!({
            "amount_due": total,
            "amount_paid": paid,
            "amount_remaining": total - paid,
            "attempt_count": invoice.attempt_count,
            "attempted": invoice.attempt_count > 0,
            "auto_advance": open,
            "billing_reason": invoice.billing_reason,
            "currency": invoice.currency,
            "lines": lines,
            "next_payment_attempt": invoice.next_payment_attempt,
            "status": invoice.status,
            "subtotal": total,
            "subtotal_excluding_tax": total,
            "total": total,
            "total_excluding_tax": total,
        });
        let rest = json!({
            "id": id,
            "object": "invoice",
            "created": invoice.created,
            "effective_at": invoice.created,
            "hosted_invoice_url": format!("{}/i/{id}", self.base),
            "livemode": self.livemode(),
            "number": invoice.number,
            "parent": {
                "quote_details": null,
                "subscription_details": {
                    "metadata": subscription.map(|subscription| &subscription.metadata),
                    "subscription": invoice.subscription,
                },
                "type": "subscription_details",
            },
            "period_end": invoice.period_end,
            "period_start": invoice.period_start,
            "status_transitions": {
                "finalized_at": invoice.created,
                "marked_uncollectible_at": null,
                "paid_at": invoice.paid_at,
                "voided_at": null,
            },
            "webhooks_delivered_at": invoice.created,
        });
        join(&mut value, money);
        join(&mut value, rest);
        join(&mut value, unused_by_invoices());
        value
    }

    fn people_of(&self, invoice: &Invoice) -> Value {
        let customer = self.state.customers.get(&invoice.customer);
        json!({
            "account_country": "US",
            "account_name": self.state.account.name,
            "customer": invoice.customer,
            "customer_email": customer.and_then(|customer| customer.email.as_ref()),
            "customer_name": customer.and_then(|customer| customer.name.as_ref()),
            "customer_tax_exempt": "none",
            "test_clock": customer.and_then(|customer| customer.test_clock.as_ref()),
        })
    }

    fn line(&self, id: &str, invoice: &Invoice, line: &Line) -> Value {
        let price = self.state.prices.get(&line.price);
        json!({
            "id": line.id,
            "object": "line_item",
            "amount": line.amount,
            "currency": invoice.currency,
            "description": line.description,
            "discount_amounts": [],
            "discountable": true,
            "discounts": [],
            "invoice": id,
            "livemode": self.livemode(),
            "metadata": {},
            "pretax_credit_amounts": [],
            "quantity_decimal": line.quantity.to_string(),
            "parent": {
                "invoice_item_details": null,
                "subscription_item_details": {
                    "invoice_item": null,
                    "proration": false,
                    "subscription": invoice.subscription,
                    "subscription_item": line.item,
                },
                "type": "subscription_item_details",
            },
            "period": {"end": invoice.period_end, "start": invoice.period_start},
            "pricing": {
                "price_details": {"price": line.price, "product": price.map(|price| &price.product)},
                "type": "price_details",
                "unit_amount_decimal": price.map(|price| price.unit_amount.to_string()),
            },
            "quantity": line.quantity,
            "subscription": invoice.subscription,
            "subtotal": line.amount,
            "taxes": [],
        })
    }
}

impl Invoice {
    pub fn total(&self) -> i64 {
        self.lines.iter().map(|line| line.amount).sum()
    }
}

fn billing_mode(classic: bool) -> Value {
    if classic {
        json!({"flexible": null, "type": "classic"})
    } else {
        json!({"flexible": {"proration_discounts": "included"}, "type": "flexible"})
    }
}

/// What subscriptions can have, and these do not.
fn unused_by_subscriptions() -> Value {
    json!({
        "application": null,
        "application_fee_percent": null,
        "automatic_tax": {"disabled_reason": null, "enabled": false, "liability": null},
        "billing_cycle_anchor_config": null,
        "billing_schedules": [],
        "billing_thresholds": null,
        "collection_method": "charge_automatically",
        "customer_account": null,
        "days_until_due": null,
        "default_payment_method": null,
        "default_source": null,
        "default_tax_rates": [],
        "description": null,
        "discounts": [],
        "invoice_settings": {"account_tax_ids": null, "issuer": {"type": "self"}},
        "managed_payments": {"enabled": false},
        "next_pending_invoice_item_invoice": null,
        "on_behalf_of": null,
        "pause_collection": null,
        "payment_settings": {
            "payment_method_options": null,
            "payment_method_types": null,
            "save_default_payment_method": "off",
        },
        "pending_invoice_item_interval": null,
        "pending_setup_intent": null,
        "pending_update": null,
        "schedule": null,
        "transfer_data": null,
        "trial_settings": {"end_behavior": {"missing_payment_method": "create_invoice"}},
    })
}

/// What invoices can have, and these do not.
fn unused_by_invoices() -> Value {
    json!({
        "account_tax_ids": null,
        "amount_overpaid": 0,
        "amount_shipping": 0,
        "application": null,
        "automatic_tax": {"disabled_reason": null, "enabled": false, "liability": null, "provider": null, "status": null},
        "automatically_finalizes_at": null,
        "collection_method": "charge_automatically",
        "custom_fields": null,
        "customer_account": null,
        "customer_address": null,
        "customer_phone": null,
        "customer_shipping": null,
        "customer_tax_ids": [],
        "default_payment_method": null,
        "default_source": null,
        "default_tax_rates": [],
        "description": null,
        "discounts": [],
        "due_date": null,
        "ending_balance": 0,
        "footer": null,
        "from_invoice": null,
        "invoice_pdf": null,
        "issuer": {"type": "self"},
        "last_finalization_error": null,
        "latest_revision": null,
        "metadata": {},
        "on_behalf_of": null,
        "payment_settings": {"default_mandate": null, "payment_method_options": null, "payment_method_types": null},
        "post_payment_credit_notes_amount": 0,
        "pre_payment_credit_notes_amount": 0,
        "receipt_number": null,
        "rendering": null,
        "shipping_cost": null,
        "shipping_details": null,
        "starting_balance": 0,
        "statement_descriptor": null,
        "total_discount_amounts": [],
        "total_pretax_credit_amounts": [],
        "total_taxes": [],
    })
}
