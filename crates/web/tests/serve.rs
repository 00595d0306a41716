//! The accept loop against real sockets: what clients may do, for how long, and how many of them.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a failing helper fails its test"
)]

mod serve_lingering;
mod serve_reading;
mod serve_refusals;
mod serve_support;

use std::{future::pending, sync::Arc};

use axum::{
    Extension, Router,
    body::{Body, Bytes},
    http::StatusCode,
    routing::{get, post},
};
use serve_support::{SHORT, Server, metrics, patient, within};
use tokio::{
    io::AsyncWriteExt,
    net::TcpStream,
    sync::{Notify, mpsc},
    time::sleep,
};
use web::serve::{BodyTooSlow, DrainReport, Limits, Peer};

#[tokio::test]
async fn handler_sees_the_peer_address() {
    let answer = |Extension(Peer(addr)): Extension<Peer>| async move {
        if addr.ip().is_loopback() && addr.port() != 0 {
            "ok"
        } else {
            ""
        }
    };
    let server = Server::start(Router::new().route("/peer", get(answer)), patient()).await;
    assert!(server.connect().await.get("/peer").await.unwrap().ends_with("ok"));
}

#[tokio::test]
async fn silent_connection_is_cut_at_the_first_byte_limit() {
    let server = Server::start(
        Router::new(),
        Limits {
            first_byte_timeout: SHORT,
            ..patient()
        },
    )
    .await;
    assert_eq!(server.connect().await.ended().await, "");
}

#[tokio::test]
async fn slow_head_is_cut() {
    let server = Server::start(
        Router::new(),
        Limits {
            header_timeout: SHORT,
            ..patient()
        },
    )
    .await;
    let mut client = server.connect().await;
    client.send("GET / HTTP/1.1\r\nx: ").await;
    within(async {
        while client.0.write_all(b"a").await.is_ok() && !client.is_ended_after(SHORT / 8).await {}
    })
    .await;
}

#[tokio::test]
async fn slow_head_of_a_later_request_is_cut() {
    let server = Server::start(
        Router::new(),
        Limits {
            header_timeout: SHORT,
            ..patient()
        },
    )
    .await;
    let mut client = server.connect().await;
    client.get("/").await.unwrap();
    client.send("GET / HTTP/1.1\r\n").await;
    assert_eq!(client.ended().await, "");
}

#[tokio::test]
async fn idle_connection_is_closed_while_a_busy_one_lives_on() {
    let slow = || async {
        sleep(SHORT).await;
        "ok"
    };
    let limits = Limits {
        header_timeout: SHORT,
        idle_timeout: 8 * SHORT,
        ..patient()
    };
    let server = Server::start(Router::new().route("/slow", get(slow)), limits).await;
    let (mut idle, mut idle_after_waiting, mut busy) = (
        server.connect().await,
        server.connect().await,
        server.connect().await,
    );

    idle.get("/").await.unwrap();
    idle_after_waiting.get("/slow").await.unwrap();
    for _ in 0..6 {
        busy.get("/")
            .await
            .expect("neither the head nor the idle limit was reached");
        sleep(2 * SHORT).await;
    }
    assert_eq!(idle.ended().await, "");
    assert_eq!(idle_after_waiting.ended().await, "");
}

#[tokio::test]
async fn slow_body_is_an_error_to_the_handler_and_ends_the_connection() {
    let (errors, mut seen) = mpsc::channel(1);
    let read = move |body: Body| async move {
        errors
            .send(axum::body::to_bytes(body, 1024).await.unwrap_err())
            .await
            .unwrap();
        StatusCode::REQUEST_TIMEOUT
    };
    let limits = Limits {
        body_timeout: SHORT,
        ..patient()
    };
    let server = Server::start(Router::new().route("/read", post(read)), limits).await;
    let mut client = server.connect().await;
    client
        .send("POST /read HTTP/1.1\r\nhost: test\r\ncontent-length: 10\r\n\r\nabc")
        .await;

    let error = within(seen.recv()).await.unwrap();
    let mut cause: Option<&dyn std::error::Error> = Some(&error);
    while cause.is_some_and(|error| !error.is::<BodyTooSlow>()) {
        cause = cause.and_then(std::error::Error::source);
    }
    assert!(cause.is_some(), "{error:?}");
    assert!(client.ended().await.starts_with("HTTP/1.1 408 "));
}

#[tokio::test]
async fn body_in_time_reaches_the_handler_whole() {
    let read = |body: Bytes| async move { if body == "abcdefghij" { "ok" } else { "" } };
    let server = Server::start(Router::new().route("/read", post(read)), patient()).await;
    let mut client = server.connect().await;
    client
        .send("POST /read HTTP/1.1\r\nhost: test\r\ncontent-length: 10\r\n\r\nabc")
        .await;
    sleep(SHORT / 4).await;
    client.send("defghij").await;
    assert!(client.response().await.unwrap().ends_with("ok"));
    assert!(client.get("/").await.unwrap().ends_with("ok"));
}

#[tokio::test]
async fn peer_above_its_cap_is_closed_until_one_of_its_connections_leaves() {
    let server = Server::start(
        Router::new(),
        Limits {
            max_connections_per_peer: 2,
            ..patient()
        },
    )
    .await;
    let (mut first, mut second) = (server.connect().await, server.connect().await);
    first.get("/").await.unwrap();
    second.get("/").await.unwrap();

    assert_eq!(server.connect().await.ended().await, "");
    let rendered = metrics();
    assert!(
        rendered.contains("connections_refused_total{reason=\"peer\"} 1"),
        "{rendered}"
    );
    assert!(rendered.contains("connections_open "), "{rendered}");

    drop(first);
    within(async { while server.connect().await.get("/").await.is_err() {} }).await;
    second.get("/").await.expect("the refusals were about others");
}

#[tokio::test]
async fn trusted_peer_has_no_cap() {
    let trusted_peers = Arc::from(["127.0.0.0/8".parse().unwrap()]);
    let limits = Limits {
        max_connections_per_peer: 1,
        trusted_peers,
        ..patient()
    };
    let server = Server::start(Router::new(), limits).await;
    let mut clients = [
        server.connect().await,
        server.connect().await,
        server.connect().await,
    ];
    for client in &mut clients {
        client.get("/").await.unwrap();
    }
}

#[tokio::test]
async fn connection_above_the_total_cap_waits_for_its_turn() {
    let server = Server::start(
        Router::new(),
        Limits {
            max_connections: 1,
            ..patient()
        },
    )
    .await;
    let mut first = server.connect().await;
    first.get("/").await.unwrap();
    let mut second = server.connect().await;
    second.send("GET / HTTP/1.1\r\nhost: test\r\n\r\n").await;
    assert!(
        !second.is_ended_after(SHORT).await,
        "neither answered nor refused"
    );

    drop(first);
    assert!(second.response().await.unwrap().ends_with("ok"));
}

#[tokio::test]
async fn oversized_head_is_refused_and_others_still_served() {
    let server = Server::start(Router::new(), patient()).await;
    let mut client = server.connect().await;
    let head = format!(
        "GET / HTTP/1.1\r\nhost: test\r\nx: {}\r\n\r\n",
        "a".repeat(65 * 1024)
    );
    client.send(head).await;
    let refusal = client.ended().await;
    assert!(refusal.starts_with("HTTP/1.1 431 "), "{refusal}");
    server.connect().await.get("/").await.unwrap();
}

#[tokio::test]
async fn tiny_limits_do_not_panic() {
    let limits = Limits {
        max_head_bytes: 0,
        max_connections: 0,
        max_connections_per_peer: 0,
        ..patient()
    };
    let server = Server::start(Router::new(), limits).await;
    server.connect().await.get("/").await.unwrap();
}

#[tokio::test]
async fn request_in_flight_completes_during_drain_while_new_connections_are_refused() {
    let (entered, release) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (tell, wait) = (entered.clone(), release.clone());
    let hold = move || async move {
        tell.notify_one();
        wait.notified().await;
        "ok"
    };
    let server = Server::start(Router::new().route("/hold", get(hold)), patient()).await;
    let mut client = server.connect().await;
    client.send("GET /hold HTTP/1.1\r\nhost: test\r\n\r\n").await;
    within(entered.notified()).await;

    let addr = server.addr;
    let report = server.stop();
    within(async { while TcpStream::connect(addr).await.is_ok() {} }).await;
    release.notify_one();
    let response = client.ended().await;
    assert!(
        response.starts_with("HTTP/1.1 200 ") && response.ends_with("ok"),
        "{response}"
    );
    assert!(response.contains("connection: close\r\n"), "{response}");
    // Some of the connections that were tried above came early enough to count.
    let report = report.await;
    assert!(report.completed >= 1 && report.aborted == 0, "{report:?}");
}

#[tokio::test]
async fn request_half_sent_when_draining_begins_is_answered() {
    let server = Server::start(Router::new(), patient()).await;
    let mut client = server.connect().await;
    client.get("/").await.unwrap();
    client.send("GET / HTTP/1.1\r\n").await;
    sleep(SHORT).await;
    let report = server.stop();
    sleep(SHORT).await;
    client.send("host: test\r\n\r\n").await;
    assert!(client.ended().await.ends_with("ok"));
    assert_eq!(
        report.await,
        DrainReport {
            completed: 1,
            aborted: 0
        }
    );
}

#[tokio::test]
async fn idle_and_silent_connections_do_not_hold_up_the_drain() {
    let server = Server::start(Router::new(), patient()).await;
    let (mut silent, mut idle) = (server.connect().await, server.connect().await);
    idle.get("/").await.unwrap();
    assert_eq!(
        server.stop().await,
        DrainReport {
            completed: 2,
            aborted: 0
        }
    );
    assert_eq!(idle.ended().await + &silent.ended().await, "");
}

#[tokio::test]
async fn hung_handler_and_half_sent_head_are_aborted_at_the_drain_deadline() {
    let (entered, mut handler) = mpsc::channel(1);
    let hang = move || async move {
        entered.send(()).await.unwrap();
        pending::<&str>().await
    };
    let limits = Limits {
        drain_timeout: SHORT,
        ..patient()
    };
    let server = Server::start(Router::new().route("/hang", get(hang)), limits).await;
    let (mut half_sent, mut hung) = (server.connect().await, server.connect().await);
    half_sent.get("/").await.unwrap();
    half_sent.send("GET / HT").await;
    hung.send("GET /hang HTTP/1.1\r\nhost: test\r\n\r\n").await;
    within(handler.recv()).await.unwrap();

    assert_eq!(
        server.stop().await,
        DrainReport {
            completed: 0,
            aborted: 2
        }
    );
    assert_eq!(within(handler.recv()).await, None, "the handler was dropped");
    assert_eq!(hung.ended().await + &half_sent.ended().await, "");
}

#[tokio::test]
async fn handler_panic_ends_only_its_own_connection() {
    async fn fail() -> &'static str {
        panic!("on purpose")
    }
    let server = Server::start(Router::new().route("/panic", get(fail)), patient()).await;
    let (mut bystander, mut unlucky) = (server.connect().await, server.connect().await);
    bystander.get("/").await.unwrap();
    assert!(unlucky.get("/panic").await.is_err());
    bystander.get("/").await.unwrap();
    server.connect().await.get("/").await.unwrap();
}
