//! Subscriptions change and end.

use emulator::stripe::Ending;
use serde_json::json;

use super::world::{DAY_MS, START, stripe};

#[tokio::test]
async fn one_update_is_told_once_with_what_was_before() {
    let test = stripe().await;
    let id = test.subscribed();
    let own = test.get(&format!("/v1/subscriptions/{id}")).await;
    let item = own["items"]["data"][0]["id"].as_str().unwrap();
    let before = test.stripe.events().len();
    let form = format!(
        "items[0][id]={item}&items[0][price]={}&metadata[org]=8&cancel_at_period_end=true&proration_behavior=none",
        test.sold.pro.monthly
    );
    let changed = test.post(&format!("/v1/subscriptions/{id}"), &form).await;
    assert_eq!(test.kinds_from(before), ["customer.subscription.updated"]);
    assert_eq!(changed["items"]["data"].as_array().unwrap().len(), 1);
    assert_eq!(
        changed["items"]["data"][0]["price"]["id"],
        test.sold.pro.monthly.as_str()
    );
    let event = &test.get("/v1/events?limit=1").await["data"][0];
    let previous = &event["data"]["previous_attributes"];
    assert_eq!(previous["metadata"], json!({"org": "7"}));
    assert_eq!(previous["cancel_at_period_end"], false);
    assert_eq!(
        previous["items"]["data"][0]["price"]["id"],
        test.sold.standard.monthly.as_str()
    );
    assert!(event["request"]["id"].as_str().unwrap().starts_with("req_"));
    // The same again changes nothing, and nothing is told.
    test.post(&format!("/v1/subscriptions/{id}"), &form).await;
    assert_eq!(test.kinds_from(before).len(), 1);
}

#[tokio::test]
async fn another_interval_begins_a_new_period() {
    let test = stripe().await;
    let id = test.subscribed();
    test.clock.advance_ms(10 * DAY_MS);
    let yearly = test.sold.standard.yearly.clone().unwrap();
    test.stripe.switch_price(&id, &yearly).unwrap();
    let own = test
        .get(&format!("/v1/subscriptions/{id}?expand[]=latest_invoice"))
        .await;
    let now = START + 10 * 86_400;
    let item = &own["items"]["data"][0];
    assert_eq!(
        (&item["current_period_start"], &item["current_period_end"]),
        (&json!(now), &json!(now + 365 * 86_400))
    );
    assert_eq!(own["latest_invoice"]["total"], 5_000);
}

#[tokio::test]
async fn a_canceled_subscription_stays_canceled() {
    let test = stripe().await;
    let id = test.subscribed();
    let path = format!("/v1/subscriptions/{id}");
    let ended = test.call("DELETE", &path, &[], "").await.json();
    assert_eq!(
        (&ended["status"], &ended["ended_at"]),
        (&json!("canceled"), &json!(START))
    );
    assert_eq!(test.refused("DELETE", &path, "").await.0, 404);
    assert_eq!(test.refused("POST", &path, "metadata[a]=b").await.0, 400);
    test.clock.advance_ms(400 * DAY_MS);
    assert_eq!(test.status(&id).await, "canceled");
    let listed = |query: &'static str| {
        let test = &test;
        async move {
            test.get(&format!("/v1/subscriptions?{query}")).await["data"]
                .as_array()
                .unwrap()
                .len()
        }
    };
    assert_eq!((listed("").await, listed("status=all").await), (0, 1));
    assert_eq!(
        (listed("status=canceled").await, listed("status=ended").await),
        (1, 1)
    );
    assert_eq!(listed("status=active").await, 0);
}

#[tokio::test]
async fn a_cancellation_at_the_end_can_be_taken_back_until_then() {
    let test = stripe().await;
    let id = test.subscribed();
    test.stripe.cancel(&id, Ending::AtPeriodEnd).unwrap();
    let own = test.get(&format!("/v1/subscriptions/{id}")).await;
    assert_eq!(
        (&own["status"], &own["cancel_at"]),
        (&json!("active"), &json!(START + 31 * 86_400))
    );
    test.stripe.resume(&id).unwrap();
    test.clock.advance_ms(31 * DAY_MS);
    assert_eq!(test.status(&id).await, "active");
    test.stripe.cancel(&id, Ending::AtPeriodEnd).unwrap();
    test.clock.advance_ms(28 * DAY_MS);
    assert_eq!(test.status(&id).await, "canceled");
    let (_, kind, object) = test.stripe.events().pop().unwrap();
    assert_eq!(kind, "customer.subscription.deleted");
    assert_eq!(object["ended_at"], START + (31 + 28) * 86_400);
}

#[tokio::test]
async fn a_first_payment_that_fails_leaves_it_incomplete() {
    let test = stripe().await;
    let form = "email=b@example.com&payment_method=pm_card_chargeCustomerFail";
    let customer = test.post("/v1/customers", form).await;
    let form = format!(
        "customer={}&items[0][price]={}",
        customer["id"].as_str().unwrap(),
        test.sold.standard.monthly
    );
    let own = test.post("/v1/subscriptions", &form).await;
    assert_eq!(own["status"], "incomplete");
    test.clock.advance_ms(DAY_MS);
    assert_eq!(
        test.status(own["id"].as_str().unwrap()).await,
        "incomplete_expired"
    );
    let (_, kind, _) = test.stripe.events().pop().unwrap();
    assert_eq!(kind, "customer.subscription.deleted");
}
