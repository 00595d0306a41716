//! Somebody buys a subscription.

use serde_json::json;

use super::world::{START, stripe};
use crate::support::{get, post_form};

#[tokio::test]
async fn paying_makes_one_subscription_and_leads_back() {
    let test = stripe().await;
    let before = test.stripe.events().len();
    let session = test.session().await;
    assert_eq!(
        (
            &session["status"],
            &session["payment_status"],
            &session["amount_total"]
        ),
        (&json!("open"), &json!("unpaid"), &json!(500))
    );
    let (id, url) = (session["id"].as_str().unwrap(), session["url"].as_str().unwrap());
    let page = get(url).await;
    assert!(page.text().contains("Symbolon Standard") && page.text().contains("$5.00 per month"));
    assert!(test.kinds_from(before).is_empty());
    let paid = post_form(url, "as=pay").await;
    let done = format!("http://127.0.0.1:8080/done?s={id}");
    assert_eq!((paid.status, paid.header("location")), (303, Some(done.as_str())));
    let kinds = [
        "customer.subscription.created",
        "invoice.created",
        "invoice.paid",
        "checkout.session.completed",
    ];
    assert_eq!(test.kinds_from(before), kinds);
    // The back button, and a second tab.
    assert_eq!(
        get(&format!("{url}?as=pay")).await.header("location"),
        Some(done.as_str())
    );
    assert!(get(url).await.text().contains("You have paid already."));
    assert_eq!(test.kinds_from(before).len(), 4);

    let after = test.get(&format!("/v1/checkout/sessions/{id}")).await;
    assert_eq!(
        (&after["status"], &after["payment_status"], &after["url"]),
        (&json!("complete"), &json!("paid"), &json!(null))
    );
    let subscription = test
        .get(&format!(
            "/v1/subscriptions/{}",
            after["subscription"].as_str().unwrap()
        ))
        .await;
    assert_eq!(subscription["metadata"], json!({"org": "7"}));
    assert_eq!(subscription["customer"], test.ada.as_str());
    let item = &subscription["items"]["data"][0];
    assert_eq!(item["price"]["id"], test.sold.standard.monthly.as_str());
    assert_eq!(item["current_period_start"], START);
    // 1 February 2026.
    assert_eq!(item["current_period_end"], START + 31 * 86_400);
}

#[tokio::test]
async fn who_cancels_or_is_declined_pays_nothing() {
    let test = stripe().await;
    let session = test.session().await;
    let url = session["url"].as_str().unwrap();
    let before = test.stripe.events().len();
    let cancelled = get(&format!("{url}?as=cancel")).await;
    assert_eq!(cancelled.header("location"), Some("http://127.0.0.1:8080/plans"));
    let declined = get(&format!("{url}?as=decline")).await;
    assert_eq!(declined.status, 402);
    assert!(declined.text().contains("Your card was declined"));
    test.stripe
        .change(|state| state.customers.get_mut(&test.ada).unwrap().card = emulator::stripe::Card::Declined)
        .unwrap();
    assert_eq!(get(&format!("{url}?as=pay")).await.status, 402);
    assert_eq!(test.stripe.events().len(), before);
    assert!(test.stripe.state().subscriptions.is_empty());
}

#[tokio::test]
async fn a_session_expires_by_the_clock_or_on_demand() {
    let test = stripe().await;
    let session = test.session().await;
    let other = test.session().await;
    let path = format!("/v1/checkout/sessions/{}", session["id"].as_str().unwrap());
    let expired = test.post(&format!("{path}/expire"), "").await;
    assert_eq!(
        (&expired["status"], &expired["url"]),
        (&json!("expired"), &json!(null))
    );
    assert_eq!(test.refused("POST", &format!("{path}/expire"), "").await.0, 400);
    let page = get(&format!("{}?as=pay", session["url"].as_str().unwrap())).await;
    assert!(page.text().contains("expired") && page.header("location").is_none());
    test.clock.advance_ms(24 * 3_600_000);
    let page = get(other["url"].as_str().unwrap()).await;
    assert!(page.text().contains("expired"));
    assert!(test.stripe.state().subscriptions.is_empty());
    let told = test.get("/v1/events?type=checkout.session.expired").await;
    assert_eq!(told["data"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn a_trial_costs_nothing_until_it_ends() {
    let test = stripe().await;
    let form = format!(
        "mode=subscription&customer={}&line_items[0][price]={}&success_url=http://127.0.0.1:8080/done\
         &subscription_data[trial_period_days]=14",
        test.ada, test.sold.pro.monthly
    );
    let session = test.post("/v1/checkout/sessions", &form).await;
    test.stripe.pay(session["id"].as_str().unwrap()).unwrap();
    let listed = test
        .get(&format!("/v1/subscriptions?customer={}", test.ada))
        .await;
    let subscription = &listed["data"][0];
    assert_eq!(
        (&subscription["status"], &subscription["trial_end"]),
        (&json!("trialing"), &json!(START + 14 * 86_400))
    );
    test.clock.advance_ms(14 * super::world::DAY_MS);
    assert_eq!(test.status(subscription["id"].as_str().unwrap()).await, "active");
    let invoices = test.get("/v1/invoices").await;
    let totals: Vec<_> = invoices["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["total"].clone())
        .collect();
    assert_eq!(totals, [1_000, 0]);
}

#[tokio::test]
async fn a_session_that_makes_no_sense_is_refused() {
    let test = stripe().await;
    let good = format!(
        "mode=subscription&line_items[0][price]={}&success_url=http://127.0.0.1/x",
        test.sold.standard.monthly
    );
    for (more, param) in [
        ("&mode=payment", "mode"),
        ("&customer=cus_nobody", "customer"),
        ("&success_url=javascript:alert(1)", "success_url"),
        ("&line_items[0][price]=price_none", "line_items[0][price]"),
        ("&line_items[0][quantity]=0", "line_items[0][quantity]"),
        ("&expires_at=1767225700", "expires_at"),
        ("&colour=red", "colour"),
    ] {
        let (status, error) = test
            .refused("POST", "/v1/checkout/sessions", &format!("{good}{more}"))
            .await;
        assert_eq!((status, error["param"].as_str()), (400, Some(param)), "{error}");
    }
    let (status, error) = test
        .refused("POST", "/v1/checkout/sessions", "mode=subscription")
        .await;
    assert_eq!((status, &error["code"]), (400, &json!("parameter_missing")));
    // Nobody named: the customer is made when they pay.
    let session = test.post("/v1/checkout/sessions", &good).await;
    assert_eq!(session["customer"], json!(null));
    test.stripe.pay(session["id"].as_str().unwrap()).unwrap();
    assert_eq!(test.stripe.state().customers.len(), 2);
}
