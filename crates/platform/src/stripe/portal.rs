//! What customers may do in the portal: a configuration that an operator has made once, and that follows the prices.

use std::collections::{BTreeMap, BTreeSet};

use domain::billing::{Offer, Product};
use serde::Deserialize;

use super::answers::Named;
use super::setup::{List, once};
use super::{Form, FoundPrice, NotDone, Stripe};

const PATH: [&str; 2] = ["billing_portal", "configurations"];

/// A configuration that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundPortal {
    pub id: String,
    /// Whether it was made here.
    pub is_ours: bool,
    /// Whether customers can switch between what is sold now, and to nothing else.
    pub fits: bool,
}

#[derive(Deserialize)]
struct Configuration {
    id: String,
    #[serde(default)]
    metadata: Option<Marked>,
    #[serde(default)]
    features: Features,
}

#[derive(Deserialize)]
struct Marked {
    #[serde(default)]
    symbolon: Option<String>,
}

#[derive(Default, Deserialize)]
struct Features {
    #[serde(default)]
    subscription_update: Switching,
}

#[derive(Default, Deserialize)]
struct Switching {
    #[serde(default)]
    enabled: bool,
    #[serde(default)]
    products: Option<Vec<OnOffer>>,
}

#[derive(Deserialize)]
struct OnOffer {
    product: String,
    #[serde(default)]
    prices: Vec<String>,
}

/// Prices by their products.
type Sold<'a> = BTreeMap<&'a str, BTreeSet<&'a str>>;

/// What customers can switch between: a bot is bought for a Guild, and is no other plan.
fn sold(prices: &[(Offer, FoundPrice)]) -> Sold<'_> {
    let mut sold = Sold::new();
    for (offer, price) in prices {
        if offer.product != Product::Bot {
            sold.entry(&price.product).or_default().insert(&price.id);
        }
    }
    sold
}

impl Configuration {
    fn found(self, prices: &[(Offer, FoundPrice)]) -> FoundPortal {
        let switching = self.features.subscription_update;
        let listed = switching.products.iter().flatten();
        let listed: Sold<'_> = listed
            .map(|one| {
                let prices = one.prices.iter().map(String::as_str);
                (one.product.as_str(), prices.collect())
            })
            .collect();
        FoundPortal {
            fits: switching.enabled && listed == sold(prices),
            is_ours: self.metadata.is_some_and(|marked| marked.symbolon.is_some()),
            id: self.id,
        }
    }
}

/// Fields that have customers switch between what is sold.
fn switching(prices: &[(Offer, FoundPrice)]) -> Vec<(String, String)> {
    let mut form: Vec<(String, String)> = [
        ("features[subscription_update][enabled]", "true"),
        (
            "features[subscription_update][default_allowed_updates][0]",
            "price",
        ),
        (
            "features[subscription_update][proration_behavior]",
            "create_prorations",
        ),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .into();
    for (place, (product, prices)) in sold(prices).into_iter().enumerate() {
        let field = format!("features[subscription_update][products][{place}]");
        form.push((format!("{field}[product]"), product.to_owned()));
        for (number, price) in prices.into_iter().enumerate() {
            form.push((format!("{field}[prices][{number}]"), price.to_owned()));
        }
    }
    form
}

fn borrowed(form: &[(String, String)]) -> Form<'_> {
    form.iter()
        .map(|(name, value)| (name.clone(), value.as_str()))
        .collect()
}

impl Stripe {
    /// A portal in which customers switch between plans and intervals, pay, cancel and read invoices.
    pub async fn create_portal_configuration(
        &self,
        prices: &[(Offer, FoundPrice)],
        instead_of: Option<&str>,
    ) -> Result<String, NotDone> {
        let mut form: Vec<(String, String)> = [
            ("business_profile[headline]", "Your Symbolon subscription"),
            ("metadata[symbolon]", "1"),
            ("features[invoice_history][enabled]", "true"),
            ("features[payment_method_update][enabled]", "true"),
            ("features[subscription_cancel][enabled]", "true"),
            ("features[subscription_cancel][mode]", "at_period_end"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into();
        form.extend(switching(prices));
        let form = borrowed(&form);
        let once = once("portal", &form, instead_of);
        let answer = self
            .post(
                "POST /v1/billing_portal/configurations",
                &PATH,
                Some(&once),
                &form,
            )
            .await?;
        Ok(answer.json::<Named>()?.id)
    }

    /// Has customers of a portal switch between what is sold now. What else it allows stays.
    pub async fn update_portal_configuration(
        &self,
        id: &str,
        prices: &[(Offer, FoundPrice)],
    ) -> Result<(), NotDone> {
        let form = switching(prices);
        let path = [PATH[0], PATH[1], id];
        let route = "POST /v1/billing_portal/configurations/{id}";
        self.post(route, &path, None, &borrowed(&form)).await.map(drop)
    }

    /// A portal by its id; what the settings name may be of another account.
    pub async fn portal_configuration(
        &self,
        id: &str,
        prices: &[(Offer, FoundPrice)],
    ) -> Result<FoundPortal, NotDone> {
        let path = [PATH[0], PATH[1], id];
        // Stripe leaves them out of what is not asked for.
        let query = [("expand[]", "features.subscription_update.products")];
        let route = "GET /v1/billing_portal/configurations/{id}";
        let answer = self.get(route, &path, &query).await?;
        Ok(answer.json::<Configuration>()?.found(prices))
    }

    /// The portal that was made here before.
    pub async fn find_portal_configuration(
        &self,
        prices: &[(Offer, FoundPrice)],
    ) -> Result<Option<FoundPortal>, NotDone> {
        let query = [
            ("active", "true"),
            ("limit", "100"),
            ("expand[]", "data.features.subscription_update.products"),
        ];
        let answer = self
            .get("GET /v1/billing_portal/configurations", &PATH, &query)
            .await?;
        let list: List<Configuration> = answer.json()?;
        let mut found = list.data.into_iter().map(|one| one.found(prices));
        Ok(found.find(|found| found.is_ours))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prices(month: &str) -> Vec<(Offer, FoundPrice)> {
        let price = |place: usize, id: &str, product: &str| {
            let found = FoundPrice {
                id: id.to_owned(),
                product: product.to_owned(),
                fits: true,
                is_active: true,
            };
            (Offer::ALL[place], found)
        };
        vec![
            price(0, month, "standard"),
            price(1, "year", "standard"),
            price(4, "bot", "bot"),
        ]
    }

    fn found(update: &str) -> FoundPortal {
        let text = format!(
            r#"{{"id":"bpc_1","metadata":{{"symbolon":"1"}},"features":{{"subscription_update":{update}}}}}"#
        );
        let read: Configuration = serde_json::from_str(&text).unwrap();
        read.found(&prices("month"))
    }

    #[test]
    fn a_portal_fits_that_offers_what_is_sold_in_any_order_and_nothing_else() {
        let fits = |update| found(update).fits;
        assert!(fits(
            r#"{"enabled":true,"products":[{"product":"standard","prices":["year","month"]}]}"#
        ));
        for other in [
            r#"{"enabled":false,"products":[{"product":"standard","prices":["year","month"]}]}"#,
            r#"{"enabled":true,"products":[{"product":"standard","prices":["year"]}]}"#,
            r#"{"enabled":true,"products":[{"product":"standard","prices":["year","month","older"]}]}"#,
            r#"{"enabled":true,"products":[{"product":"standard","prices":["year","month"]},{"product":"bot","prices":["bot"]}]}"#,
            r#"{"enabled":true,"products":null}"#,
            r#"{"enabled":true}"#,
        ] {
            assert!(!fits(other), "{other}");
        }
        assert!(found(r#"{"enabled":true}"#).is_ours);
    }
}
