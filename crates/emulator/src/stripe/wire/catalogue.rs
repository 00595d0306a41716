//! Customers, products and prices.

use serde_json::{Value, json};

use super::Wire;
use crate::stripe::state::{Customer, Price, Product, TestClock};

impl Wire<'_> {
    pub fn customer(&self, id: &str, customer: &Customer) -> Value {
        if customer.deleted {
            return deleted(id, "customer");
        }
        json!({
            "id": id,
            "object": "customer",
            "address": null,
            "balance": 0,
            "created": customer.created,
            "currency": "usd",
            "default_source": null,
            "delinquent": customer.delinquent,
            "description": customer.description,
            "email": customer.email,
            "invoice_prefix": invoice_prefix(id),
            "invoice_settings": {
                "custom_fields": null,
                "default_payment_method": customer.default_payment_method,
                "footer": null,
                "rendering_options": null,
            },
            "livemode": self.livemode(),
            "metadata": customer.metadata,
            "name": customer.name,
            "phone": customer.phone,
            "preferred_locales": [],
            "shipping": null,
            "tax_exempt": "none",
            "test_clock": customer.test_clock,
        })
    }

    pub fn product(&self, id: &str, product: &Product) -> Value {
        json!({
            "id": id,
            "object": "product",
            "active": product.active,
            "created": product.created,
            "default_price": product.default_price,
            "description": product.description,
            "images": [],
            "livemode": self.livemode(),
            "marketing_features": [],
            "metadata": product.metadata,
            "name": product.name,
            "package_dimensions": null,
            "shippable": null,
            "statement_descriptor": null,
            "tax_code": null,
            "tax_details": null,
            "type": "service",
            "unit_label": null,
            "updated": product.updated,
            "url": null,
        })
    }

    pub fn price(&self, id: &str, price: &Price) -> Value {
        let recurring = price.recurring.map(|recurring| {
            json!({
                "interval": recurring.interval,
                "interval_count": recurring.interval_count,
                "meter": null,
                "trial_period_days": null,
                "usage_type": "licensed",
            })
        });
        json!({
            "id": id,
            "object": "price",
            "active": price.active,
            "billing_scheme": "per_unit",
            "created": price.created,
            "currency": price.currency,
            "custom_unit_amount": null,
            "livemode": self.livemode(),
            "lookup_key": price.lookup_key,
            "metadata": price.metadata,
            "nickname": price.nickname,
            "product": price.product,
            "recurring": recurring,
            "tax_behavior": "unspecified",
            "tiers_mode": null,
            "transform_quantity": null,
            "type": if price.recurring.is_some() { "recurring" } else { "one_time" },
            "unit_amount": price.unit_amount,
            "unit_amount_decimal": price.unit_amount.to_string(),
        })
    }

    /// The same as the older object that items carry as well; none for a price that is paid once.
    pub fn plan(&self, id: &str, price: &Price) -> Option<Value> {
        let recurring = price.recurring?;
        Some(json!({
            "id": id,
            "object": "plan",
            "active": price.active,
            "amount": price.unit_amount,
            "amount_decimal": price.unit_amount.to_string(),
            "billing_scheme": "per_unit",
            "created": price.created,
            "currency": price.currency,
            "interval": recurring.interval,
            "interval_count": recurring.interval_count,
            "livemode": self.livemode(),
            "metadata": price.metadata,
            "meter": null,
            "nickname": price.nickname,
            "product": price.product,
            "tiers_mode": null,
            "transform_usage": null,
            "trial_period_days": null,
            "usage_type": "licensed",
        }))
    }

    pub fn test_clock(&self, id: &str, clock: &TestClock) -> Value {
        json!({
            "id": id,
            "object": "test_helpers.test_clock",
            "created": clock.created,
            "deletes_after": clock.created + 30 * 86_400,
            "frozen_time": clock.frozen_time,
            "livemode": false,
            "name": clock.name,
            "status": "ready",
            "status_details": {},
        })
    }
}

/// What is left of an object.
pub fn deleted(id: &str, object: &str) -> Value {
    json!({"id": id, "object": object, "deleted": true})
}

/// Eight letters and digits from the end of the id.
pub fn invoice_prefix(id: &str) -> String {
    let tail: Vec<char> = id.chars().rev().take(8).collect();
    tail.iter().rev().collect::<String>().to_uppercase()
}
