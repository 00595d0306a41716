//! The customer portal.

use emulator::stripe::Card;
use serde_json::json;

use super::world::{DAY_MS, StripeTest, stripe};
use crate::support::{Reply, get, post_form};

async fn open(test: &StripeTest, more: &str) -> String {
    let form = format!(
        "customer={}&return_url=http://127.0.0.1:8080/billing{more}",
        test.ada
    );
    let session = test.post("/v1/billing_portal/sessions", &form).await;
    session["url"].as_str().unwrap().to_owned()
}

async fn press(url: &str, subscription: &str, rest: &str) -> Reply {
    post_form(url, &format!("subscription={subscription}&{rest}")).await
}

#[tokio::test]
async fn customers_change_cancel_and_resume() {
    let test = stripe().await;
    let id = test.subscribed();
    let url = open(&test, "").await;
    let page = get(&url).await;
    for word in [
        "Symbolon Standard",
        "Renews on 2026-02-01",
        "http://127.0.0.1:8080/billing",
        "Invoices",
        "$5.00",
    ] {
        assert!(page.text().contains(word), "{word}: {}", page.text());
    }
    let form = format!("do=switch&price={}", test.sold.pro.monthly);
    assert_eq!(press(&url, &id, &form).await.status, 303);
    assert!(
        get(&url)
            .await
            .text()
            .contains("Symbolon Pro, $10.00 per month</h2>")
    );
    press(&url, &id, "do=cancel").await;
    assert!(get(&url).await.text().contains("Ends on 2026-02-01"));
    press(&url, &id, "do=resume").await;
    assert!(get(&url).await.text().contains("Renews on 2026-02-01"));
    let own = test.get(&format!("/v1/subscriptions/{id}")).await;
    assert_eq!(
        (&own["status"], &own["cancel_at_period_end"]),
        (&json!("active"), &json!(false))
    );
    assert_eq!(
        own["items"]["data"][0]["price"]["id"],
        test.sold.pro.monthly.as_str()
    );
}

#[tokio::test]
async fn a_card_is_mended_and_the_debt_paid() {
    let test = stripe().await;
    let id = test.subscribed();
    let url = open(&test, "").await;
    post_form(&url, "do=bad_card").await;
    assert_eq!(test.stripe.state().customers[&test.ada].card, Card::Declined);
    test.clock.advance_ms(31 * DAY_MS);
    assert_eq!(test.status(&id).await, "past_due");
    let url = open(&test, "&flow_data[type]=payment_method_update").await;
    assert!(get(&url).await.text().contains("The last payment failed"));
    post_form(&url, "do=card").await;
    assert_eq!(test.status(&id).await, "active");
    let kinds = test.kinds_from(0);
    assert_eq!(
        kinds[kinds.len() - 3..],
        [
            "customer.updated",
            "invoice.paid",
            "customer.subscription.updated"
        ]
    );
}

#[tokio::test]
async fn nobody_touches_what_is_not_theirs_or_not_allowed() {
    let test = stripe().await;
    let own = test.subscribed();
    let bruno = test.stripe.add_customer("bruno@example.com");
    let other = test
        .stripe
        .subscribe(&bruno, &test.sold.pro.monthly, &[])
        .unwrap();
    let url = open(&test, "").await;
    assert!(!get(&url).await.text().contains(&other));
    let before = test.stripe.events().len();
    let refused = press(&url, &other, "do=cancel").await;
    assert!(
        get(&test.url(refused.header("location").unwrap()))
            .await
            .text()
            .contains("not one of your")
    );
    // Not at once, unless the configuration says so; and only to what it offers.
    press(&url, &own, "do=cancel_now").await;
    press(&url, &own, "do=switch&price=price_none").await;
    press(&url, &own, "do=explode").await;
    assert_eq!(test.stripe.events().len(), before);
    let form = format!(
        "features[subscription_update][enabled]=true&features[subscription_update][default_allowed_updates][]=price\
         &features[subscription_update][products][0][product]={}&features[subscription_update][products][0][prices][]={}\
         &features[subscription_cancel][enabled]=true&features[subscription_cancel][mode]=immediately",
        test.sold.pro.product, test.sold.pro.monthly
    );
    let configuration = test.post("/v1/billing_portal/configurations", &form).await;
    let id = configuration["id"].as_str().unwrap();
    let url = open(&test, &format!("&configuration={id}")).await;
    let page = get(&url).await;
    assert!(
        page.text().contains(&test.sold.pro.monthly) && !page.text().contains(&test.sold.custom_bot.monthly)
    );
    assert!(!page.text().contains("Payment method") && !page.text().contains("Invoices"));
    let elsewhere = format!("do=switch&price={}", test.sold.custom_bot.monthly);
    press(&url, &own, &elsewhere).await;
    post_form(&url, "do=bad_card").await;
    assert_eq!(test.stripe.events().len(), before);
    press(&url, &own, "do=cancel_now").await;
    assert_eq!(test.status(&own).await, "canceled");
}

#[tokio::test]
async fn a_flow_is_about_one_thing_and_leads_on() {
    let test = stripe().await;
    let id = test.subscribed();
    let second = test
        .stripe
        .subscribe(&test.ada, &test.sold.custom_bot.monthly, &[])
        .unwrap();
    let flow = format!(
        "&flow_data[type]=subscription_cancel&flow_data[subscription_cancel][subscription]={id}\
         &flow_data[after_completion][type]=redirect\
         &flow_data[after_completion][redirect][return_url]=http://127.0.0.1:8080/bye"
    );
    let url = open(&test, &flow).await;
    let page = get(&url).await;
    assert!(
        page.text().contains(&id) && !page.text().contains(&second) && !page.text().contains("Change to")
    );
    press(&url, &second, "do=cancel").await;
    press(&url, &id, &format!("do=switch&price={}", test.sold.pro.monthly)).await;
    let done = press(&url, &id, "do=cancel").await;
    assert_eq!(done.header("location"), Some("http://127.0.0.1:8080/bye"));
    let state = test.stripe.state();
    let ends = |id: &str| state.subscriptions[id].cancel_at.is_some();
    assert!(ends(&id) && !ends(&second));
    let bruno = test.stripe.add_customer("bruno@example.com");
    let form = format!(
        "customer={bruno}&flow_data[type]=subscription_update&flow_data[subscription_update][subscription]={id}"
    );
    assert_eq!(
        test.refused("POST", "/v1/billing_portal/sessions", &form).await.0,
        400
    );
}

#[tokio::test]
async fn a_session_ends_unused_after_five_minutes_and_used_after_an_hour() {
    let test = stripe().await;
    let (unused, used) = (open(&test, "").await, open(&test, "").await);
    assert_eq!(get(&used).await.status, 200);
    test.clock.advance_ms(5 * 60_000);
    assert_eq!((get(&unused).await.status, get(&used).await.status), (404, 200));
    test.clock.advance_ms(55 * 60_000);
    assert_eq!(get(&used).await.status, 404);
    assert_eq!(post_form(&used, "do=bad_card").await.status, 404);
    assert_eq!(test.stripe.state().customers[&test.ada].card, Card::Good);
}

#[tokio::test]
async fn only_classic_subscriptions_are_told_to_end_with_the_period() {
    let test = stripe().await;
    for (mode, classic) in [("flexible", false), ("classic", true)] {
        let form = format!(
            "customer={}&items[0][price]={}&billing_mode[type]={mode}",
            test.ada, test.sold.standard.monthly
        );
        let made = test.post("/v1/subscriptions", &form).await;
        assert_eq!(made["billing_mode"]["type"], mode);
        let id = made["id"].as_str().unwrap();
        press(&open(&test, "").await, id, "do=cancel").await;
        let own = test.get(&format!("/v1/subscriptions/{id}")).await;
        assert_eq!(own["cancel_at_period_end"], classic, "{mode}");
        assert_eq!(own["cancel_at"], own["items"]["data"][0]["current_period_end"]);
    }
    // Other changes leave that alone.
    let changed = test.stripe.change(|state| {
        for own in state.subscriptions.values_mut() {
            own.metadata.insert("a".to_owned(), "b".to_owned());
        }
    });
    changed.unwrap();
    test.clock.advance_ms(31 * DAY_MS);
    let listed = test.get("/v1/subscriptions?status=canceled").await;
    assert_eq!(listed["data"].as_array().unwrap().len(), 2);
}
