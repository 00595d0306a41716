//! Looking inside Stripe, and what a person in its dashboard would do.

use emulator::stripe::Status;
use serde_json::{Value, json};

use super::world::{START, stripe};
use crate::support::{get, send_json};

#[tokio::test]
async fn a_status_that_is_patched_is_told_of() {
    let test = stripe().await;
    let id = test.subscribed();
    let url = format!("{}/state", test.stripe.control_url());
    let before = test.stripe.events().len();
    for (status, kind) in [
        ("past_due", "customer.subscription.updated"),
        ("canceled", "customer.subscription.deleted"),
        ("active", "customer.subscription.updated"),
    ] {
        let reply = send_json(
            "PATCH",
            &url,
            &json!({"subscriptions": {&id: {"status": status}}}),
        )
        .await;
        assert_eq!(reply.status, 200, "{}", reply.text());
        assert_eq!(reply.json()["subscriptions"][&id]["status"], status);
        let (_, told, object) = test.stripe.events().pop().unwrap();
        assert_eq!((told.as_str(), &object["status"]), (kind, &json!(status)));
    }
    assert_eq!(test.kinds_from(before).len(), 3);
    let state = get(&url).await.json();
    let events = state["events"].as_object().unwrap();
    assert_eq!(events.len(), test.stripe.events().len());
    let known = |object: &str| {
        events
            .values()
            .any(|event| event["data"]["object"]["object"] == object)
    };
    assert!(known("customer") && known("subscription") && known("invoice"));
    // It came back to life, as if it had never ended.
    let own = &test.stripe.state().subscriptions[&id];
    assert_eq!((own.ended_at, own.canceled_at), (None, None));
}

#[tokio::test]
async fn what_is_left_out_of_a_patch_is_filled_in() {
    let test = stripe().await;
    let url = format!("{}/state", test.stripe.control_url());
    let patch = json!({
        "customers": {"cus_bruno": {"email": "bruno@example.com"}},
        "subscriptions": {"sub_bruno": {
            "customer": "cus_bruno",
            "items": [{"price": test.sold.custom_bot.monthly}],
            "metadata": {"guild": "9"},
        }},
    });
    assert_eq!(send_json("PATCH", &url, &patch).await.status, 200);
    let own = test.get("/v1/subscriptions/sub_bruno").await;
    assert_eq!(
        (&own["status"], &own["created"]),
        (&json!("active"), &json!(START))
    );
    let item = &own["items"]["data"][0];
    assert!(item["id"].as_str().unwrap().starts_with("si_"));
    assert_eq!(item["current_period_end"], START + 31 * 86_400);
    let kinds = test.kinds_from(0);
    assert_eq!(
        kinds[kinds.len() - 2..],
        ["customer.created", "customer.subscription.created"]
    );
}

#[tokio::test]
async fn a_patch_that_makes_no_sense_changes_nothing() {
    let test = stripe().await;
    let id = test.subscribed();
    let url = format!("{}/state", test.stripe.control_url());
    let before = get(&url).await.json();
    let price = &test.sold.standard.monthly;
    for wrong in [
        json!({"subscriptions": {&id: {"status": "happy"}}}),
        json!({"subscriptions": {&id: {"customer": "cus_nobody"}}}),
        json!({"subscriptions": {&id: {"items": []}}}),
        json!({"subscriptions": {&id: {"items": [{"price": "price_none"}]}}}),
        json!({"subscriptions": {&id: {"current_period_end": 1}}}),
        json!({"subscriptions": {&id: {"current_period_end": i64::MAX}}}),
        json!({"prices": {price: {"product": "prod_none"}}}),
        json!({"prices": {price: {"unit_amount": i64::MAX}}}),
        json!({"webhook_endpoints": {"we_1": {"url": "ftp://example.com"}}}),
        json!({"webhook_endpoints": {"we_1": {"url": "http://127.0.0.1/", "api_version": "été"}}}),
        json!({"account": {"api_version": "soon"}}),
        json!({"customers": {"cus_x": {"test_clock": "clock_none"}}}),
        json!({"events": {}}),
        json!({"colour": "red"}),
    ] {
        let reply = send_json("PATCH", &url, &wrong).await;
        assert_eq!(
            (reply.status, &reply.json()["code"]),
            (400, &json!("INVALID_REQUEST")),
            "{wrong}"
        );
    }
    assert_eq!(get(&url).await.json(), before);
}

#[tokio::test]
async fn a_change_in_rust_tells_the_same() {
    let test = stripe().await;
    let id = test.subscribed();
    let changed = test.stripe.change(|state| {
        let own = state.subscriptions.get_mut(&id).unwrap();
        own.status = Status::Unpaid;
        own.metadata.insert("org".to_owned(), "8".to_owned());
        state.customers.get_mut(&test.ada).unwrap().name = Some("Ada".to_owned());
    });
    changed.unwrap();
    let listed = test.get("/v1/events?limit=2").await;
    let told = |place: usize| -> (&Value, &Value) {
        let event = &listed["data"][place];
        (&event["type"], &event["data"]["previous_attributes"])
    };
    let before = json!({"status": "active", "metadata": {"org": "7"}});
    assert_eq!(told(0), (&json!("customer.subscription.updated"), &before));
    assert_eq!(told(1), (&json!("customer.updated"), &json!({"name": null})));
}

#[tokio::test]
async fn calls_are_counted_with_their_idempotency_keys() {
    let test = stripe().await;
    test.call("POST", "/v1/customers", &[("idempotency-key", "org-7")], "")
        .await;
    test.get(&format!("/v1/customers/{}", test.ada)).await;
    assert_eq!(test.stripe.hub().count("GET /v1/customers/{customer}"), 1);
    assert_eq!(test.stripe.hub().calls()[0].idempotency_key, "org-7");
}
