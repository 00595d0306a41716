//! What a customer does in the portal.

use super::billing::Ending;
use super::state::{Card, Features, Flow};
use super::world::World;

/// A session that nobody opened ends after five minutes, one that was used an hour after it was made.
const UNUSED: i64 = 5 * 60;
const LONGEST: i64 = 3_600;

/// A session that is open, and what may be done in it.
pub struct Visit {
    pub customer: String,
    pub features: Features,
    pub flow: Option<Flow>,
    pub return_url: Option<String>,
    /// Where to go when the flow is done.
    pub redirect: Option<String>,
}

impl Visit {
    /// A flow allows what it is about, and nothing else.
    pub fn allows(&self, what: &str) -> bool {
        let enabled = match what {
            "subscription_update" => self.features.subscription_update,
            "subscription_cancel" => self.features.subscription_cancel,
            _ => self.features.payment_method_update,
        };
        enabled && self.flow.as_ref().is_none_or(|flow| flow.kind == what)
    }

    pub fn allows_card(&self) -> bool {
        self.allows("payment_method_update")
    }

    pub fn is_about(&self, subscription: &str) -> bool {
        let only = self.flow.as_ref().and_then(|flow| flow.subscription.as_ref());
        only.is_none_or(|only| only == subscription)
    }
}

pub enum Wish {
    Switch(String),
    Cancel(Ending),
    Resume,
    Card(Card),
}

impl Wish {
    pub fn parse(button: &str, price: &str) -> Option<Self> {
        match button {
            "switch" => Some(Self::Switch(price.to_owned())),
            "cancel" => Some(Self::Cancel(Ending::InPortal)),
            "cancel_now" => Some(Self::Cancel(Ending::Now)),
            "resume" => Some(Self::Resume),
            "card" => Some(Self::Card(Card::Good)),
            "bad_card" => Some(Self::Card(Card::Declined)),
            _ => None,
        }
    }
}

impl World {
    /// Opens a session, unless its time is over.
    pub fn enter_portal(&mut self, id: &str) -> Option<Visit> {
        let now = self.now();
        let session = self.state.portal_sessions.get_mut(id)?;
        let age = now - session.created;
        let over = age >= LONGEST || (session.used.is_none() && age >= UNUSED);
        if over {
            return None;
        }
        session.used = Some(now);
        let session = session.clone();
        let configuration = self.state.portal_configurations.get(&session.configuration);
        Some(Visit {
            features: configuration.map(|own| own.features.clone()).unwrap_or_default(),
            redirect: session.flow.as_ref().and_then(|flow| flow.redirect.clone()),
            customer: session.customer,
            flow: session.flow,
            return_url: session.return_url,
        })
    }

    /// The prices that a customer may change to.
    pub fn portal_prices<'a>(&'a self, visit: &'a Visit) -> Vec<&'a String> {
        let products = &visit.features.products;
        let offered = |id: &String, product: &str| {
            products.is_empty()
                || products
                    .iter()
                    .any(|own| own.product == product && (own.prices.is_empty() || own.prices.contains(id)))
        };
        let prices = self.state.prices.iter().filter(|(id, price)| {
            let sold = self
                .state
                .products
                .get(&price.product)
                .is_some_and(|product| product.active);
            price.active && sold && price.recurring.is_some() && offered(id, &price.product)
        });
        prices.map(|(id, _)| id).collect()
    }

    /// Does what a customer wishes, if it is theirs and allowed; the text is for them.
    pub fn grant(&mut self, visit: &Visit, subscription: &str, wish: Wish) -> Result<(), &'static str> {
        if let Wish::Card(card) = wish {
            return self.replace_card(visit, card);
        }
        let own = self.state.subscriptions.get(subscription);
        let own = own.filter(|own| own.customer == visit.customer && visit.is_about(subscription));
        let own = own.ok_or("That is not one of your subscriptions.")?;
        if own.status.is_over() {
            return Err("This subscription has ended.");
        }
        let done = match wish {
            Wish::Switch(price) => {
                let offered = self.portal_prices(visit).contains(&&price);
                if !visit.allows("subscription_update") || !offered {
                    return Err("You cannot change to that.");
                }
                let mut items = own.items.clone();
                let [item] = items.as_mut_slice() else {
                    return Err("This subscription cannot be changed here.");
                };
                item.price = price;
                self.switch(subscription, items)
            }
            Wish::Cancel(ending) => {
                let usual = (ending == Ending::Now) == visit.features.cancel_immediately;
                if !visit.allows("subscription_cancel") || !usual {
                    return Err("You cannot cancel this here.");
                }
                self.end(subscription, ending)
            }
            Wish::Resume => self.keep(subscription),
            Wish::Card(_) => Ok(()),
        };
        done.map_err(|_| "That did not work.")
    }

    fn replace_card(&mut self, visit: &Visit, card: Card) -> Result<(), &'static str> {
        if !visit.allows_card() {
            return Err("You cannot change your card here.");
        }
        match card {
            Card::Good => self.mend_card(&visit.customer),
            Card::Declined => {
                let (method, at) = (self.ids.make("pm"), self.now_of(&visit.customer));
                self.change_customer(&visit.customer, at, |own| {
                    own.card = Card::Declined;
                    own.default_payment_method = Some(method);
                });
            }
        }
        Ok(())
    }
}
