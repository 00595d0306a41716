//! Whose bodies are read, and what becomes of the others.

use std::future::ready;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::body::{Body, Bytes};
use domain::action::ActionSet;
use domain::plan::Tier;
use futures_util::{StreamExt, stream};
use http::Method;
use testkit::{Client, Engine, Reply, TestApp, both_databases};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::{Semaphore, oneshot};
use tokio::task::JoinSet;
use web::serve::{Limits, bind, serve};

use super::support::{assert_answer, assert_failure, limit, rate_of, revoke, set_active, stranger};

const COUNT: &str = "/api?action=count";
const FIND: &str = "/api?action=findBySteam&id=76561198000000000";
const CHUNK: usize = 512;

/// Sends a body of up to 256 KiB, bit by bit, and tells how much of it was taken.
async fn send(caller: &Client, uri: &str) -> (Reply, usize) {
    let taken = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&taken);
    let chunks = stream::iter((0..512).map(move |_| {
        counter.fetch_add(CHUNK, Ordering::Relaxed);
        io::Result::Ok(Bytes::from_static(&[b' '; CHUNK]))
    }));
    let reply = caller.send(Method::POST, uri, Body::from_stream(chunks)).await;
    (reply, taken.load(Ordering::Relaxed))
}

/// Callers who stop in the middle of their bodies until they are let go.
struct Held {
    callers: JoinSet<Reply>,
    rest: Arc<Semaphore>,
}

impl Held {
    fn nobody() -> Held {
        Held {
            callers: JoinSet::new(),
            rest: Arc::new(Semaphore::new(0)),
        }
    }

    /// One more caller, of whose body `bytes` are read when this returns.
    async fn add(&mut self, caller: &Client, bytes: usize) {
        let (asked, question) = oneshot::channel();
        let (caller, rest) = (caller.clone(), Arc::clone(&self.rest));
        let first = stream::once(ready(io::Result::Ok(Bytes::from(vec![b' '; bytes]))));
        let second = stream::once(async move {
            asked.send(()).expect("somebody waits");
            drop(rest.acquire().await);
            Ok(Bytes::from_static(b""))
        });
        let body = Body::from_stream(first.chain(second));
        self.callers
            .spawn(async move { caller.send(Method::POST, COUNT, body).await });
        question.await.expect("the rest of the body is asked for");
    }

    async fn let_go(self) -> Vec<Reply> {
        self.rest.close();
        self.callers.join_all().await
    }
}

both_databases! {
    async fn the_ninth_body_of_a_key_is_refused_at_once_and_another_key_is_served(engine) {
        let test = TestApp::start(engine).await;
        let (tenant, other) = (test.tenant(1, Tier::Free).await, test.tenant(2, Tier::Free).await);
        let (caller, neighbour) = (test.plugin(&tenant.key), test.plugin(&other.key));
        let mut held = Held::nobody();
        for _ in 0..8 {
            held.add(&caller, 100).await;
        }
        let (reply, taken) = send(&caller, FIND).await;
        assert_failure(&reply, 429, "RATE_LIMITED");
        assert!(reply.text().contains("No users"), "{}", reply.text());
        assert_eq!((taken, reply.header("retry-after")), (0, Some("1")));
        assert_eq!(rate_of(&reply).map(|(_, left, _)| left), Some(471));
        assert_answer(&caller.get(COUNT).await, 200, r#"{"Total":0}"#);
        assert_answer(&send(&neighbour, COUNT).await.0, 200, r#"{"Total":0}"#);
        let mut lefts = Vec::new();
        for reply in held.let_go().await {
            assert_answer(&reply, 200, r#"{"Total":0}"#);
            lefts.extend(rate_of(&reply).map(|(_, left, _)| left));
        }
        lefts.sort_unstable();
        assert_eq!(lefts, (472..480).collect::<Vec<_>>(), "each counted once, before its body");
        assert_answer(&send(&caller, COUNT).await.0, 200, r#"{"Total":0}"#);
        test.finish().await;
    }

    async fn what_is_kept_of_bodies_is_bounded_for_each_org_and_for_all(engine) {
        let test = TestApp::start(engine).await;
        let mut held = Held::nobody();
        let whole = " ".repeat(512 * 1024);
        // Each Org may have a tenth of what those before it left.
        for (number, most) in [(1, 12), (2, 11), (3, 10)] {
            let tenant = test.tenant(number, Tier::Pro).await;
            for bodies in [8, most - 8] {
                let (_, key) = test.custom_key(&tenant, ActionSet::ALL, true).await;
                for _ in 0..bodies {
                    held.add(&test.plugin(&key), 512 * 1024).await;
                }
            }
            // The share of the Org is used up, whatever key asks.
            let reply = test.plugin(&tenant.key).post(FIND, &whole).await;
            assert_failure(&reply, 503, "OVERLOADED");
            assert!(reply.text().contains("No users"), "{}", reply.text());
            assert_eq!(rate_of(&reply).map(|(_, left, _)| left), Some(11_999));
            assert_eq!(reply.header("retry-after"), Some("1"));
            assert_answer(&test.plugin(&tenant.key).get(COUNT).await, 200, r#"{"Total":0}"#);
        }
        let last = test.tenant(5, Tier::Free).await;
        assert_answer(&test.plugin(&last.key).post(COUNT, &whole).await, 200, r#"{"Total":0}"#);
        let replies = held.let_go().await;
        assert_eq!(replies.len(), 33);
        for reply in replies {
            assert_answer(&reply, 200, r#"{"Total":0}"#);
        }
        test.finish().await;
    }

    async fn a_body_that_would_take_many_times_its_size_is_refused_before_it_is_read(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Pro).await;
        let caller = test.plugin(&tenant.key);
        let heavy = format!(r#"{{"x":[{}0]}}"#, r#"{"":0},"#.repeat(70_000));
        let reply = caller.post(FIND, &heavy).await;
        assert_failure(&reply, 503, "OVERLOADED");
        assert!(reply.text().contains("No users"), "{}", reply.text());
        let ids = vec![r#""76561197960265729""#; 2_000].join(",");
        let usual = caller.post("/api?action=steamChecks", &format!(r#"{{"ids":[{ids}]}}"#)).await;
        assert_eq!(usual.status, 200, "{}", usual.text());
        test.finish().await;
    }

    async fn a_caller_that_leaves_in_the_middle_of_its_body_leaves_nothing_behind(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        let caller = test.plugin(&tenant.key);
        // More than an Org may have kept at a time.
        for _ in 0..5 {
            let mut held = Held::nobody();
            for _ in 0..8 {
                held.add(&caller, 512 * 1024).await;
            }
            held.callers.shutdown().await;
        }
        assert_answer(&send(&caller, COUNT).await.0, 200, r#"{"Total":0}"#);
        test.finish().await;
    }

    async fn nothing_of_a_body_is_kept_for_a_caller_without_a_living_key(engine) {
        let test = TestApp::start_with(engine, |limits| limits.free = limit(1, 2), |_| {}).await;
        let (tenant, revoked, inactive) = (test.tenant(1, Tier::Free).await, test.tenant(2, Tier::Free).await, test.tenant(3, Tier::Free).await);
        revoke(&test, &revoked).await;
        set_active(&test, &inactive, false).await;
        let unknown = stranger(1);
        let in_query = format!("{COUNT}&secret={unknown}");
        for (caller, uri, status, code) in [
            (test.client(), COUNT, 401, "UNAUTHORIZED"),
            (test.plugin("junk"), COUNT, 401, "UNAUTHORIZED"),
            (test.plugin(&unknown), COUNT, 401, "UNAUTHORIZED"),
            (test.client().header("authorization", &format!("Bearer {unknown}")), COUNT, 401, "UNAUTHORIZED"),
            (test.client(), &in_query, 401, "UNAUTHORIZED"),
            (test.plugin(&tenant.key).header("x-api-key", &tenant.key), COUNT, 401, "UNAUTHORIZED"),
            (test.plugin(&tenant.key), "/api?action=count&action=count", 400, "INVALID_PARAMETER"),
            (test.plugin(&revoked.key), COUNT, 403, "KEY_REVOKED"),
            (test.plugin(&inactive.key), COUNT, 403, "SERVER_INACTIVE"),
        ] {
            let (reply, taken) = send(&caller, uri).await;
            assert_failure(&reply, status, code);
            assert_eq!(taken, 0, "{uri}: {code}");
        }
        let known = test.plugin(&tenant.key);
        for _ in 0..2 {
            let (reply, taken) = send(&known, COUNT).await;
            assert_answer(&reply, 200, r#"{"Total":0}"#);
            assert_eq!(taken, 512 * CHUNK);
        }
        let (reply, taken) = send(&known, COUNT).await;
        assert_failure(&reply, 429, "RATE_LIMITED");
        assert_eq!((taken, reply.header("x-ratelimit-remaining")), (0, Some("0")));
        test.finish().await;
    }

    async fn a_key_that_dies_while_its_body_arrives_does_nothing(engine) {
        let test = TestApp::start(engine).await;
        let tenant = test.tenant(1, Tier::Free).await;
        tenant.link(&test.app, 1).await;
        let (asked, wait_for_question) = oneshot::channel();
        let (go_on, held) = oneshot::channel::<()>();
        let body = stream::once(async move {
            asked.send(()).expect("somebody waits");
            held.await.expect("a sign");
            io::Result::Ok(Bytes::from_static(b" "))
        });
        let caller = test.plugin(&tenant.key);
        let uri = format!("/api?action=remove&id={}", testkit::steam(1));
        let calling = caller.send(Method::POST, &uri, Body::from_stream(body));
        let revoking = async {
            wait_for_question.await.expect("the body is asked for");
            revoke(&test, &tenant).await;
            go_on.send(()).expect("the body is waited for");
        };
        let (reply, ()) = tokio::join!(calling, revoking);
        assert_failure(&reply, 403, "KEY_REVOKED");
        assert_eq!(test.db.count("links WHERE ended_at IS NULL").await, 1);
        test.finish().await;
    }

    async fn a_form_of_a_stranger_is_read_up_to_a_kilobyte(engine) {
        let test = TestApp::start(engine).await;
        test.tenant(1, Tier::Free).await;
        let browser = test.client().header("content-type", "application/x-www-form-urlencoded");
        for path in ["/link/guild-1/verify", "/link/guild-1/join", "/link/guild-1/restart", "/unlink/guild-1/confirm", "/unlink/guild-1/restart"] {
            let (reply, taken) = send(&browser, path).await;
            assert_eq!(reply.status, 413, "{path}");
            assert!(taken <= 1024 + CHUNK, "{path}: {taken} bytes");
        }
        test.finish().await;
    }
}

/// The sockets are the same on both databases.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sixty_of_sixty_callers_with_an_unknown_key_and_a_large_body_get_their_refusal() {
    let test = TestApp::start(Engine::Sqlite).await;
    let listener = bind(([127, 0, 0, 1], 0).into()).await.expect("a listener");
    let address = listener.local_addr().expect("an address");
    let (stop, stopped) = oneshot::channel::<()>();
    let service = web::service(test.state.clone());
    let mut server = JoinSet::new();
    server.spawn(serve(listener, service, Limits::default(), async {
        drop(stopped.await);
    }));
    let mut callers = JoinSet::new();
    for number in 0..60 {
        callers.spawn(async move {
            let mut stream = TcpStream::connect(address).await?;
            let head = format!(
                "POST {COUNT} HTTP/1.1\r\nhost: test\r\nx-api-key: {}\r\ncontent-length: 2000000\r\n\r\n",
                stranger(number)
            );
            stream.write_all(head.as_bytes()).await?;
            stream.write_all(&[b' '; 2_000_000]).await?;
            let mut answer = String::new();
            stream.read_to_string(&mut answer).await?;
            io::Result::Ok(answer)
        });
    }
    let mut refusals = [0, 0];
    for answer in callers.join_all().await {
        let answer = answer.expect("the refusal arrives");
        refusals[0] += usize::from(answer.starts_with("HTTP/1.1 401 "));
        refusals[1] += usize::from(answer.starts_with("HTTP/1.1 429 "));
    }
    assert_eq!(refusals, [30, 30]);
    stop.send(()).expect("the server runs");
    server.join_all().await;
    test.finish().await;
}
