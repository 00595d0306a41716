//! Readers who take a large plugin build drop by drop cost nobody else anything.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use testkit::{Engine, Node, rounds};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use super::exports::private_kib;
use super::race::report;
use super::site::{Member, Site, pause_ms};

const BUILD: &str = "/download/plugin/v90.0.0";
const BUILD_BYTES: usize = 10 * 1024 * 1024;
/// What all readers may take together; the file itself is there once.
const MOST_KIB: u64 = 50 * 1024;

async fn begin(address: SocketAddr) -> TcpStream {
    let mut stream = TcpStream::connect(address).await.expect("a connection");
    let request = format!("GET {BUILD} HTTP/1.1\r\nhost: test\r\nconnection: close\r\n\r\n");
    stream
        .write_all(request.as_bytes())
        .await
        .expect("a request is sent");
    stream
}

/// Takes a kilobyte a second until the service has enough of it. Tells how much that was.
async fn sip(mut stream: TcpStream) -> usize {
    let (mut taken, mut buffer) = (0, [0; 1024]);
    while let Ok(read @ 1..) = stream.read(&mut buffer).await {
        taken += read;
        pause_ms(1_000).await;
    }
    taken
}

/// The 99th of a hundred plugin calls, by how long they took.
async fn p99(node: &Node, member: &Member) -> Duration {
    let mut took = Vec::new();
    for _ in 0..rounds(100, 2_000) {
        let begun = Instant::now();
        let headers = [("x-api-key", member.tenant.key.as_str())];
        let (status, body) = node.request("GET", "/api?action=count", &headers, "").await;
        assert_eq!(status, 200, "{body}");
        took.push(begun.elapsed());
    }
    took.sort_unstable();
    took[took.len() * 99 / 100]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn slow_readers_of_a_large_build_take_little_and_are_cut_off() {
    let site = Site::seed(Engine::Sqlite, 1, 0).await;
    let file = site.db.directory().join("Symbolon.cs");
    std::fs::write(&file, vec![b'x'; BUILD_BYTES]).expect("a file");
    let path = file.to_str().expect("a path");
    let ran = site
        .shell()
        .run(&["plugin", "publish", path, "--version", "v90.0.0"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let node = site.node().await;
    let whole = node.request("GET", BUILD, &[], "").await;
    assert_eq!((whole.0, whole.1.len()), (200, BUILD_BYTES));
    let (alone, before) = (p99(&node, &site.members[0]).await, private_kib(&node));

    let count = rounds(40, 200);
    let mut readers = JoinSet::new();
    for _ in 0..count {
        readers.spawn(sip(begin(node.address).await));
    }
    let beside = p99(&node, &site.members[0]).await;
    let taken = private_kib(&node).saturating_sub(before);
    assert!(taken <= MOST_KIB, "{count} slow readers took {taken} KiB");
    let whole = node.request("GET", BUILD, &[], "").await;
    assert_eq!((whole.0, whole.1.len()), (200, BUILD_BYTES), "others get it all");
    // The small form leaves after a while; the full one waits until the service ends it.
    let mut cut = 0;
    if rounds(0, 1) == 1 {
        while let Some(got) = readers.join_next().await {
            assert!(got.expect("a reader") < BUILD_BYTES);
            cut += 1;
        }
        assert_eq!(cut, count);
    }
    drop(readers);
    report(
        Engine::Sqlite,
        &format!(
            "{count} slow readers of 10 MB: +{taken} KiB, {cut} cut off, plugin calls p99 {alone:?} alone and {beside:?} beside them"
        ),
    );
    drop(node);
    site.finish().await;
}
