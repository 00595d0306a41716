//! An Org that buys from an emulated Stripe.

use app::billing::grants;
use domain::audit::Actor;
use domain::plan::Tier;
use emulator::Stripe;
use serde_json::Value;
use testkit::{Client, Engine, Reply, Tenant, TestApp, WEBHOOK_SECRET};

/// The route on which Stripe is asked for subscriptions.
pub const QUESTION: &str = "GET /v1/subscriptions";

pub struct Shop {
    pub test: TestApp,
    pub stripe: Stripe,
    pub tenant: Tenant,
    /// The owner.
    pub person: Client,
}

impl Shop {
    pub async fn open(engine: Engine) -> Shop {
        let (test, stripe) = TestApp::start_selling(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        // What was given stands beside what is bought, so nothing is.
        grants::give(&test.app, tenant.scope, None, Actor::System)
            .await
            .expect("nothing given");
        let person = test.person(&test.session(&tenant.owner).await);
        Shop {
            test,
            stripe,
            tenant,
            person,
        }
    }

    /// Another node on the same database that sells the same.
    pub async fn second_node(&self) -> app::App {
        let mut parts = self.test.parts();
        parts.platforms = self.test.selling(&self.stripe);
        parts.plans = self.test.app.plans;
        app::App::start(parts).await.expect("a node")
    }

    pub fn path(&self, rest: &str) -> String {
        format!("/orgs/{}{rest}", self.tenant.org)
    }

    pub async fn choose(&self, plan: &str, interval: &str) -> Reply {
        let body = format!(r#"{{"plan":"{plan}","interval":"{interval}"}}"#);
        self.person
            .post(&self.path("/billing/plan/checkout"), &body)
            .await
    }

    /// Chooses a plan and pays for it; nothing is heard of it yet.
    pub async fn buy(&self, plan: &str, interval: &str) -> String {
        let reply = self.choose(plan, interval).await;
        assert_eq!(reply.status, 200, "{}", reply.text());
        self.pay(&reply);
        self.newest_subscription()
    }

    pub fn pay(&self, reply: &Reply) {
        self.stripe.pay(&session_of(reply)).expect("a payment");
    }

    pub fn newest_subscription(&self) -> String {
        let all = self.stripe.state().subscriptions;
        let newest = all.iter().max_by_key(|(id, one)| (one.created, (*id).clone()));
        newest.expect("a subscription").0.clone()
    }

    pub fn customer(&self) -> String {
        let all = self.stripe.state().customers;
        all.keys().next().expect("a customer").clone()
    }

    /// Everything that Stripe has to tell, in its order; what was told before is told again.
    pub fn told(&self) -> Vec<Value> {
        self.stripe.bodies(None)
    }

    pub async fn tell(&self, event: &Value) -> Reply {
        self.tell_to(&self.test.client(), event).await
    }

    pub async fn tell_to(&self, node: &Client, event: &Value) -> Reply {
        let (body, at) = (event.to_string(), self.test.app.now_ms() / 1_000);
        let header = Stripe::sign_with(WEBHOOK_SECRET, at, &body);
        let node = node.clone().header("stripe-signature", &header);
        node.post("/billing/webhook", &body).await
    }

    pub async fn tell_all(&self) {
        for event in self.told() {
            let reply = self.tell(&event).await;
            assert_eq!(reply.status, 200, "{}", reply.text());
        }
    }

    pub async fn tier(&self) -> String {
        tier_of(&self.test, &self.tenant).await
    }

    /// What the page shows.
    pub async fn page(&self) -> Value {
        let reply = self.person.get(&self.path("/billing/subscriptions")).await;
        assert_eq!(reply.status, 200, "{}", reply.text());
        reply.json()
    }

    /// Lets a pause go by and has done what waits.
    pub async fn read(&self) {
        self.test.clock.advance_ms(3_000);
        self.test.drain_jobs().await;
    }

    /// How often Stripe was asked for subscriptions.
    pub fn asked(&self) -> u64 {
        self.stripe.hub().count(QUESTION)
    }

    /// Has Stripe asked, as somebody who comes back from paying.
    pub async fn refresh(&self) {
        let reply = self.person.post(&self.path("/billing/refresh"), "{}").await;
        assert_eq!(reply.status, 204, "{}", reply.text());
    }

    /// Chooses the bot of the Guild.
    pub async fn choose_bot(&self) -> Reply {
        let path = self.path(&format!("/guilds/{}/billing/checkout", self.tenant.guild));
        self.person.post(&path, "{}").await
    }

    /// Tells all there is of one type.
    pub async fn tell_only(&self, kind: &str) {
        for event in self.told().iter().filter(|event| event["type"] == kind) {
            assert_eq!(self.tell(event).await.status, 200);
        }
    }

    /// The price of a plan by the month.
    pub fn price_of(&self, plan: &str) -> String {
        let key = format!("{plan}_monthly");
        let all = self.stripe.state().prices;
        let found = all
            .iter()
            .find(|(_, price)| price.lookup_key.as_deref() == Some(&*key));
        found.expect("a price").0.clone()
    }

    /// Stripe as the key of another account sees it.
    pub fn forget_at_stripe(&self) {
        let forgotten = self.stripe.change(|state| {
            state.subscriptions.clear();
            state.invoices.clear();
            state.checkout_sessions.clear();
            state.portal_sessions.clear();
            state.customers.clear();
        });
        forgotten.expect("a state that holds");
    }

    pub async fn close(self) {
        self.test.finish().await;
    }
}

pub async fn tier_of(test: &TestApp, tenant: &Tenant) -> String {
    let org = app::tenancy::orgs::get(&test.app, &tenant.org).await;
    org.expect("an Org").tier.to_string()
}

/// The session that an answer leads to.
pub fn session_of(reply: &Reply) -> String {
    let url = reply.json()["url"].as_str().expect("an address").to_owned();
    let last = url.rsplit('/').next().expect("a session");
    last.split(['?', '#']).next().unwrap_or(last).to_owned()
}

pub fn assert_said(reply: &Reply, status: u16, code: &str) {
    assert_eq!(
        (reply.status.as_u16(), reply.code().as_str()),
        (status, code),
        "{}",
        reply.text()
    );
}
