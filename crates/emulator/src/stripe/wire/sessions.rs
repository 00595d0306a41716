//! Checkout sessions.

use serde_json::{Value, json};

use super::{Wire, join};
use crate::stripe::state::{CheckoutSession, Item, SessionStatus};

impl Wire<'_> {
    pub fn checkout_session(&self, id: &str, session: &CheckoutSession) -> Value {
        let mut value = self.money_of(session);
        let rest = json!({
            "id": id,
            "object": "checkout.session",
            "cancel_url": session.cancel_url,
            "client_reference_id": session.client_reference_id,
            "created": session.created,
            "customer": session.customer,
            "customer_email": session.customer_email,
            "expires_at": session.expires_at,
            "invoice": session.invoice,
            "livemode": self.livemode(),
            "metadata": session.metadata,
            "mode": "subscription",
            "status": session.status,
            "subscription": session.subscription,
            "success_url": session.success_url,
            "ui_mode": "hosted_page",
            "url": (session.status == SessionStatus::Open).then(|| format!("{}/c/pay/{id}", self.base)),
        });
        join(&mut value, rest);
        join(&mut value, unused());
        value
    }

    fn money_of(&self, session: &CheckoutSession) -> Value {
        let total: i64 = session.line_items.iter().map(|item| self.amount(item)).sum();
        let first = session.line_items.first();
        let first = first.and_then(|item| self.state.prices.get(&item.price));
        let customer = session.customer.as_ref();
        let customer = customer.and_then(|id| self.state.customers.get(id));
        let email = customer.and_then(|customer| customer.email.as_ref());
        let details = email.or(session.customer_email.as_ref()).map(|email| {
            json!({
                "address": null,
                "email": email,
                "name": customer.and_then(|customer| customer.name.as_ref()),
                "phone": null,
                "tax_exempt": "none",
                "tax_ids": [],
            })
        });
        let payment = match (session.status, session.trial_period_days) {
            (SessionStatus::Complete, Some(days)) if days > 0 => "no_payment_required",
            (SessionStatus::Complete, _) => "paid",
            (SessionStatus::Open | SessionStatus::Expired, _) => "unpaid",
        };
        json!({
            "amount_subtotal": total,
            "amount_total": total,
            "currency": first.map(|price| &price.currency),
            "customer_details": details,
            "payment_status": payment,
            "total_details": {"amount_discount": 0, "amount_shipping": 0, "amount_tax": 0},
        })
    }

    pub fn line_item(&self, item: &Item) -> Value {
        let price = self.state.prices.get(&item.price);
        let amount = self.amount(item);
        json!({
            "id": item.id,
            "object": "item",
            "adjustable_quantity": null,
            "amount_discount": 0,
            "amount_subtotal": amount,
            "amount_tax": 0,
            "amount_total": amount,
            "currency": price.map(|price| &price.currency),
            "description": price.map(|price| self.product_name(&price.product)),
            "metadata": {},
            "price": price.map(|price| self.price(&item.price, price)),
            "quantity": item.quantity,
        })
    }

    fn amount(&self, item: &Item) -> i64 {
        let price = self.state.prices.get(&item.price);
        price.map_or(0, |price| price.unit_amount * i64::from(item.quantity))
    }

    pub fn product_name(&self, product: &str) -> String {
        let product = self.state.products.get(product);
        product.map_or_else(String::new, |product| product.name.clone())
    }
}

/// What sessions can have, and these do not.
fn unused() -> Value {
    json!({
        "adaptive_pricing": null,
        "after_expiration": null,
        "allow_promotion_codes": null,
        "allowed_payment_method_types": null,
        "automatic_tax": {"enabled": false, "liability": null, "provider": null, "status": null},
        "billing_address_collection": null,
        "client_secret": null,
        "collected_information": null,
        "consent": null,
        "consent_collection": null,
        "currency_conversion": null,
        "custom_fields": [],
        "custom_text": {
            "after_submit": null, "shipping_address": null, "submit": null, "terms_of_service_acceptance": null,
        },
        "customer_account": null,
        "customer_creation": null,
        "discounts": [],
        "integration_identifier": null,
        "invoice_creation": null,
        "locale": null,
        "managed_payments": {"enabled": false},
        "origin_context": null,
        "payment_intent": null,
        "payment_link": null,
        "payment_method_collection": "always",
        "payment_method_configuration_details": null,
        "payment_method_options": {},
        "payment_method_types": ["card"],
        "permissions": null,
        "recovered_from": null,
        "saved_payment_method_options": null,
        "setup_intent": null,
        "shipping_address_collection": null,
        "shipping_cost": null,
        "shipping_options": [],
        "submit_type": null,
        "wallet_options": null,
    })
}
