//! Clients that are answered before they have sent everything.

use axum::{Router, http::StatusCode, routing::post};
use tokio::{io::AsyncWriteExt, task::JoinSet, time::sleep};
use web::serve::Limits;

use crate::serve_support::{SHORT, Server, patient, within};

const BODY_BYTES: usize = 4 * 1024 * 1024;
const HEAD: &str = "POST /refuse HTTP/1.1\r\nhost: test\r\ncontent-length: 4194304\r\n\r\n";

async fn refusing(limits: Limits) -> Server {
    let refuse = || async { StatusCode::UNAUTHORIZED };
    Server::start(Router::new().route("/refuse", post(refuse)), limits).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sixty_of_sixty_clients_that_send_a_whole_body_get_the_refusal() {
    let server = refusing(patient()).await;
    let mut clients = JoinSet::new();
    for _ in 0..60 {
        let mut client = server.connect().await;
        clients.spawn(async move {
            client.send(HEAD).await;
            client.send(vec![b'x'; BODY_BYTES]).await;
            client.ended().await
        });
    }
    let answers = within(clients.join_all()).await;
    let answered = answers
        .iter()
        .filter(|answer| answer.starts_with("HTTP/1.1 401 "));
    assert_eq!(answered.count(), 60);
}

#[tokio::test]
async fn a_client_in_the_middle_of_its_body_is_answered_at_once() {
    let server = refusing(patient()).await;
    let mut client = server.connect().await;
    client.send(HEAD).await;
    client.send("a few bytes of four million").await;
    assert!(client.ended().await.starts_with("HTTP/1.1 401 "));
}

#[tokio::test]
async fn a_client_that_never_stops_sending_is_cut_off() {
    let limits = Limits {
        linger_bytes: 64 * 1024,
        ..patient()
    };
    let server = refusing(limits).await;
    let mut client = server.connect().await;
    client.send(HEAD).await;
    within(async { while client.0.write_all(&[b'x'; 4096]).await.is_ok() {} }).await;
    server.connect().await.get("/").await.unwrap();
}

#[tokio::test]
async fn a_client_that_sends_the_rest_slowly_is_let_go() {
    let limits = Limits {
        linger_timeout: SHORT,
        ..patient()
    };
    let server = refusing(limits).await;
    let mut client = server.connect().await;
    client.send(HEAD).await;
    within(async {
        while client.0.write_all(b"x").await.is_ok() {
            sleep(SHORT / 8).await;
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refused_head_is_answered_however_long_it_is() {
    let server = Server::start(Router::new(), patient()).await;
    for _ in 0..20 {
        let mut client = server.connect().await;
        let head = format!(
            "GET / HTTP/1.1\r\nhost: test\r\nx: {}\r\n\r\n",
            "a".repeat(1024 * 1024)
        );
        client.send(head).await;
        assert!(client.ended().await.starts_with("HTTP/1.1 431 "));
    }
}
