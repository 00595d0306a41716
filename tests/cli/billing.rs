//! `billing setup`, against a Stripe account that has nothing yet.

use std::sync::Arc;

use domain::clock::SystemClock;
use emulator::{Setup, Stripe};

use super::shell::{Ran, run_bare};

const HOOK: &str = "https://play.example/billing/webhook";

async fn stripe() -> Stripe {
    let setup = Setup::new(Arc::new(SystemClock));
    Stripe::start(setup).await.expect("a free port")
}

/// Runs it with the key of this account, or another.
async fn set_up(stripe: &Stripe, key: &str) -> Ran {
    set_up_with(stripe, key, &[]).await
}

/// The same where something of it is in the configuration already.
async fn set_up_with(stripe: &Stripe, key: &str, more: &[(&'static str, &str)]) -> Ran {
    let mut environment = vec![
        ("SYMBOLON_SERVER_PUBLIC_URL", "https://play.example".to_owned()),
        ("SYMBOLON_BILLING_API_URL", stripe.api_url()),
        ("SYMBOLON_BILLING_SECRET_KEY", key.to_owned()),
    ];
    environment.extend(more.iter().map(|(name, value)| (*name, (*value).to_owned())));
    let run = move || {
        let environment: Vec<(&str, &str)> = environment
            .iter()
            .map(|(name, value)| (*name, value.as_str()))
            .collect();
        run_bare(&["billing", "setup"], &environment)
    };
    tokio::task::spawn_blocking(run).await.expect("the command ends")
}

/// Lines that are to be put into the configuration.
fn settings(ran: &Ran) -> toml::Table {
    assert_eq!(ran.code, Some(0), "{ran:?}");
    ran.out.parse().expect("what it prints is a configuration")
}

fn prices(settings: &toml::Table) -> &toml::Value {
    &settings["billing"]["prices"]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_empty_account_gets_all_that_is_sold_and_a_second_run_changes_nothing() {
    let stripe = stripe().await;
    let first = settings(&set_up(&stripe, stripe.secret_key()).await);
    let made = stripe.state();
    let costs = |name: &str| {
        let id = prices(&first)[name][0].as_str().expect("a price");
        made.prices[id].unit_amount
    };
    let shown = [
        "standard_month",
        "standard_year",
        "pro_month",
        "pro_year",
        "bot_month",
    ]
    .map(costs);
    assert_eq!(shown, [500, 5_000, 1_000, 10_000, 500]);
    let hook = made.webhook_endpoints.values().next().expect("an endpoint");
    assert_eq!(hook.url, HOOK);
    let secret = &hook.secrets[0].value;
    assert_eq!(first["billing"]["webhook_secret"].as_str(), Some(secret.as_str()));
    assert_eq!(made.portal_configurations.len(), 1);

    let again = set_up(&stripe, stripe.secret_key()).await;
    assert!(again.out.contains("is there, with all events"), "{again:?}");
    let second = settings(&again);
    assert_eq!(prices(&second), prices(&first));
    assert_eq!(second["billing"].get("webhook_secret"), None, "it is shown once");
    let after = stripe.state();
    let counts = |state: &emulator::stripe::StripeState| {
        [
            state.products.len(),
            state.prices.len(),
            state.webhook_endpoints.len(),
            state.portal_configurations.len(),
        ]
    };
    assert_eq!(counts(&after), counts(&made));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_endpoint_that_hears_too_little_is_told_of() {
    let stripe = stripe().await;
    let made = set_up(&stripe, stripe.secret_key()).await;
    assert_eq!(made.code, Some(0), "{made:?}");
    let changed = stripe.change(|state| {
        for hook in state.webhook_endpoints.values_mut() {
            hook.enabled_events = vec!["invoice.paid".to_owned()];
        }
    });
    changed.expect("a state that holds");
    let told = set_up(&stripe, stripe.secret_key()).await;
    let line = format!("{HOOK} lacks events: add ");
    assert!(
        told.out.contains(&line) && told.out.contains("customer.subscription.updated"),
        "{told:?}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_key_that_stripe_does_not_take_makes_nothing() {
    let stripe = stripe().await;
    let before = stripe.state().prices.len();
    let refused = set_up(&stripe, "sk_test_of_nobody").await;
    refused.fails_with_one_line("");
    assert!(!refused.err.contains("sk_test_of_nobody"), "{refused:?}");
    assert_eq!(stripe.state().prices.len(), before);
}

fn made(stripe: &Stripe) -> [usize; 4] {
    let state = stripe.state();
    [
        state.products.len(),
        state.prices.len(),
        state.webhook_endpoints.len(),
        state.portal_configurations.len(),
    ]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_runs_at_the_same_time_make_everything_once() {
    let (stripe, alone) = (stripe().await, stripe().await);
    settings(&set_up(&alone, alone.secret_key()).await);
    let (one, two) = tokio::join!(
        set_up(&stripe, stripe.secret_key()),
        set_up(&stripe, stripe.secret_key())
    );
    assert_eq!(prices(&settings(&one)), prices(&settings(&two)));
    assert_eq!(made(&stripe), made(&alone));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_taken_away_is_made_anew_and_not_told_of_again() {
    let stripe = stripe().await;
    let first = settings(&set_up(&stripe, stripe.secret_key()).await);
    for _ in 0..2 {
        let taken_away = stripe.change(|state| {
            state.webhook_endpoints.clear();
            state.portal_configurations.clear();
            for price in state.prices.values_mut() {
                price.active = false;
            }
        });
        taken_away.expect("a state that holds");
        let again = settings(&set_up(&stripe, stripe.secret_key()).await);
        let state = stripe.state();
        let hook = state.webhook_endpoints.values().next().expect("an endpoint");
        let secret = again["billing"]["webhook_secret"].as_str();
        assert_eq!(secret, Some(hook.secrets[0].value.as_str()));
        let portal = again["billing"]["portal_configuration"]
            .as_str()
            .expect("a portal");
        assert!(state.portal_configurations.contains_key(portal));
        let id = prices(&again)["pro_month"][0].as_str().expect("a price");
        assert!(state.prices[id].active && prices(&first) != prices(&again));
    }
}

/// What customers can switch to, over all products.
fn offered(stripe: &Stripe, portal: &str) -> Vec<String> {
    let state = stripe.state();
    let products = &state.portal_configurations[portal].features.products;
    products
        .iter()
        .flat_map(|product| product.prices.clone())
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_archived_price_makes_way_for_one_that_can_be_bought_and_customers_can_switch_to_it() {
    let stripe = stripe().await;
    let first = settings(&set_up(&stripe, stripe.secret_key()).await);
    let old = prices(&first)["pro_month"][0].as_str().expect("a price");
    let portal = first["billing"]["portal_configuration"]
        .as_str()
        .expect("a portal");
    assert!(offered(&stripe, portal).contains(&old.to_owned()));
    let archived = stripe.change(|state| state.prices.get_mut(old).expect("a price").active = false);
    archived.expect("a state that holds");
    for named in [false, true] {
        let mut more = vec![("SYMBOLON_BILLING_PRICES_PRO_MONTH", old)];
        if named {
            more.push(("SYMBOLON_BILLING_PORTAL_CONFIGURATION", portal));
            // Somebody else changed it meanwhile.
            let changed = stripe.change(|state| {
                let own = state.portal_configurations.get_mut(portal).expect("a portal");
                own.features.products.clear();
            });
            changed.expect("a state that holds");
        }
        let told = set_up_with(&stripe, stripe.secret_key(), &more).await;
        let again = settings(&told);
        let listed = prices(&again)["pro_month"].as_array().expect("prices");
        let [new, behind] = listed.as_slice() else {
            panic!("{told:?}")
        };
        assert_eq!(behind.as_str(), Some(old), "somebody may pay it still");
        let new = new.as_str().expect("a price").to_owned();
        assert!(stripe.state().prices[&new].active);
        assert_eq!(again["billing"]["portal_configuration"].as_str(), Some(portal));
        let offered = offered(&stripe, portal);
        assert!(
            offered.contains(&new) && !offered.contains(&old.to_owned()),
            "{told:?}"
        );
        assert!(
            told.out.contains("is archived") && told.out.contains("# Updated the portal"),
            "{told:?}"
        );
    }
    assert_eq!(stripe.state().portal_configurations.len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_portal_of_somebody_elses_making_is_told_of_and_left_alone() {
    let stripe = stripe().await;
    let first = settings(&set_up(&stripe, stripe.secret_key()).await);
    let portal = first["billing"]["portal_configuration"]
        .as_str()
        .expect("a portal");
    let changed = stripe.change(|state| {
        let own = state.portal_configurations.get_mut(portal).expect("a portal");
        own.metadata.clear();
        own.features.products.truncate(1);
    });
    changed.expect("a state that holds");
    let before = offered(&stripe, portal);
    let more = [("SYMBOLON_BILLING_PORTAL_CONFIGURATION", portal)];
    let told = set_up_with(&stripe, stripe.secret_key(), &more).await;
    assert_eq!(
        settings(&told)["billing"]["portal_configuration"].as_str(),
        Some(portal)
    );
    assert!(
        told.out
            .contains(&format!("# The portal configuration {portal} lets")),
        "{told:?}"
    );
    assert_eq!(offered(&stripe, portal), before);
}
