//! What tests do to Stripe without HTTP, by the same ways as its interface.

use super::billing::{Ending, Order};
use super::checkout::Unpaid;
use super::sender::outbox::Delivery;
use super::sender::signature;
use super::state::{Customer, Interval, Item, Metadata, Price, Product, Recurring, WebhookEndpoint};
use super::world::World;
use super::{Stripe, events, version};

/// The ids of what Symbolon sells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Catalogue {
    pub standard: PlanPrices,
    pub pro: PlanPrices,
    /// Has no yearly price.
    pub custom_bot: PlanPrices,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanPrices {
    pub product: String,
    pub monthly: String,
    pub yearly: Option<String>,
}

impl Stripe {
    /// Makes the products and prices of Symbolon's plans.
    pub fn seeded_catalogue(&self) -> Catalogue {
        self.inner.change_world(|world| Catalogue {
            standard: sell(world, "Symbolon Standard", "standard", 500, Some(5_000)),
            pro: sell(world, "Symbolon Pro", "pro", 1_000, Some(10_000)),
            custom_bot: sell(world, "Symbolon Custom Bot", "custom_bot", 500, None),
        })
    }

    pub fn add_customer(&self, email: &str) -> String {
        self.inner.change_world(|world| {
            let customer = Customer {
                email: Some(email.to_owned()),
                created: world.now(),
                ..Customer::default()
            };
            world.add_customer(customer)
        })
    }

    /// An endpoint that hears of everything; the secret with which its events are signed.
    pub fn add_endpoint(&self, url: &str) -> String {
        self.add_endpoint_of(url, None)
    }

    /// An endpoint that gets events in the shape of a version.
    pub fn add_endpoint_of(&self, url: &str, api_version: Option<&str>) -> String {
        let endpoint = WebhookEndpoint {
            url: url.to_owned(),
            enabled_events: vec!["*".to_owned()],
            api_version: api_version.map(str::to_owned),
            ..WebhookEndpoint::default()
        };
        self.inner.change_world(|world| world.add_endpoint(endpoint).1)
    }

    /// Replaces the secret of an endpoint, which is named by id or url. For a day the last one signs as well.
    pub fn roll_secret(&self, endpoint: &str) -> Option<String> {
        self.inner.change_world(|world| world.roll_secret(endpoint))
    }

    /// The `Stripe-Signature` of a body, by the first endpoint, at this moment.
    pub fn sign(&self, payload: &str) -> String {
        self.inner.change_world(|world| {
            let (now, endpoint) = (world.now(), world.state.webhook_endpoints.values().next());
            let secrets = endpoint.into_iter().flat_map(|own| own.valid_secrets(now));
            signature::header(secrets, now, payload)
        })
    }

    /// The header that a secret makes, at a time in seconds.
    pub fn sign_with(secret: &str, at: i64, payload: &str) -> String {
        signature::header([secret], at, payload)
    }

    /// Pays in a checkout session; the address the browser is sent to.
    pub fn pay(&self, session: &str) -> Result<String, Unpaid> {
        self.inner.change_world(|world| world.pay(session))
    }

    /// Begins a subscription to one price; its id.
    pub fn subscribe(
        &self,
        customer: &str,
        price: &str,
        metadata: &[(&str, &str)],
    ) -> Result<String, String> {
        let metadata = metadata
            .iter()
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
        let mut order = Order {
            customer: customer.to_owned(),
            items: vec![Item {
                price: price.to_owned(),
                quantity: 1,
                ..Item::default()
            }],
            metadata: metadata.collect::<Metadata>(),
            trial_end: None,
            classic: false,
        };
        self.inner.change_world(|world| {
            order.classic = version::is_classic(&world.state.account.api_version);
            if !world.state.customers.contains_key(&order.customer) {
                return Err(format!("there is no customer `{}`", order.customer));
            }
            world.begin(order).map_err(|error| error.message().to_owned())
        })
    }

    /// Puts another price on the first item.
    pub fn switch_price(&self, subscription: &str, price: &str) -> Result<(), String> {
        self.inner.change_world(|world| {
            let own = world.state.subscriptions.get(subscription);
            let mut items = own.map(|own| own.items.clone()).unwrap_or_default();
            let first = items.first_mut().ok_or("there is no such subscription")?;
            price.clone_into(&mut first.price);
            let switched = world.switch(subscription, items);
            switched.map_err(|error| error.message().to_owned())
        })
    }

    pub fn cancel(&self, subscription: &str, ending: Ending) -> Result<(), String> {
        let ended = self.inner.change_world(|world| world.end(subscription, ending));
        ended.map_err(|error| error.message().to_owned())
    }

    /// Takes back a cancellation at the end of the period.
    pub fn resume(&self, subscription: &str) -> Result<(), String> {
        let kept = self.inner.change_world(|world| world.keep(subscription));
        kept.map_err(|error| error.message().to_owned())
    }

    /// The card works again, and what is open is paid.
    pub fn mend_card(&self, customer: &str) {
        self.inner.change_world(|world| world.mend_card(customer));
    }

    /// Sends an event again to every endpoint; how many those are.
    pub fn send_again(&self, event: &str) -> Result<usize, String> {
        self.inner.change_world(|world| world.send_again(event, None))
    }

    /// The events in the order in which they happened: id, type and the object as it was.
    pub fn events(&self) -> Vec<(String, String, serde_json::Value)> {
        self.inner.change_world(|world| {
            let told = |event: &events::Event| {
                let object = serde_json::from_str(&event.object).unwrap_or_default();
                (event.id.clone(), event.kind.clone(), object)
            };
            world.events.iter().map(told).collect()
        })
    }

    /// How many events of these types there were.
    pub fn count_events(&self, kinds: &[&str]) -> usize {
        self.inner.change_world(|world| world.events.count(kinds))
    }

    /// The events as they are sent, in the order in which they happened, in the shape of a version or of the account's.
    pub fn bodies(&self, api_version: Option<&str>) -> Vec<serde_json::Value> {
        self.inner.change_world(|world| {
            let version = api_version.unwrap_or(&world.state.account.api_version);
            world.events.iter().map(|event| event.wire(version)).collect()
        })
    }

    /// What is to be delivered, and the last thousand that are over.
    pub fn deliveries(&self) -> Vec<Delivery> {
        self.inner.world().outbox.all().cloned().collect()
    }
}

/// A product with a monthly price and perhaps a yearly one, under the lookup keys `{plan}_monthly` and `{plan}_yearly`.
fn sell(world: &mut World, name: &str, plan: &str, monthly: i64, yearly: Option<i64>) -> PlanPrices {
    let (product, now) = (world.ids.make("prod"), world.now());
    let sold = Product {
        name: name.to_owned(),
        metadata: Metadata::from([("plan".to_owned(), plan.to_owned())]),
        created: now,
        updated: now,
        ..Product::default()
    };
    world.add_product(&product, sold);
    let mut price = |amount, interval, word: &str| {
        let price = Price {
            product: product.clone(),
            unit_amount: amount,
            recurring: Some(Recurring {
                interval,
                interval_count: 1,
            }),
            lookup_key: Some(format!("{plan}_{word}")),
            created: now,
            ..Price::default()
        };
        // The key is taken from the price that had it, so this cannot be refused.
        world.add_price(price, true).unwrap_or_default()
    };
    PlanPrices {
        monthly: price(monthly, Interval::Month, "monthly"),
        yearly: yearly.map(|amount| price(amount, Interval::Year, "yearly")),
        product,
    }
}
