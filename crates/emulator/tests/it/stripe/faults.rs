//! Webhooks that go wrong on demand.

use std::time::{Duration, Instant};

use emulator::stripe::{Progress, WEBHOOK};
use emulator::{Fault, FaultKind};
use serde_json::json;

use super::receiver::Receiver;
use super::world::{StripeTest, stripe};
use crate::support::{send_json, steam};

async fn with_receiver() -> (StripeTest, Receiver) {
    let (test, receiver) = (stripe().await, Receiver::start().await);
    test.stripe.add_endpoint(&receiver.url);
    (test, receiver)
}

/// Some customers, one after the other, and what the receiver got of them.
async fn names(test: &StripeTest, receiver: &Receiver, count: usize) -> Vec<usize> {
    for number in 0..count {
        test.stripe.add_customer(&format!("{number}@example.com"));
    }
    test.stripe.settle().await;
    let letters = receiver.take().into_iter();
    let emails = letters.map(|letter| {
        letter.event()["data"]["object"]["email"]
            .as_str()
            .unwrap()
            .to_owned()
    });
    emails
        .map(|email| email.split('@').next().unwrap().parse().unwrap())
        .collect()
}

#[tokio::test]
async fn a_duplicate_comes_twice() {
    let (test, receiver) = with_receiver().await;
    test.stripe
        .hub()
        .add_fault(Fault::new(WEBHOOK, FaultKind::Duplicate).times(1));
    let mut got = names(&test, &receiver, 3).await;
    got.sort_unstable();
    assert_eq!(got, [0, 0, 1, 2]);
    // For all that comes, too.
    test.stripe.hub().add_fault(Fault::new("*", FaultKind::Duplicate));
    assert_eq!(names(&test, &receiver, 5).await.len(), 10);
    let all = test.get("/v1/events?delivery_success=false").await;
    assert_eq!(
        all["data"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|event| event["pending_webhooks"] != 0)
            .count(),
        0
    );
}

#[tokio::test]
async fn a_batch_comes_in_another_order_that_the_seed_decides() {
    let run = || async {
        let (test, receiver) = with_receiver().await;
        test.stripe
            .hub()
            .add_fault(Fault::new(WEBHOOK, FaultKind::Reorder).times(6));
        names(&test, &receiver, 6).await
    };
    let first = run().await;
    let mut sorted = first.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, [0, 1, 2, 3, 4, 5]);
    assert_ne!(first, sorted);
    assert_eq!(run().await, first);
}

#[tokio::test]
async fn what_is_held_goes_out_when_nothing_more_comes() {
    let (test, receiver) = with_receiver().await;
    test.stripe
        .hub()
        .add_fault(Fault::new(WEBHOOK, FaultKind::Reorder).times(100));
    assert_eq!(names(&test, &receiver, 2).await, [1, 0]);
    // Without anybody who waits for it, too.
    test.stripe.add_customer("7@example.com");
    let begun = Instant::now();
    while receiver.take().is_empty() {
        assert!(begun.elapsed() < Duration::from_secs(10));
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn what_is_dropped_never_comes_and_stays_in_the_list() {
    let (test, receiver) = with_receiver().await;
    test.stripe
        .hub()
        .add_fault(Fault::new(WEBHOOK, FaultKind::Drop).times(1));
    assert_eq!(names(&test, &receiver, 2).await, [1]);
    test.clock.advance_ms(4 * super::world::DAY_MS);
    test.stripe.settle().await;
    assert!(receiver.take().is_empty());
    let lost = test.get("/v1/events?delivery_success=false").await;
    assert_eq!(lost["data"][0]["data"]["object"]["email"], "0@example.com");
    assert_eq!(lost["data"].as_array().unwrap().len(), 1);
    let states: Vec<Progress> = test.stripe.deliveries().iter().map(|one| one.state).collect();
    assert_eq!(states, [Progress::Dropped, Progress::Delivered]);
}

#[tokio::test]
async fn a_slow_one_is_overtaken() {
    let (test, receiver) = with_receiver().await;
    let mut fault = Fault::new(WEBHOOK, FaultKind::Slow).times(1);
    fault.delay_ms = Some(300);
    test.stripe.hub().add_fault(fault);
    let begun = Instant::now();
    assert_eq!(names(&test, &receiver, 2).await, [1, 0]);
    assert!(begun.elapsed() >= Duration::from_millis(300));
}

#[tokio::test]
async fn an_answer_that_is_lost_or_a_refusal_means_another_try() {
    let (test, receiver) = with_receiver().await;
    for (kind, first) in [
        (FaultKind::Lost, 1),
        (FaultKind::Error500, 0),
        (FaultKind::RateLimit, 0),
    ] {
        test.stripe.hub().add_fault(Fault::new(WEBHOOK, kind).times(1));
        assert_eq!(names(&test, &receiver, 1).await.len(), first, "{kind:?}");
        test.clock.advance_ms(300_000);
        test.stripe.settle().await;
        assert_eq!(receiver.take().len(), 1, "{kind:?}");
    }
}

#[tokio::test]
async fn garbage_does_not_carry_its_own_signature() {
    let (test, receiver) = with_receiver().await;
    let mut fault = Fault::new(WEBHOOK, FaultKind::Garbage).times(1);
    fault.body = Some("{\"id\":\"evt_forged\"}".to_owned());
    test.stripe.hub().add_fault(fault);
    test.stripe.add_customer("bruno@example.com");
    test.stripe.settle().await;
    let letter = receiver.take().remove(0);
    assert_eq!(letter.id(), "evt_forged");
    assert_ne!(letter.signature, test.stripe.sign(&letter.body));
}

#[tokio::test]
async fn faults_of_the_sender_are_only_for_senders() {
    let (test, receiver) = with_receiver().await;
    let url = format!("{}/faults", test.stripe.control_url());
    for (fault, status) in [
        (json!({"route": WEBHOOK, "fault": "reorder", "times": 2}), 201),
        (json!({"route": "*", "fault": "duplicate"}), 201),
        (json!({"route": "GET /v1/account", "fault": "duplicate"}), 400),
        (json!({"route": "WEBHOOK", "fault": "drop"}), 400),
    ] {
        assert_eq!(send_json("POST", &url, &fault).await.status, status, "{fault}");
    }
    // A fault of all routes is one of all calls, not of what is sent.
    test.stripe.hub().remove_faults();
    test.stripe
        .hub()
        .add_fault(Fault::new("*", FaultKind::Error500).times(1));
    assert_eq!(names(&test, &receiver, 1).await, [0]);
    assert_eq!(test.refused("GET", "/v1/account", "").await.0, 500);
    let steam = steam().await;
    let url = format!("{}/faults", steam.steam.control_url());
    assert_eq!(
        send_json("POST", &url, &json!({"route": "*", "fault": "duplicate"}))
            .await
            .status,
        400
    );
}

#[tokio::test]
async fn whatever_goes_wrong_everything_arrives_in_the_end() {
    let (test, receiver) = with_receiver().await;
    let faults = [
        (FaultKind::Duplicate, 10),
        (FaultKind::Reorder, 10),
        (FaultKind::Slow, 10),
        (FaultKind::Error500, 10),
        (FaultKind::Lost, 10),
    ];
    for (kind, percent) in faults {
        let mut fault = Fault::new(WEBHOOK, kind);
        fault.percent = Some(percent);
        fault.delay_ms = Some(20);
        test.stripe.hub().add_fault(fault);
    }
    let before = test.stripe.events().len();
    for number in 0..300 {
        test.stripe.add_customer(&format!("{number}@example.com"));
    }
    // As long as retries last, and a day more.
    for _ in 0..(4 * 24) {
        test.stripe.settle().await;
        test.clock.advance_ms(3_600_000);
    }
    let letters: Vec<String> = receiver.take().iter().map(super::receiver::Letter::id).collect();
    let told: Vec<String> = test
        .stripe
        .events()
        .into_iter()
        .skip(before)
        .map(|event| event.0)
        .collect();
    assert!(letters.len() > told.len());
    assert!(told.iter().all(|id| letters.contains(id)));
    assert_ne!(letters[..100], told[..100]);
    let undelivered = test
        .get("/v1/events?delivery_success=false&type=customer.created")
        .await;
    assert_eq!(
        undelivered["data"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|event| event["pending_webhooks"] != 0)
            .count(),
        0
    );
}
