//! `symbolon billing setup`: makes in a Stripe account what is sold, and says what to put into the configuration. It can be
//! run again at any time: what is there and fits stays.

use std::sync::Arc;

use app::billing::events::KINDS;
use config::{Billing, Config};
use domain::billing::Offer;
use domain::clock::SystemClock;
use platform::stripe::{FoundPrice, NotDone, Stripe};

use crate::cli::{BillingCommand, Common};
use crate::open::load_config;
use crate::output::{Failure, say};

/// For a day Stripe tells again what it made under a key, also of what was taken away since. Then another key is used.
const TRIES: usize = 5;

pub async fn run(common: &Common, command: &BillingCommand) -> Result<(), Failure> {
    match command {
        BillingCommand::Setup => setup(&load_config(common, None)?).await,
    }
}

async fn setup(config: &Config) -> Result<(), Failure> {
    let billing = &config.billing;
    let Some(key) = billing.secret_key.clone() else {
        return Err(
            "billing.secret_key is not set: put the secret key of your Stripe account there first".into(),
        );
    };
    let stripe = Stripe::new(&billing.api_url, key, Arc::new(SystemClock))?;
    let account = stripe.account().await.map_err(told)?;
    let mode = if stripe.is_live() { "live" } else { "test" };
    say(format!("# Stripe account {account}, {mode} mode."));
    let mut prices = Vec::new();
    for offer in Offer::ALL {
        prices.push((offer, price(&stripe, offer, configured(billing, offer)).await?));
    }
    let portal = portal(&stripe, billing.portal_configuration.as_deref(), &prices).await?;
    let secret = endpoint(&stripe, &config.server.public_url).await?;
    say("\n[billing]");
    if let Some(secret) = secret {
        say(format!("webhook_secret = \"{secret}\""));
    }
    say(format!("portal_configuration = \"{portal}\""));
    say("\n[billing.prices]");
    for (offer, price) in &prices {
        let older = configured(billing, *offer).iter().filter(|old| **old != price.id);
        let all: Vec<String> = std::iter::once(&price.id)
            .chain(older)
            .map(|id| format!("\"{id}\""))
            .collect();
        say(format!("{} = [{}]", offer.name(), all.join(", ")));
    }
    Ok(())
}

fn told(cause: NotDone) -> Failure {
    cause.to_string().into()
}

fn configured(billing: &Billing, offer: Offer) -> &[String] {
    app::platforms::prices_of(&billing.prices, offer)
}

/// The price that the configuration names if it can be bought, or the one that bears its name, or a new one.
async fn price(stripe: &Stripe, offer: Offer, configured: &[String]) -> Result<FoundPrice, Failure> {
    if let Some(id) = configured.first() {
        let found = stripe.price(id, offer).await.map_err(|cause| {
            let name = offer.name();
            Failure::from(format!("billing.prices.{name} names {id}: {cause}"))
        })?;
        let name = offer.name();
        if found.is_active {
            if !found.fits {
                say(format!(
                    "# {id} does not cost what people are shown for {name}. Empty billing.prices.{name} to get one that does."
                ));
            }
            return Ok(found);
        }
        say(format!(
            "# {id} is archived, so nobody can buy {name} at it. Another price comes before it; {id} stays as long as somebody pays it."
        ));
    }
    priced(stripe, offer).await
}

async fn priced(stripe: &Stripe, offer: Offer) -> Result<FoundPrice, Failure> {
    let mut before = stripe.find_price(offer).await.map_err(told)?;
    if let Some(found) = before.take_if(|found| found.fits) {
        return Ok(found);
    }
    for _ in 0..TRIES {
        let instead_of = before.as_ref().map(|before| before.id.as_str());
        let made = stripe.create_price(offer, instead_of).await.map_err(told)?;
        if stripe.find_price(offer).await.map_err(told)?.as_ref() == Some(&made) {
            say(format!("# Created the price {} for {}.", made.id, offer.name()));
            return Ok(made);
        }
        before = Some(made);
    }
    Err(taken_away(offer.name()))
}

fn taken_away(what: &str) -> Failure {
    format!("what Stripe made for {what} was gone at once; try again").into()
}

/// The portal that the configuration names, or one that was made here before, or a new one. One of ours follows the prices.
async fn portal(
    stripe: &Stripe,
    configured: Option<&str>,
    prices: &[(Offer, FoundPrice)],
) -> Result<String, Failure> {
    let found = match configured {
        Some(id) => {
            let found = stripe.portal_configuration(id, prices).await;
            let named =
                |cause: NotDone| Failure::from(format!("billing.portal_configuration names {id}: {cause}"));
            Some(found.map_err(named)?)
        }
        None => stripe.find_portal_configuration(prices).await.map_err(told)?,
    };
    let Some(found) = found else {
        return new_portal(stripe, prices).await;
    };
    let id = &found.id;
    if found.is_ours && !found.fits {
        let updated = stripe.update_portal_configuration(id, prices).await;
        updated.map_err(told)?;
        say(format!(
            "# Updated the portal configuration {id}: customers switch between the prices below."
        ));
    } else if !found.fits {
        say(format!(
            "# The portal configuration {id} lets customers switch to something else than the prices of plans below: change it in Stripe's dashboard."
        ));
    }
    Ok(found.id)
}

async fn new_portal(stripe: &Stripe, prices: &[(Offer, FoundPrice)]) -> Result<String, Failure> {
    let mut before: Option<String> = None;
    for _ in 0..TRIES {
        let made = stripe
            .create_portal_configuration(prices, before.as_deref())
            .await;
        let made = made.map_err(told)?;
        if let Some(found) = stripe.find_portal_configuration(prices).await.map_err(told)? {
            say(format!("# Created the portal configuration {}.", found.id));
            return Ok(found.id);
        }
        before = Some(made);
    }
    Err(taken_away("the portal"))
}

async fn new_endpoint(stripe: &Stripe, url: &str) -> Result<String, Failure> {
    let mut before: Option<String> = None;
    for _ in 0..TRIES {
        let made = stripe.create_endpoint(url, &KINDS, before.as_deref()).await;
        let (id, secret) = made.map_err(told)?;
        let there = stripe.endpoints().await.map_err(told)?;
        if there.iter().any(|endpoint| endpoint.id == id) {
            return Ok(secret);
        }
        before = Some(id);
    }
    Err(taken_away("events"))
}

/// The secret of the endpoint, if it was made just now. One that is there is looked at.
async fn endpoint(stripe: &Stripe, public_url: &str) -> Result<Option<String>, Failure> {
    let url = [public_url, "/billing/webhook"].concat();
    let endpoints = stripe.endpoints().await.map_err(told)?;
    let Some(found) = endpoints.into_iter().find(|endpoint| endpoint.url == url) else {
        let secret = new_endpoint(stripe, &url).await?;
        say(format!(
            "# Created the webhook endpoint {url}. Its secret is shown only now."
        ));
        return Ok(Some(secret));
    };
    if !found.is_enabled {
        say(format!(
            "# The webhook endpoint {url} is disabled: enable it in Stripe's dashboard."
        ));
    }
    let takes = |kind: &&str| found.events.iter().any(|event| event == "*" || event == kind);
    let missing: Vec<&str> = KINDS.iter().filter(|kind| !takes(kind)).copied().collect();
    if missing.is_empty() {
        say(format!("# The webhook endpoint {url} is there, with all events."));
    } else {
        let missing = missing.join(", ");
        say(format!(
            "# The webhook endpoint {url} lacks events: add {missing} in Stripe's dashboard."
        ));
    }
    Ok(None)
}
