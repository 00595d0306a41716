//! Heads that are refused before any service sees them. Their answers must say no to old bots, too.

use axum::Router;
use serde_json::Value;
use web::serve::Limits;

use crate::serve_support::{Client, Server, patient};

/// The head and the body of the one answer that came, whose length is the one it states.
#[track_caller]
fn read(answer: &str) -> (String, Value) {
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
    let length = format!("\r\ncontent-length: {}\r\n", body.len());
    assert!(head.contains(&length), "{answer}");
    (head.to_owned(), serde_json::from_str(body).expect("an object"))
}

#[track_caller]
fn assert_refused(answer: &str, status: u16, code: &str) {
    let (head, body) = read(answer);
    assert!(head.starts_with(&format!("HTTP/1.1 {status} ")), "{head}");
    for line in [
        "connection: close",
        "content-type: application/json; charset=utf-8",
        "cache-control: no-store",
    ] {
        assert!(head.lines().any(|found| found == line), "{head}");
    }
    let id = body["request_id"].as_str().expect("an id");
    assert!(
        head.lines().any(|found| found == format!("x-request-id: {id}")),
        "{head}"
    );
    assert_eq!(
        (&body["status"], &body["code"], &body["error"]),
        (&status.into(), &code.into(), &code.into())
    );
    assert!(
        body["message"].as_str().expect("a message").contains("No users"),
        "{body}"
    );
}

async fn ask(server: &Server, head: &str) -> (Client, String) {
    let mut client = server.connect().await;
    client.send(head).await;
    let answer = client.ended().await;
    (client, answer)
}

#[tokio::test]
async fn a_look_up_that_is_not_http_fails_closed() {
    let server = Server::start(Router::new(), patient()).await;
    for head in [
        "GET /api?action=findBySteam&id= 7656 HTTP/1.1\r\nhost: test\r\n\r\n",
        "GET api?action=findBySteam HTTP/1.1\r\nhost: test\r\n\r\n",
        "GET /api?action=findBySteam HTTP/9.9\r\nhost: test\r\n\r\n",
        "GET /api?action=findBySteam&id=\u{1} HTTP/1.1\r\nhost: test\r\n\r\n",
        "GET /api?action=findBySteam HTTP/1.1\r\nhost test\r\n\r\n",
        "POST /api?action=findBySteam HTTP/1.1\r\ncontent-length: x\r\n\r\n",
        "POST /api?action=findBySteam HTTP/1.1\r\ntransfer-encoding: gzip\r\n\r\n",
        "\u{16}\u{3}\u{1} a handshake\r\n\r\n",
    ] {
        assert_refused(&ask(&server, head).await.1, 400, "BAD_REQUEST");
    }
}

#[tokio::test]
async fn a_look_up_with_too_large_a_head_fails_closed() {
    let limits = Limits {
        max_head_bytes: 256 * 1024,
        ..patient()
    };
    let (usual, wide) = (
        Server::start(Router::new(), patient()).await,
        Server::start(Router::new(), limits).await,
    );
    let long = "a".repeat(70_000);
    let header = format!("GET /api?action=findBySteam HTTP/1.1\r\nx: {long}\r\n\r\n");
    assert_refused(&ask(&usual, &header).await.1, 431, "HEAD_TOO_LARGE");
    let many = format!("GET / HTTP/1.1\r\n{}\r\n", "x: y\r\n".repeat(200));
    assert_refused(&ask(&usual, &many).await.1, 431, "HEAD_TOO_LARGE");
    let address = format!("GET /api?action=findBySteam&id={long} HTTP/1.1\r\nhost: test\r\n\r\n");
    assert_refused(&ask(&wide, &address).await.1, 414, "URI_TOO_LONG");
}

#[tokio::test]
async fn a_refusal_behind_an_answer_is_an_answer_of_its_own() {
    let server = Server::start(Router::new(), patient()).await;
    // At once and later, on the same connection.
    let good = "GET / HTTP/1.1\r\nhost: test\r\n\r\n";
    let (_, answers) = ask(&server, &format!("{good}nonsense\r\n\r\n")).await;
    let (first, second) = answers.split_once("\r\n\r\nok").expect("the first answer");
    assert!(first.starts_with("HTTP/1.1 200 "), "{first}");
    assert_refused(second, 400, "BAD_REQUEST");
    let mut client = server.connect().await;
    assert!(
        client
            .get("/")
            .await
            .expect("an answer")
            .starts_with("HTTP/1.1 200 ")
    );
    client.send("nonsense\r\n\r\n").await;
    assert_refused(&client.ended().await, 400, "BAD_REQUEST");
}
