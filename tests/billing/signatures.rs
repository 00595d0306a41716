//! No event without a valid signature changes anything, and none with one is turned away.

use domain::random::{Random, SeededRandom, bytes};
use emulator::Stripe;
use serde_json::json;
use testkit::{Client, Engine, PREVIOUS_SECRET, Reply, WEBHOOK_SECRET, both_databases, rounds};

use super::shop::{Shop, assert_said};

async fn send(node: &Client, header: Option<&[u8]>, body: &str) -> Reply {
    let mut node = node.clone();
    if let Some(header) = header {
        node = node.header_bytes("stripe-signature", header);
    }
    node.post("/billing/webhook", body).await
}

fn below(random: &dyn Random, end: usize) -> usize {
    usize::from(u16::from_be_bytes(bytes::<2>(random))) % end
}

/// A header or a body that Stripe did not make, and what was done to it.
fn mutated(random: &dyn Random, at: i64, body: &str) -> (Option<Vec<u8>>, String, &'static str) {
    let good = Stripe::sign_with(WEBHOOK_SECRET, at, body);
    let code = good.split("v1=").nth(1).expect("a code").to_owned();
    let mut bytes_of_header = good.clone().into_bytes();
    match below(random, 10) {
        0 => {
            let digits = bytes_of_header.len() - 64;
            let place = digits + below(random, 64);
            bytes_of_header[place] = if bytes_of_header[place] == b'0' {
                b'1'
            } else {
                b'0'
            };
            (Some(bytes_of_header), body.to_owned(), "a digit of the code")
        }
        1 => {
            let mut changed = body.to_owned();
            let place = (0..body.len())
                .cycle()
                .skip(below(random, body.len()))
                .find(|at| body.is_char_boundary(*at));
            changed.insert(place.expect("a place"), ' ');
            (Some(bytes_of_header), changed, "a byte more")
        }
        2 => (
            Some(bytes_of_header),
            body[..body.len() - 1].to_owned(),
            "a byte less",
        ),
        3 => {
            let old = Stripe::sign_with(WEBHOOK_SECRET, at - 301 - below(random, 9_999) as i64, body);
            (Some(old.into_bytes()), body.to_owned(), "too old")
        }
        4 => {
            let early = Stripe::sign_with(WEBHOOK_SECRET, at + 301 + below(random, 9_999) as i64, body);
            (Some(early.into_bytes()), body.to_owned(), "from the future")
        }
        5 => (
            Some(Stripe::sign_with("whsec_other", at, body).into_bytes()),
            body.to_owned(),
            "another secret",
        ),
        6 => (
            Some(format!("t={},v1={code}", at - 1).into_bytes()),
            body.to_owned(),
            "another time",
        ),
        7 => (
            Some(format!("t={at},v0={code}").into_bytes()),
            body.to_owned(),
            "another scheme",
        ),
        8 => (None, body.to_owned(), "no header"),
        _ => {
            let cut = below(random, bytes_of_header.len() - 1);
            bytes_of_header.truncate(cut);
            (Some(bytes_of_header), body.to_owned(), "cut off")
        }
    }
}

both_databases! {
    async fn no_mutated_request_is_taken_and_no_valid_one_refused(engine) {
        let shop = Shop::open(engine).await;
        shop.buy("pro", "month").await;
        let event = shop.told().into_iter().find(|event| event["type"] == "customer.subscription.created").unwrap();
        let (body, at) = (event.to_string(), shop.test.app.now_ms() / 1_000);
        let random = SeededRandom::new(11);
        // Signed, and of a type with which nothing is done.
        let harmless = json!({ "id": "evt_harmless", "type": "invoice.paid" }).to_string();
        let signed = Stripe::sign_with(WEBHOOK_SECRET, at, &harmless);
        for number in 0..rounds(500, 10_000) {
            // Each from somewhere else, so that no limit answers in the place of the check.
            let node = shop.test.client().from(&format!("10.{}.{}.1", number / 250 % 250, number % 250));
            let (header, changed, what) = mutated(&random, at, &body);
            let reply = send(&node, header.as_deref(), &changed).await;
            assert_eq!(reply.status, 400, "{what}: {}", reply.text());
            assert_eq!(send(&node, Some(signed.as_bytes()), &harmless).await.status, 200, "after {what}");
        }
        assert_eq!(shop.test.db.count("stripe_events").await, 0);
        assert_eq!(shop.tier().await, "free");
        for age in [-300, 0, 300] {
            let header = Stripe::sign_with(WEBHOOK_SECRET, at + age, &body);
            assert_eq!(send(&shop.test.client(), Some(header.as_bytes()), &body).await.status, 200);
        }
        assert_eq!(shop.tier().await, "pro");
        shop.close().await;
    }

    async fn whoever_sends_without_a_secret_is_slowed_down_and_keeps_no_event_of_their_network_away(engine) {
        let shop = Shop::open(engine).await;
        shop.buy("pro", "month").await;
        let event = shop.told().into_iter().find(|event| event["type"] == "customer.subscription.created").unwrap();
        let (body, at) = (event.to_string(), shop.test.app.now_ms() / 1_000);
        let node = shop.test.client().from("10.9.9.9");
        let forged = Stripe::sign_with("whsec_other", at, &body);
        let mut answers = Vec::new();
        for _ in 0..100 {
            answers.push(send(&node, Some(forged.as_bytes()), &body).await.status.as_u16());
        }
        answers.dedup();
        assert_eq!(answers, [400, 429]);
        let signed = Stripe::sign_with(WEBHOOK_SECRET, at, &body);
        assert_eq!(send(&node, Some(signed.as_bytes()), &body).await.status, 200);
        assert_eq!(shop.tier().await, "pro");
        shop.close().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn while_a_secret_is_replaced_either_is_enough() {
    let shop = Shop::open(Engine::Sqlite).await;
    let (body, at) = ("{}".to_owned(), shop.test.app.now_ms() / 1_000);
    let own = Stripe::sign_with(WEBHOOK_SECRET, at, &body);
    let (time, code) = own.split_once(',').expect("a code");
    // Stripe signs with both: ours may stand first or last.
    let other = Stripe::sign_with("whsec_next", at, &body);
    let other = other.split_once(',').expect("a code").1;
    let previous = Stripe::sign_with(PREVIOUS_SECRET, at, &body);
    for header in [
        format!("{time},{code},{other}"),
        format!("{time},{other},{code}"),
        previous,
    ] {
        let reply = send(&shop.test.client(), Some(header.as_bytes()), &body).await;
        assert_said(&reply, 400, "INVALID_PARAMETER");
        assert!(
            reply.text().contains("event"),
            "the signature fits, and what it signs is no event: {}",
            reply.text()
        );
    }
    shop.close().await;
}
