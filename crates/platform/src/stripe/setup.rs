//! What an operator needs once: products, prices and where events are sent.

use domain::billing::{Offer, Product};
use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::answers::Named;
use super::{Form, NotDone, Stripe};
use crate::http::Unanswered;

/// What every name of ours with Stripe begins with.
const PREFIX: &str = "symbolon_";

/// A price that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundPrice {
    pub id: String,
    pub product: String,
    /// Whether it costs what we ask for it, as often as we ask for it.
    pub fits: bool,
    /// One that was archived cannot be bought any more.
    pub is_active: bool,
}

/// Somewhere that Stripe sends events to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    pub id: String,
    pub url: String,
    pub is_enabled: bool,
    pub events: Vec<String>,
}

#[derive(Deserialize)]
pub(super) struct List<T> {
    pub(super) data: Vec<T>,
}

#[derive(Deserialize)]
struct Price {
    id: String,
    product: String,
    #[serde(default)]
    unit_amount: Option<i64>,
    #[serde(default)]
    currency: String,
    #[serde(default)]
    recurring: Option<Recurring>,
    #[serde(default = "yes")]
    active: bool,
}

#[derive(Deserialize)]
struct Recurring {
    interval: String,
    #[serde(default = "one")]
    interval_count: i64,
}

const fn one() -> i64 {
    1
}

const fn yes() -> bool {
    true
}

#[derive(Deserialize)]
struct WireEndpoint {
    id: String,
    url: String,
    #[serde(default)]
    status: String,
    #[serde(default)]
    enabled_events: Vec<String>,
}

impl Price {
    fn found(self, offer: Offer) -> FoundPrice {
        let every = self.recurring.map(|every| (every.interval, every.interval_count));
        let fits = self.unit_amount == offer.amount()
            && self.currency == "usd"
            && every == Some((offer.interval.as_str().to_owned(), 1));
        FoundPrice {
            id: self.id,
            product: self.product,
            fits,
            is_active: self.active,
        }
    }
}

/// What customers read on their invoices.
fn title(product: Product) -> String {
    match product {
        Product::Plan(tier) => {
            let word = tier.as_str();
            let (first, rest) = word.split_at(1);
            format!("Symbolon {}{rest}", first.to_ascii_uppercase())
        }
        Product::Bot => "Symbolon Custom Bot".to_owned(),
    }
}

fn product_id(product: Product) -> String {
    match product {
        Product::Plan(tier) => [PREFIX, tier.as_str()].concat(),
        Product::Bot => [PREFIX, "bot"].concat(),
    }
}

/// The idempotency key of something that is made once: the same for the same thing. What Stripe made under it before and
/// somebody took away since has to be named, or Stripe would tell of it again for a day.
pub(super) fn once(what: &str, form: &Form<'_>, instead_of: Option<&str>) -> String {
    let mut digest = Sha256::new();
    for (name, value) in form {
        digest.update(format!("{}:{name}{}:{value}", name.len(), value.len()));
    }
    digest.update(instead_of.unwrap_or_default());
    let digest: String = digest
        .finalize()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    [PREFIX, what, "_", &digest].concat()
}

impl Stripe {
    /// The id of the account that the key belongs to.
    pub async fn account(&self) -> Result<String, NotDone> {
        let answer = self.get("GET /v1/account", &["account"], &[]).await?;
        Ok(answer.json::<Named>()?.id)
    }

    /// The price that carries the name of this offer.
    pub async fn find_price(&self, offer: Offer) -> Result<Option<FoundPrice>, NotDone> {
        let key = [PREFIX, offer.name()].concat();
        let query = [
            ("lookup_keys[]", key.as_str()),
            ("active", "true"),
            ("limit", "1"),
        ];
        let answer = self.get("GET /v1/prices", &["prices"], &query).await?;
        let list: List<Price> = answer.json()?;
        Ok(list.data.into_iter().next().map(|price| price.found(offer)))
    }

    /// A price by its id; what the settings name may be of another account.
    pub async fn price(&self, id: &str, offer: Offer) -> Result<FoundPrice, NotDone> {
        let answer = self.get("GET /v1/prices/{id}", &["prices", id], &[]).await?;
        Ok(answer.json::<Price>()?.found(offer))
    }

    /// Makes the product of an offer unless it is there, and its price, in the place of one that does not fit or was taken
    /// away. An older price gives its name away.
    pub async fn create_price(&self, offer: Offer, instead_of: Option<&str>) -> Result<FoundPrice, NotDone> {
        let product = product_id(offer.product);
        self.ensure_product(&product, &title(offer.product)).await?;
        let amount = offer.amount().unwrap_or_default().to_string();
        let key = [PREFIX, offer.name()].concat();
        let form: Form<'_> = [
            ("product", product.as_str()),
            ("currency", "usd"),
            ("unit_amount", amount.as_str()),
            ("recurring[interval]", offer.interval.as_str()),
            ("lookup_key", key.as_str()),
            ("transfer_lookup_key", "true"),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into();
        let once = once("price", &form, instead_of);
        let answer = self
            .post("POST /v1/prices", &["prices"], Some(&once), &form)
            .await?;
        Ok(answer.json::<Price>()?.found(offer))
    }

    async fn ensure_product(&self, id: &str, name: &str) -> Result<(), NotDone> {
        match self.get("GET /v1/products/{id}", &["products", id], &[]).await {
            Err(NotDone::Missing(_)) => {
                let form = vec![("id".to_owned(), id), ("name".to_owned(), name)];
                self.post("POST /v1/products", &["products"], Some(id), &form)
                    .await
                    .map(drop)
            }
            found => found.map(drop),
        }
    }

    /// Where Stripe sends events to.
    pub async fn endpoints(&self) -> Result<Vec<Endpoint>, NotDone> {
        let answer = self
            .get(
                "GET /v1/webhook_endpoints",
                &["webhook_endpoints"],
                &[("limit", "100")],
            )
            .await?;
        let list: List<WireEndpoint> = answer.json()?;
        let endpoint = |found: WireEndpoint| Endpoint {
            is_enabled: found.status != "disabled",
            id: found.id,
            url: found.url,
            events: found.enabled_events,
        };
        Ok(list.data.into_iter().map(endpoint).collect())
    }

    /// Has events sent to an address, and tells its id; the secret that they are signed with is told only now.
    pub async fn create_endpoint(
        &self,
        url: &str,
        events: &[&str],
        instead_of: Option<&str>,
    ) -> Result<(String, String), NotDone> {
        #[derive(Deserialize)]
        struct Made {
            id: String,
            #[serde(default)]
            secret: String,
        }
        let mut form: Form<'_> = vec![("url".to_owned(), url)];
        for (place, event) in events.iter().enumerate() {
            form.push((format!("enabled_events[{place}]"), event));
        }
        let (path, once) = (["webhook_endpoints"], once("endpoint", &form, instead_of));
        let answer = self
            .post("POST /v1/webhook_endpoints", &path, Some(&once), &form)
            .await?;
        let made: Made = answer.json()?;
        if made.secret.is_empty() {
            return Err(Unanswered::Unreadable.into());
        }
        Ok((made.id, made.secret))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_price_fits_only_with_its_amount_currency_and_interval() {
        let offer = Offer::ALL[0];
        let price = |amount, currency: &str, interval: &str| Price {
            id: "price_1".to_owned(),
            product: "p".to_owned(),
            unit_amount: Some(amount),
            currency: currency.to_owned(),
            recurring: Some(Recurring {
                interval: interval.to_owned(),
                interval_count: 1,
            }),
            active: true,
        };
        assert!(price(500, "usd", "month").found(offer).fits);
        assert!(!price(499, "usd", "month").found(offer).fits);
        assert!(!price(500, "eur", "month").found(offer).fits);
        assert!(!price(500, "usd", "year").found(offer).fits);
    }

    #[test]
    fn the_same_is_made_under_the_same_key_and_anything_else_under_another() {
        let form: Form<'_> = vec![("a".to_owned(), "1"), ("b".to_owned(), "2")];
        let other: Form<'_> = vec![("a".to_owned(), "1b"), ("".to_owned(), "2")];
        assert_eq!(once("price", &form, None), once("price", &form, None));
        let keys = [
            once("price", &form, None),
            once("price", &other, None),
            once("price", &form, Some("price_1")),
            once("portal", &form, None),
        ];
        for (place, key) in keys.iter().enumerate() {
            assert!(key.len() <= 255 && !keys[..place].contains(key), "{key}");
        }
    }

    #[test]
    fn products_are_called_by_what_customers_buy() {
        let titles: Vec<String> = Offer::ALL.iter().map(|offer| title(offer.product)).collect();
        assert!(
            titles.contains(&"Symbolon Pro".to_owned()) && titles.contains(&"Symbolon Custom Bot".to_owned())
        );
    }
}
