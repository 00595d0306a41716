//! Clients that do not take what they asked for.

use std::io;

use axum::{
    Router,
    body::{Body, Bytes},
    routing::get,
};
use futures_util::stream;
use tokio::{
    io::AsyncReadExt,
    sync::{mpsc, oneshot},
    time::sleep,
};
use web::serve::Limits;

use crate::serve_support::{SHORT, Server, patient, within};

/// A server with a response that never ends, and where it is told that the response was dropped.
async fn endless(limits: Limits) -> (Server, mpsc::Receiver<oneshot::Receiver<()>>) {
    let (started, responses) = mpsc::channel(1);
    let answer = move || async move {
        let (alive, dropped) = oneshot::channel::<()>();
        started.send(dropped).await.unwrap();
        Body::from_stream(stream::repeat_with(move || {
            let _alive = &alive;
            io::Result::Ok(Bytes::from_static(&[0; 64 * 1024]))
        }))
    };
    let server = Server::start(Router::new().route("/endless", get(answer)), limits).await;
    (server, responses)
}

#[tokio::test]
async fn client_that_never_reads_is_dropped() {
    let limits = Limits {
        write_stall_timeout: SHORT,
        ..patient()
    };
    let (server, mut responses) = endless(limits).await;
    let mut client = server.connect().await;
    client.send("GET /endless HTTP/1.1\r\nhost: test\r\n\r\n").await;

    let dropped = within(responses.recv()).await.unwrap();
    assert!(within(dropped).await.is_err());
    server.connect().await.get("/").await.unwrap();
    // What was not taken is thrown away: the kernel does not go on sending it in our place.
    let (mut part, mut taken) = (vec![0; 64 * 1024], 0);
    let end = loop {
        match within(client.0.read(&mut part)).await {
            Ok(read @ 1..) => taken += read,
            end => break end,
        }
    };
    assert_eq!(
        end.map_err(|error| error.kind()),
        Err(io::ErrorKind::ConnectionReset),
        "{taken}"
    );
}

#[tokio::test]
async fn client_that_reads_too_slowly_is_dropped_and_others_are_not() {
    for (least_slice_bytes, is_dropped) in [(u64::MAX, true), (64 * 1024, false)] {
        let limits = Limits {
            write_stall_timeout: SHORT,
            least_slice_bytes,
            ..patient()
        };
        let (server, mut responses) = endless(limits).await;
        let mut client = server.connect().await;
        client.send("GET /endless HTTP/1.1\r\nhost: test\r\n\r\n").await;
        let mut dropped = within(responses.recv()).await.unwrap();
        // It takes something all the time.
        let reading = async {
            let mut part = vec![0; 256 * 1024];
            while client.0.read(&mut part).await.is_ok_and(|read| read > 0) {
                sleep(SHORT / 20).await;
            }
        };
        let ended = if is_dropped {
            within(async { tokio::join!(reading, &mut dropped).1 })
                .await
                .is_err()
        } else {
            let kept = tokio::time::timeout(10 * SHORT, reading).await.is_err();
            !kept || dropped.try_recv() == Err(oneshot::error::TryRecvError::Closed)
        };
        assert_eq!(ended, is_dropped, "{least_slice_bytes}");
    }
}
