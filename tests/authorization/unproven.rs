//! Programs that prove nothing: what is read of them, and how often they may try.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;

use axum::body::{Body, Bytes};
use futures_util::future::join_all;
use futures_util::{FutureExt, StreamExt, stream};
use http::Method;
use testkit::{Client, Engine, TestApp, both_databases};

use super::programs::{DEDICATED, DEDICATED_ID, PLATFORM, SECRETS, SENT, service, signed, tell};
use crate::plugin::support::limit;

/// Status and code of a request, and whether anybody looked into its body.
async fn watched(client: &Client, path: &str, signature: &str) -> (u16, String, bool) {
    let was_read = Arc::new(AtomicBool::new(false));
    let read = Arc::clone(&was_read);
    let body = stream::poll_fn(move |_| {
        read.store(true, Ordering::SeqCst);
        Poll::Ready(None::<Result<Bytes, Infallible>>)
    });
    let sender = client.clone().header("x-signature", signature);
    let reply = sender.send(Method::POST, path, Body::from_stream(body)).await;
    (
        reply.status.as_u16(),
        reply.code(),
        was_read.load(Ordering::SeqCst),
    )
}

/// So much of a body, and then nothing more.
fn stuck(bytes: usize) -> Body {
    let first = stream::iter([Ok::<_, Infallible>(Bytes::from(vec![b'x'; bytes]))]);
    Body::from_stream(first.chain(stream::pending()))
}

async fn small(engine: Engine) -> TestApp {
    let change = |limits: &mut app::memories::gate::Limits| {
        limits.unknown_keys = limit(1, 3);
        limits.pro = limit(1, 5);
    };
    TestApp::start_with(engine, change, |_| {}).await
}

fn bot(client: &Client, secret: &str, id: &str) -> Client {
    let bearer = format!("Bearer {secret}");
    client
        .clone()
        .header("authorization", &bearer)
        .header("x-bot-id", id)
}

both_databases! {
    async fn nothing_is_read_of_a_body_that_is_refused_by_its_head(engine) {
        let test = TestApp::start(engine).await;
        let (client, _) = service(&test);
        let now_s = test.app.now_ms() / 1000;
        let (good, old) = (signed(SECRETS[1], now_s, SENT), signed(SECRETS[1], now_s - 301, SENT));
        for (path, signature, is_read) in [("/not-set-up", &*good, false), ("/told", "", false), ("/told", &*old, false), ("/told", &*good, true)] {
            let told = watched(&client, path, signature).await;
            assert_eq!(told, (400, "INVALID_PARAMETER".to_owned(), is_read), "{path} with {signature}");
        }
        test.finish().await;
    }

    async fn unproven_bodies_of_one_network_leave_room_for_those_of_others(engine) {
        let test = TestApp::start(engine).await;
        let (client, _) = service(&test);
        let now_s = test.app.now_ms() / 1000;
        let good = signed(SECRETS[1], now_s, SENT);
        let crowd = client.clone().from("198.51.100.1").header("x-signature", &good);
        let mut waiting: Vec<_> = (0..10).map(|_| crowd.send(Method::POST, "/told", stuck(200 * 1024)).boxed()).collect();
        // Each is asked once: those that found room wait for the rest of their body.
        let answered: Vec<Option<u16>> = waiting.iter_mut().map(|one| one.now_or_never().map(|reply| reply.status.as_u16())).collect();
        assert_eq!(answered.iter().filter(|one| one.is_none()).count(), 4, "{answered:?}");
        assert!(answered.iter().flatten().all(|status| *status == 503), "{answered:?}");
        let neighbour = tell(&client.clone().from("198.51.100.2"), "/told", &good, SENT).await;
        assert_eq!((neighbour.status.as_u16(), neighbour.code().as_str()), (503, "OVERLOADED"));
        let elsewhere = client.clone().from("203.0.113.1");
        assert_eq!(tell(&elsewhere, "/told", &good, SENT).await.status, 204);
        drop(waiting);
        assert_eq!(tell(&client.clone().from("198.51.100.2"), "/told", &good, SENT).await.status, 204);
        test.finish().await;
    }

    async fn signatures_that_do_not_fit_are_counted_and_good_ones_pass_all_the_same(engine) {
        let test = small(engine).await;
        let (client, _) = service(&test);
        let now_s = test.app.now_ms() / 1000;
        let (good, bad) = (signed(SECRETS[1], now_s, SENT), signed(b"another", now_s, SENT));
        let network = client.clone().from("198.51.100.1");
        for why in ["", "t=1", "nothing of ours"] {
            assert_eq!(tell(&network, "/told", why, SENT).await.status, 400, "no proof is no try");
        }
        for _ in 0..3 {
            assert_eq!(tell(&network, "/told", &bad, SENT).await.status, 400);
        }
        let limited = tell(&network, "/told", &bad, SENT).await;
        assert_eq!((limited.status.as_u16(), limited.code().as_str()), (429, "RATE_LIMITED"));
        assert!(limited.header("retry-after").is_some());
        assert_eq!(tell(&network, "/told", &good, SENT).await.status, 204);
        assert_eq!(tell(&client.clone().from("203.0.113.1"), "/told", &bad, SENT).await.status, 400);
        test.finish().await;
    }

    async fn unknown_secrets_are_counted_and_known_bots_have_a_bucket_each(engine) {
        let test = small(engine).await;
        let (client, _) = service(&test);
        let network = client.clone().from("198.51.100.1");
        let unknown = DEDICATED.replace('1', "2");
        let statuses = async |caller: Client, times: usize| {
            let replies = join_all((0..times).map(|_| caller.get("/bot/any"))).await;
            replies.iter().map(|reply| reply.status.as_u16()).collect::<Vec<u16>>()
        };
        // Missing and malformed ones are no tries.
        assert_eq!(statuses(network.clone(), 5).await, [401; 5]);
        assert_eq!(statuses(bot(&network, &unknown[1..], DEDICATED_ID), 5).await, [401; 5]);
        assert_eq!(statuses(bot(&network, &unknown, DEDICATED_ID), 5).await, [401, 401, 401, 429, 429]);
        assert_eq!(statuses(bot(&client.clone().from("203.0.113.1"), &unknown, DEDICATED_ID), 1).await, [401]);
        let known = bot(&network, DEDICATED, DEDICATED_ID);
        assert_eq!(statuses(known.clone(), 7).await, [204, 204, 204, 204, 204, 429, 429]);
        assert!(known.get("/bot/any").await.header("retry-after").is_some());
        assert_eq!(statuses(bot(&network, PLATFORM, "platform"), 1).await, [204]);
        test.finish().await;
    }
}
