//! Many who buy, change their minds and cancel, and what Stripe's books say of them.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;

use app::billing::events::KINDS;
use domain::clock::SystemClock;
use domain::plan::Tier;
use domain::random::{SeededRandom, bytes};
use emulator::stripe::{Ending, Status, StripeState};
use emulator::{Setup, Stripe};

use super::site::Site;

/// The plan of an Org, and whether somebody pays for the bot of its Guild.
pub type Had = (Tier, bool);

/// Everybody who buys, and what there is to buy.
pub struct Crowd {
    pub stripe: Stripe,
    random: SeededRandom,
    /// With the Guild that a bot is for.
    pub customers: Vec<(String, String)>,
    /// What each price buys; none for a bot.
    sold: BTreeMap<String, Option<Tier>>,
    prices: Vec<String>,
}

impl Crowd {
    /// Customers for all Orgs, as if each had begun to buy once.
    pub async fn gather(site: &Site) -> Crowd {
        let setup = Setup::new(Arc::new(SystemClock)).seeded(5);
        let stripe = Stripe::start(setup).await.expect("Stripe starts");
        let mut customers = Vec::new();
        for member in &site.members {
            let customer = stripe.add_customer("somebody@example.org");
            let (org, id) = (member.tenant.org.as_str(), &member.tenant.org.as_str()[4..]);
            let sql = format!(
                "INSERT INTO payers (org_num, id, customer_id, created_at)
                 SELECT num, 'pay_{id}', '{customer}', 1 FROM orgs WHERE id = '{org}'"
            );
            site.db.damage(&sql).await;
            customers.push((customer, member.tenant.guild.as_str().to_owned()));
        }
        // They have what they pay for and nothing else.
        site.db.damage("DELETE FROM tier_grants").await;
        Crowd {
            stripe,
            random: SeededRandom::new(9),
            customers,
            sold: BTreeMap::new(),
            prices: Vec::new(),
        }
    }

    /// What every node is told about Stripe. Each has an endpoint of its own, and knows the secret of the other.
    pub fn open(&mut self, addresses: &[SocketAddr]) -> Vec<(&'static str, String)> {
        let stripe = &self.stripe;
        let endpoint = |at: &SocketAddr| stripe.add_endpoint(&format!("http://{at}/billing/webhook"));
        let secrets: Vec<String> = addresses.iter().map(endpoint).collect();
        // What nothing is done with would only make the answers look quicker.
        let narrowed = stripe.change(|state| {
            for hook in state.webhook_endpoints.values_mut() {
                hook.enabled_events = KINDS.map(str::to_owned).to_vec();
            }
        });
        narrowed.expect("a state that holds");
        let sold = stripe.seeded_catalogue();
        let yearly = |price: Option<String>| price.expect("a yearly price");
        let prices = [
            (
                "SYMBOLON_BILLING_PRICES_STANDARD_MONTH",
                sold.standard.monthly,
                Some(Tier::Standard),
            ),
            (
                "SYMBOLON_BILLING_PRICES_STANDARD_YEAR",
                yearly(sold.standard.yearly),
                Some(Tier::Standard),
            ),
            (
                "SYMBOLON_BILLING_PRICES_PRO_MONTH",
                sold.pro.monthly,
                Some(Tier::Pro),
            ),
            (
                "SYMBOLON_BILLING_PRICES_PRO_YEAR",
                yearly(sold.pro.yearly),
                Some(Tier::Pro),
            ),
            ("SYMBOLON_BILLING_PRICES_BOT_MONTH", sold.custom_bot.monthly, None),
        ];
        self.sold = prices
            .iter()
            .map(|(_, price, tier)| (price.clone(), *tier))
            .collect();
        self.prices = self.sold.keys().cloned().collect();
        let (newest, oldest) = (secrets[0].clone(), secrets[secrets.len() - 1].clone());
        let mut told = vec![
            ("SYMBOLON_BILLING_SECRET_KEY", stripe.secret_key().to_owned()),
            ("SYMBOLON_BILLING_API_URL", stripe.api_url()),
            ("SYMBOLON_BILLING_WEBHOOK_SECRET", newest),
            ("SYMBOLON_BILLING_PREVIOUS_WEBHOOK_SECRET", oldest),
        ];
        told.extend(prices.map(|(name, price, _)| (name, price)));
        told
    }

    pub fn heard(&self) -> usize {
        self.stripe.count_events(&KINDS)
    }

    /// Something that somebody does. What does not fit, such as a price that they have already, is no event.
    pub fn happen(&self) {
        let dice = usize::from(bytes::<1>(&self.random)[0]) * 7;
        self.happen_to(&self.customers[dice % self.customers.len()]);
    }

    fn happen_to(&self, (customer, guild): &(String, String)) {
        let own: Vec<String> = self.stripe.look(|state| {
            let own = state.subscriptions.iter();
            let own = own.filter(|(_, one)| one.customer == *customer && one.ended_at.is_none());
            own.map(|(id, _)| id.clone()).collect()
        });
        let [what, which] = bytes::<2>(&self.random);
        let price = &self.prices[usize::from(which) % self.prices.len()];
        let subscribe = || {
            self.stripe
                .subscribe(customer, price, &[("guild", guild.as_str())])
                .map(drop)
        };
        let done = match (own.first(), what % 4) {
            (None, _) => subscribe(),
            (Some(one), 0) => self.stripe.cancel(one, Ending::Now),
            (Some(one), 1) => self.stripe.cancel(one, Ending::AtPeriodEnd),
            (Some(_), 2) if own.len() < 3 => subscribe(),
            (Some(one), _) => self.stripe.switch_price(one, price),
        };
        drop(done);
    }

    /// Something happens to each of them.
    pub fn happen_to_all(&self) {
        for customer in &self.customers {
            let before = self.heard();
            while self.heard() == before {
                self.happen_to(customer);
            }
        }
    }

    /// What Stripe's books say of each.
    pub fn truth(&self) -> BTreeMap<String, Had> {
        self.stripe.look(|state| truth(state, &self.sold))
    }
}

fn truth(state: &StripeState, sold: &BTreeMap<String, Option<Tier>>) -> BTreeMap<String, Had> {
    let nothing = |customer: &String| (customer.clone(), (Tier::Free, false));
    let mut books: BTreeMap<String, Had> = state.customers.keys().map(nothing).collect();
    for one in state.subscriptions.values() {
        if !matches!(one.status, Status::Active | Status::Trialing | Status::PastDue) {
            continue;
        }
        let Some((tier, bot)) = books.get_mut(&one.customer) else {
            continue;
        };
        for bought in one.items.iter().filter_map(|item| sold.get(&item.price)) {
            *tier = (*tier).max(bought.unwrap_or(Tier::Free));
            *bot = *bot || bought.is_none();
        }
    }
    books
}
