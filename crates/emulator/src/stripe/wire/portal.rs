//! The customer portal.

use serde_json::{Value, json};

use super::Wire;
use crate::stripe::state::{Flow, PortalConfiguration, PortalSession};

impl Wire<'_> {
    pub fn portal_configuration(&self, id: &str, configuration: &PortalConfiguration) -> Value {
        let features = &configuration.features;
        let products: Vec<Value> = features
            .products
            .iter()
            .map(|product| {
                json!({
                    "adjustable_quantity": {"enabled": false, "maximum": null, "minimum": 0},
                    "prices": product.prices,
                    "product": product.product,
                })
            })
            .collect();
        let mode = if features.cancel_immediately {
            "immediately"
        } else {
            "at_period_end"
        };
        json!({
            "id": id,
            "object": "billing_portal.configuration",
            "active": !configuration.inactive,
            "application": null,
            "business_profile": {
                "headline": configuration.headline, "privacy_policy_url": null, "terms_of_service_url": null,
            },
            "created": configuration.created,
            "default_return_url": configuration.default_return_url,
            "features": {
                "customer_update": {"allowed_updates": [], "enabled": false},
                "invoice_history": {"enabled": features.invoice_history},
                "payment_method_update": {"enabled": features.payment_method_update, "payment_method_configuration": null},
                "subscription_cancel": {
                    "cancellation_reason": {"enabled": false, "options": []},
                    "enabled": features.subscription_cancel,
                    "mode": mode,
                    "proration_behavior": "none",
                },
                "subscription_pause": {"enabled": false},
                "subscription_update": {
                    "billing_cycle_anchor": "unchanged",
                    "default_allowed_updates": if features.subscription_update { vec!["price"] } else { vec![] },
                    "enabled": features.subscription_update,
                    "products": products,
                    "proration_behavior": "none",
                    "schedule_at_period_end": {"conditions": []},
                    "trial_update_behavior": "end_trial",
                },
            },
            "is_default": configuration.is_default,
            "livemode": self.livemode(),
            "login_page": {"enabled": false, "url": null},
            "metadata": configuration.metadata,
            "name": configuration.name,
            "updated": configuration.updated,
        })
    }

    pub fn portal_session(&self, id: &str, session: &PortalSession) -> Value {
        json!({
            "id": id,
            "object": "billing_portal.session",
            "configuration": session.configuration,
            "created": session.created,
            "customer": session.customer,
            "customer_account": null,
            "flow": session.flow.as_ref().map(flow),
            "livemode": self.livemode(),
            "locale": null,
            "on_behalf_of": null,
            "return_url": session.return_url,
            "url": format!("{}/p/session/{id}", self.base),
        })
    }
}

fn flow(flow: &Flow) -> Value {
    let subscription = |kind: &str| {
        let own = flow.kind == kind;
        own.then(|| json!({"retention": null, "subscription": flow.subscription}))
    };
    let after = match &flow.redirect {
        Some(url) => {
            json!({"hosted_confirmation": null, "redirect": {"return_url": url}, "type": "redirect"})
        }
        None => json!({"hosted_confirmation": null, "redirect": null, "type": "portal_homepage"}),
    };
    json!({
        "after_completion": after,
        "customer_update": null,
        "subscription_cancel": subscription("subscription_cancel"),
        "subscription_pause": null,
        "subscription_update": subscription("subscription_update"),
        "subscription_update_confirm": null,
        "type": flow.kind,
    })
}
