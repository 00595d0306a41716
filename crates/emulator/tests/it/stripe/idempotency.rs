//! The same request again.

use emulator::{Fault, FaultKind};
use serde_json::json;

use super::world::{DAY_MS, stripe};
use crate::support::send;

#[tokio::test]
async fn a_repeated_key_gets_the_first_answer_for_a_day() {
    let test = stripe().await;
    let create = |key: &'static str, body: &'static str| {
        let headers = [("idempotency-key", key)];
        let test = &test;
        async move { test.call("POST", "/v1/customers", &headers, body).await }
    };
    let first = create("k1", "email=a@example.com").await;
    let second = create("k1", "email=a@example.com").await;
    assert_eq!(first.body, second.body);
    assert_eq!(first.header("idempotent-replayed"), None);
    assert_eq!(second.header("idempotent-replayed"), Some("true"));
    assert_eq!(second.header("request-id"), first.header("request-id"));
    let other = create("k1", "email=b@example.com").await;
    assert_eq!(
        (other.status, &other.json()["error"]["type"]),
        (400, &json!("idempotency_error"))
    );
    assert_ne!(
        create("k2", "email=a@example.com").await.json()["id"],
        first.json()["id"]
    );
    test.clock.advance_ms(DAY_MS);
    assert_ne!(
        create("k1", "email=a@example.com").await.json()["id"],
        first.json()["id"]
    );
    assert_eq!(test.stripe.state().customers.len(), 4);
}

#[tokio::test]
async fn a_request_that_was_refused_can_be_mended_under_the_same_key() {
    let test = stripe().await;
    let headers = [("idempotency-key", "k1")];
    let wrong = test.call("POST", "/v1/customers", &headers, "email=nobody").await;
    assert_eq!(wrong.status, 400);
    let right = test
        .call("POST", "/v1/customers", &headers, "email=a@example.com")
        .await;
    assert_eq!(right.status, 200);
}

#[tokio::test]
async fn a_second_request_during_the_first_is_sent_away() {
    let test = stripe().await;
    let mut fault = Fault::new("POST /v1/customers", FaultKind::Slow).times(1);
    fault.delay_ms = Some(600_000);
    test.stripe.hub().add_fault(fault);
    let headers = [("idempotency-key", "k1")];
    let first = test.call("POST", "/v1/customers", &headers, "email=a@example.com");
    let second = async {
        while test.stripe.hub().count("POST /v1/customers") == 0 {
            tokio::task::yield_now().await;
        }
        let second = test
            .call("POST", "/v1/customers", &headers, "email=a@example.com")
            .await;
        test.stripe.hub().remove_faults();
        second
    };
    let (first, second) = tokio::join!(first, second);
    assert_eq!((first.status, second.status), (200, 409));
    assert_eq!(second.json()["error"]["code"], "idempotency_key_in_use");
    assert_eq!(test.stripe.hub().answers("POST /v1/customers", 409), 1);
    let third = test
        .call("POST", "/v1/customers", &headers, "email=a@example.com")
        .await;
    assert_eq!(third.json()["id"], first.json()["id"]);
}

#[tokio::test]
async fn an_answer_that_was_lost_is_given_to_who_asks_again() {
    let test = stripe().await;
    let fault = Fault::new("POST /v1/customers", FaultKind::Lost).times(1);
    test.stripe.hub().add_fault(fault);
    let bearer = format!("Bearer {}", test.stripe.secret_key());
    let headers = [
        ("authorization", bearer.as_str()),
        ("content-type", "application/x-www-form-urlencoded"),
        ("idempotency-key", "k1"),
    ];
    let (url, body) = (test.url("/v1/customers"), "email=a@example.com");
    assert!(send("POST", &url, &headers, body).await.is_err());
    let again = send("POST", &url, &headers, body).await.unwrap();
    assert_eq!(again.header("idempotent-replayed"), Some("true"));
    assert_eq!(test.stripe.state().customers.len(), 2);
}
