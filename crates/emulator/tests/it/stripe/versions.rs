//! Old and new shapes.

use serde_json::{Value, json};

use super::receiver::Receiver;
use super::world::{START, stripe};

const OLD: &str = "2024-06-20";

fn is_old(subscription: &Value) -> bool {
    let old = subscription["current_period_end"] == START + 31 * 86_400;
    let item = &subscription["items"]["data"][0];
    assert_eq!(old, item.get("current_period_end").is_none(), "{subscription}");
    assert_eq!(old, subscription.get("plan").is_some());
    old
}

#[tokio::test]
async fn a_caller_gets_the_shape_of_the_version_it_names() {
    let test = stripe().await;
    let id = test.subscribed();
    let path = format!("/v1/subscriptions/{id}");
    for (version, old) in [
        (OLD, true),
        ("2025-03-31.basil", false),
        ("2026-10-28.endive", false),
    ] {
        let reply = test.call("GET", &path, &[("stripe-version", version)], "").await;
        assert_eq!(reply.header("stripe-version"), Some(version));
        assert_eq!(is_old(&reply.json()), old, "{version}");
        let listed = test
            .call("GET", "/v1/subscriptions", &[("stripe-version", version)], "")
            .await;
        assert_eq!(is_old(&listed.json()["data"][0]), old);
    }
    assert_eq!(
        test.call("GET", &path, &[("stripe-version", "newest")], "")
            .await
            .status,
        400
    );
    assert!(!is_old(&test.get(&path).await));
    test.stripe
        .change(|state| state.account.api_version = OLD.to_owned())
        .unwrap();
    assert!(is_old(&test.get(&path).await));
    let invoices = test.get("/v1/invoices").await;
    assert_eq!(
        (&invoices["data"][0]["subscription"], &invoices["data"][0]["paid"]),
        (&json!(id), &json!(true))
    );
}

#[tokio::test]
async fn an_endpoint_gets_the_shape_of_its_own_version() {
    let test = stripe().await;
    let (new, old) = (Receiver::start().await, Receiver::start().await);
    test.stripe.add_endpoint(&new.url);
    test.stripe.add_endpoint_of(&old.url, Some(OLD));
    test.subscribed();
    test.stripe.settle().await;
    for (receiver, version, expected) in [(&new, "2026-10-28.endive", false), (&old, OLD, true)] {
        let events = receiver.take().into_iter().map(|letter| letter.event());
        let created = events
            .into_iter()
            .find(|event| event["type"] == "customer.subscription.created");
        let created = created.unwrap();
        assert_eq!(created["api_version"], version);
        assert_eq!(is_old(&created["data"]["object"]), expected);
    }
}
