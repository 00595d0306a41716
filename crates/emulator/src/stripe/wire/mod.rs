//! Objects as Stripe writes them, in the shape of its current version.

mod billing;
mod catalogue;
mod portal;
mod sessions;

use serde_json::{Value, json};

pub use catalogue::{deleted, invoice_prefix};

use super::state::{StripeState, WebhookEndpoint};

/// What it takes to write an object: the others, and where the pages are.
#[derive(Clone, Copy)]
pub struct Wire<'a> {
    pub state: &'a StripeState,
    pub base: &'a str,
}

impl Wire<'_> {
    fn livemode(&self) -> bool {
        self.state.account.livemode
    }

    /// The object with this id, if there is one; its kind is in the prefix.
    pub fn object(&self, id: &str) -> Option<Value> {
        let state = self.state;
        match id.split('_').next()? {
            "cus" => state.customers.get(id).map(|it| self.customer(id, it)),
            "price" => state.prices.get(id).map(|it| self.price(id, it)),
            "sub" => state.subscriptions.get(id).map(|it| self.subscription(id, it)),
            "in" => state.invoices.get(id).map(|it| self.invoice(id, it)),
            "bpc" => {
                let found = state.portal_configurations.get(id);
                found.map(|it| self.portal_configuration(id, it))
            }
            "clock" => state.test_clocks.get(id).map(|it| self.test_clock(id, it)),
            // Products may have ids of the caller's own.
            _ => state.products.get(id).map(|it| self.product(id, it)),
        }
    }

    pub fn account(&self) -> Value {
        let account = &self.state.account;
        json!({
            "id": account.id,
            "object": "account",
            "business_profile": {"name": account.name, "url": null},
            "charges_enabled": true,
            "country": "US",
            "default_currency": "usd",
            "details_submitted": true,
            "email": "sandbox@example.com",
            "payouts_enabled": true,
            "settings": {"dashboard": {"display_name": account.name, "timezone": "Etc/UTC"}},
            "type": "standard",
        })
    }

    pub fn webhook_endpoint(&self, id: &str, endpoint: &WebhookEndpoint) -> Value {
        json!({
            "id": id,
            "object": "webhook_endpoint",
            "api_version": endpoint.api_version,
            "application": null,
            "created": endpoint.created,
            "description": endpoint.description,
            "enabled_events": endpoint.enabled_events,
            "livemode": self.livemode(),
            "metadata": endpoint.metadata,
            "status": if endpoint.disabled { "disabled" } else { "enabled" },
            "url": endpoint.url,
        })
    }
}

/// A list inside an object; it is never longer than a page.
pub fn whole_list(data: Vec<Value>, url: &str) -> Value {
    json!({"object": "list", "total_count": data.len(), "data": data, "has_more": false, "url": url})
}

/// Adds the fields of the second object to the first.
fn join(value: &mut Value, rest: Value) {
    if let (Value::Object(fields), Value::Object(rest)) = (value, rest) {
        fields.extend(rest);
    }
}
