//! Events on their way to endpoints.

use emulator::Stripe;
use serde_json::json;

use super::receiver::Receiver;
use super::world::{DAY_MS, START, stripe};
use crate::support::{get, send_json};

#[tokio::test]
async fn events_are_signed_over_the_body_that_is_sent() {
    let test = stripe().await;
    let receiver = Receiver::start().await;
    let secret = test.stripe.add_endpoint(&receiver.url);
    let id = test.subscribed();
    test.stripe.settle().await;
    let letters = receiver.take();
    assert_eq!(letters.len(), 3);
    for letter in &letters {
        assert_eq!(letter.signature, Stripe::sign_with(&secret, START, &letter.body));
        assert_eq!(letter.signature, test.stripe.sign(&letter.body));
    }
    let events = letters.iter().map(super::receiver::Letter::event);
    let created = events
        .into_iter()
        .find(|event| event["type"] == "customer.subscription.created")
        .unwrap();
    assert_eq!(created["data"]["object"]["id"], id.as_str());
    assert_eq!(
        (&created["created"], &created["livemode"]),
        (&json!(START), &json!(false))
    );
    let listed = test
        .get(&format!("/v1/events/{}", created["id"].as_str().unwrap()))
        .await;
    assert_eq!(listed["pending_webhooks"], 0);
    assert_eq!(listed["data"], created["data"]);
}

#[tokio::test]
async fn an_endpoint_hears_only_of_what_it_asked_for() {
    let test = stripe().await;
    let receiver = Receiver::start().await;
    let form = format!(
        "url={}&enabled_events[]=customer.subscription.deleted",
        receiver.url
    );
    let made = test.post("/v1/webhook_endpoints", &form).await;
    assert!(made["secret"].as_str().unwrap().starts_with("whsec_"));
    let path = format!("/v1/webhook_endpoints/{}", made["id"].as_str().unwrap());
    assert!(test.get(&path).await.get("secret").is_none());
    let id = test.subscribed();
    test.stripe.settle().await;
    assert!(receiver.take().is_empty());
    test.call("DELETE", &format!("/v1/subscriptions/{id}"), &[], "")
        .await;
    test.stripe.settle().await;
    assert_eq!(receiver.take().len(), 1);
    assert_eq!(test.post(&path, "disabled=true").await["status"], "disabled");
    test.subscribed();
    test.stripe.settle().await;
    assert!(receiver.take().is_empty());
}

#[tokio::test]
async fn who_does_not_answer_well_is_asked_again_for_three_days() {
    let test = stripe().await;
    let receiver = Receiver::start().await;
    test.stripe.add_endpoint(&receiver.url);
    receiver.answer(500);
    let bruno = test.stripe.add_customer("bruno@example.com");
    test.stripe.settle().await;
    assert_eq!(receiver.take().len(), 1);
    let listed = test.get("/v1/events?limit=1").await;
    assert_eq!(
        (
            &listed["data"][0]["data"]["object"]["id"],
            &listed["data"][0]["pending_webhooks"]
        ),
        (&json!(bruno), &json!(1))
    );
    let mut tries = 1;
    for _ in 0..(4 * 24 * 2) {
        test.clock.advance_ms(30 * 60_000);
        test.stripe.settle().await;
        tries += receiver.take().len();
    }
    assert!((8..20).contains(&tries), "{tries}");
    let failed = test.get("/v1/events?delivery_success=false").await;
    assert_eq!(failed["data"].as_array().unwrap().len(), 1);
    assert_eq!(failed["data"][0]["pending_webhooks"], 0);
    // A person in charge sends it again.
    receiver.answer(204);
    let url = format!("{}/deliveries", test.stripe.control_url());
    let again = json!({"event_id": failed["data"][0]["id"]});
    assert_eq!(
        send_json("POST", &url, &again).await.json(),
        json!({"deliveries": 1})
    );
    test.stripe.settle().await;
    assert_eq!(receiver.take().len(), 1);
    assert_eq!(
        send_json("POST", &url, &json!({"event_id": "evt_none"}))
            .await
            .status,
        404
    );
    let known = get(&url).await.json();
    let states: Vec<_> = known
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["state"].clone())
        .collect();
    assert_eq!(states, ["failed", "delivered"]);
}

#[tokio::test]
async fn a_later_try_succeeds_and_is_the_last() {
    let test = stripe().await;
    let receiver = Receiver::start().await;
    test.stripe.add_endpoint(&receiver.url);
    receiver.answer(503);
    test.stripe.add_customer("bruno@example.com");
    test.stripe.settle().await;
    let first = receiver.take();
    receiver.answer(200);
    test.clock.advance_ms(5 * 60_000);
    test.stripe.settle().await;
    let second = receiver.take();
    assert_eq!((first.len(), second.len()), (1, 1));
    assert_eq!(first[0].id(), second[0].id());
    // Signed anew: an old signature would be refused.
    assert!(second[0].signature.starts_with(&format!("t={},", START + 300)));
    test.clock.advance_ms(4 * DAY_MS);
    test.stripe.settle().await;
    assert!(receiver.take().is_empty());
    let done = test
        .get("/v1/events?delivery_success=true&type=customer.created")
        .await;
    assert_eq!(done["data"][0]["pending_webhooks"], 0);
}

#[tokio::test]
async fn for_a_day_both_secrets_sign() {
    let test = stripe().await;
    let receiver = Receiver::start().await;
    let old = test.stripe.add_endpoint(&receiver.url);
    let new = test.stripe.roll_secret(&receiver.url).unwrap();
    let signed_with = |letter: &super::receiver::Letter, secret: &str, at: i64| {
        let whole = Stripe::sign_with(secret, at, &letter.body);
        letter.signature.contains(whole.split_once(',').unwrap().1)
    };
    test.stripe.add_customer("bruno@example.com");
    test.stripe.settle().await;
    let letter = receiver.take().remove(0);
    assert!(signed_with(&letter, &old, START) && signed_with(&letter, &new, START));
    test.clock.advance_ms(DAY_MS);
    test.stripe.add_customer("chen@example.com");
    test.stripe.settle().await;
    let letter = receiver.take().remove(0);
    assert!(!signed_with(&letter, &old, START + 86_400) && signed_with(&letter, &new, START + 86_400));
}

#[tokio::test]
async fn nothing_leaves_this_machine() {
    let test = stripe().await;
    test.post(
        "/v1/webhook_endpoints",
        "url=https://example.com/hook&enabled_events[]=*",
    )
    .await;
    test.stripe.add_customer("bruno@example.com");
    test.stripe.settle().await;
    let delivery = test.stripe.deliveries().remove(0);
    assert!(delivery.last_problem.unwrap().contains("this machine"));
}

#[tokio::test]
async fn many_events_are_sent_soon() {
    let test = stripe().await;
    let receiver = Receiver::start().await;
    test.stripe.add_endpoint(&receiver.url);
    let ids: Vec<String> = (0..200)
        .map(|number| {
            let customer = test.stripe.add_customer(&format!("{number}@example.com"));
            test.stripe
                .subscribe(&customer, &test.sold.standard.monthly, &[])
                .unwrap()
        })
        .collect();
    for round in 0..46 {
        let price = if round % 2 == 0 {
            &test.sold.pro
        } else {
            &test.sold.standard
        };
        for id in &ids {
            test.stripe.switch_price(id, &price.monthly).unwrap();
        }
    }
    test.stripe.settle().await;
    assert_eq!(receiver.take().len(), 200 * 4 + 46 * 200);
}
