//! A small Stripe: what Symbolon sells, and one customer.

use std::sync::Arc;

use domain::clock::TestClock;
use emulator::stripe::Catalogue;
use emulator::{Setup, Stripe};
use serde_json::Value;

use crate::support::{Reply, START_MS, send};

/// 1 January 2026, as Stripe counts.
pub const START: i64 = START_MS / 1_000;
pub const DAY_MS: i64 = 86_400_000;

pub struct StripeTest {
    pub stripe: Stripe,
    pub clock: Arc<TestClock>,
    pub sold: Catalogue,
    /// The customer.
    pub ada: String,
}

pub async fn stripe() -> StripeTest {
    let clock = Arc::new(TestClock::new(START_MS));
    let setup = Setup::new(Arc::clone(&clock) as _).seeded(7);
    let stripe = Stripe::start(setup).await.expect("Stripe starts");
    let sold = stripe.seeded_catalogue();
    let ada = stripe.add_customer("ada@example.com");
    StripeTest {
        stripe,
        clock,
        sold,
        ada,
    }
}

impl StripeTest {
    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", self.stripe.api_url())
    }

    /// A call with the right key and more headers.
    pub async fn call(&self, method: &str, path: &str, more: &[(&str, &str)], body: &str) -> Reply {
        let bearer = format!("Bearer {}", self.stripe.secret_key());
        let mut headers = vec![("authorization", bearer.as_str())];
        if method == "POST" {
            headers.push(("content-type", "application/x-www-form-urlencoded"));
        }
        headers.extend(more);
        send(method, &self.url(path), &headers, body)
            .await
            .expect("an answer")
    }

    pub async fn get(&self, path: &str) -> Value {
        let reply = self.call("GET", path, &[], "").await;
        assert_eq!(reply.status, 200, "{path}: {}", reply.text());
        reply.json()
    }

    pub async fn post(&self, path: &str, body: &str) -> Value {
        let reply = self.call("POST", path, &[], body).await;
        assert_eq!(reply.status, 200, "{path}: {}", reply.text());
        reply.json()
    }

    /// A refusal: its status and the error.
    pub async fn refused(&self, method: &str, path: &str, body: &str) -> (u16, Value) {
        let reply = self.call(method, path, &[], body).await;
        (reply.status, reply.json()["error"].clone())
    }

    /// A subscription of Ada's to the monthly Standard plan.
    pub fn subscribed(&self) -> String {
        let price = &self.sold.standard.monthly;
        let made = self.stripe.subscribe(&self.ada, price, &[("org", "7")]);
        made.expect("a subscription")
    }

    /// A checkout session for the monthly Standard plan.
    pub async fn session(&self) -> Value {
        let form = format!(
            "mode=subscription&customer={}&line_items[0][price]={}&line_items[0][quantity]=1\
             &success_url=http://127.0.0.1:8080/done?s={{CHECKOUT_SESSION_ID}}&cancel_url=http://127.0.0.1:8080/plans\
             &client_reference_id=org-7&metadata[org]=7&subscription_data[metadata][org]=7",
            self.ada, self.sold.standard.monthly
        );
        self.post("/v1/checkout/sessions", &form).await
    }

    /// The types of all events from this one on.
    pub fn kinds_from(&self, first: usize) -> Vec<String> {
        let events = self.stripe.events().into_iter();
        events.skip(first).map(|(_, kind, _)| kind).collect()
    }

    /// How a subscription stands.
    pub async fn status(&self, id: &str) -> String {
        let own = self.get(&format!("/v1/subscriptions/{id}")).await;
        own["status"].as_str().expect("a status").to_owned()
    }
}
