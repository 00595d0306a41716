//! What happens when time passes.

use emulator::stripe::{AfterRetries, Card, InvoiceStatus};
use serde_json::json;

use super::receiver::Receiver;
use super::world::{DAY_MS, START, StripeTest, stripe};

fn decline(test: &StripeTest) {
    let changed = test
        .stripe
        .change(|state| state.customers.get_mut(&test.ada).unwrap().card = Card::Declined);
    changed.unwrap();
}

#[tokio::test]
async fn each_period_is_paid_for_when_the_clock_passes_it() {
    let test = stripe().await;
    let receiver = Receiver::start().await;
    test.stripe.add_endpoint(&receiver.url);
    let id = test.subscribed();
    test.stripe.settle().await;
    receiver.take();
    // Nobody calls: the clock alone does it. 1 January to 1 April.
    test.clock.advance_ms(90 * DAY_MS);
    test.stripe.settle().await;
    let mut letters: Vec<_> = receiver
        .take()
        .iter()
        .map(super::receiver::Letter::event)
        .collect();
    letters.sort_by_key(|event| event["created"].as_i64());
    let times: Vec<i64> = letters
        .iter()
        .filter(|event| event["type"] == "invoice.paid")
        .map(|event| (event["created"].as_i64().unwrap() - START) / 86_400)
        .collect();
    assert_eq!(times, [31, 59, 90]);
    assert_eq!(letters.len(), 9);
    let own = test.get(&format!("/v1/subscriptions/{id}")).await;
    assert_eq!(
        own["items"]["data"][0]["current_period_start"],
        START + 90 * 86_400
    );
    assert_eq!(
        test.get(&format!("/v1/invoices?subscription={id}")).await["data"]
            .as_array()
            .unwrap()
            .len(),
        4
    );
}

#[tokio::test]
async fn a_declined_card_is_tried_four_times_in_two_weeks() {
    let test = stripe().await;
    let id = test.subscribed();
    decline(&test);
    let before = test.stripe.events().len();
    test.clock.advance_ms(31 * DAY_MS);
    assert_eq!(test.status(&id).await, "past_due");
    for (days, status) in [(3, "past_due"), (4, "past_due"), (6, "past_due"), (1, "canceled")] {
        test.clock.advance_ms(days * DAY_MS);
        assert_eq!(test.status(&id).await, status);
    }
    let kinds = test.kinds_from(before);
    assert_eq!(
        kinds
            .iter()
            .filter(|kind| *kind == "invoice.payment_failed")
            .count(),
        4
    );
    assert_eq!(kinds.last().unwrap(), "customer.subscription.deleted");
    let own = test
        .get(&format!("/v1/subscriptions/{id}?expand[]=latest_invoice"))
        .await;
    assert_eq!(own["cancellation_details"]["reason"], "payment_failed");
    assert_eq!(
        (
            &own["latest_invoice"]["status"],
            &own["latest_invoice"]["attempt_count"]
        ),
        (&json!("open"), &json!(4))
    );
}

#[tokio::test]
async fn after_the_last_try_it_is_unpaid_if_the_account_says_so() {
    let test = stripe().await;
    let id = test.subscribed();
    decline(&test);
    test.stripe
        .change(|state| state.account.after_retries = AfterRetries::Unpaid)
        .unwrap();
    test.clock.advance_ms((31 + 14) * DAY_MS);
    assert_eq!(test.status(&id).await, "unpaid");
    // The next period is written down, and nobody is charged.
    test.clock.advance_ms(31 * DAY_MS);
    assert_eq!(test.status(&id).await, "unpaid");
    let drafts = test
        .stripe
        .state()
        .invoices
        .into_values()
        .filter(|one| one.status == InvoiceStatus::Draft);
    assert_eq!(drafts.count(), 1);
    test.stripe.mend_card(&test.ada);
    assert_eq!(test.status(&id).await, "active");
    assert!(
        test.stripe
            .state()
            .invoices
            .values()
            .all(|one| one.status == InvoiceStatus::Paid)
    );
}

#[tokio::test]
async fn a_better_card_in_time_saves_it() {
    let test = stripe().await;
    let id = test.subscribed();
    decline(&test);
    test.clock.advance_ms(32 * DAY_MS);
    assert_eq!(test.status(&id).await, "past_due");
    test.stripe
        .change(|state| state.customers.get_mut(&test.ada).unwrap().card = Card::Good)
        .unwrap();
    assert_eq!(test.status(&id).await, "past_due");
    test.clock.advance_ms(3 * DAY_MS);
    assert_eq!(test.status(&id).await, "active");
}

#[tokio::test]
async fn a_test_clock_is_the_time_of_its_customers_only() {
    let test = stripe().await;
    let ada = test.subscribed();
    let clock = test
        .post("/v1/test_helpers/test_clocks", &format!("frozen_time={START}"))
        .await;
    let clock = clock["id"].as_str().unwrap();
    let customer = test.post("/v1/customers", &format!("test_clock={clock}")).await;
    let customer = customer["id"].as_str().unwrap();
    let made = test
        .stripe
        .subscribe(customer, &test.sold.pro.monthly, &[])
        .unwrap();
    let path = format!("/v1/test_helpers/test_clocks/{clock}");
    let moved = test
        .post(
            &format!("{path}/advance"),
            &format!("frozen_time={}", START + 31 * 86_400),
        )
        .await;
    assert_eq!(
        (&moved["status"], &test.get(&path).await["status"]),
        (&json!("advancing"), &json!("ready"))
    );
    let start = |id: String| {
        let test = &test;
        async move {
            let own = test.get(&format!("/v1/subscriptions/{id}")).await;
            (own["items"]["data"][0]["current_period_start"].as_i64().unwrap() - START) / 86_400
        }
    };
    assert_eq!((start(made.clone()).await, start(ada.clone()).await), (31, 0));
    // The other clock does not move it.
    test.clock.advance_ms(70 * DAY_MS);
    assert_eq!((start(made.clone()).await, start(ada).await), (31, 59));
    assert_eq!(
        test.refused(
            "POST",
            &format!("{path}/advance"),
            &format!("frozen_time={START}")
        )
        .await
        .0,
        400
    );
    let listed = test.get("/v1/customers").await;
    assert_eq!(listed["data"].as_array().unwrap().len(), 1);
    assert_eq!(test.call("DELETE", &path, &[], "").await.status, 200);
    assert_eq!(test.status(&made).await, "canceled");
}
