//! SIGTERM under load, a second process, and what a crash leaves behind.

use std::cell::RefCell;
use std::process::Command;
use std::time::{Duration, Instant};

use testkit::{Engine, both_databases, rounds, wait_until};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use super::race::{Dice, report};
use super::site::{Site, pause_ms};
use super::worker::{Acknowledged, Worker};

const CLIENTS: u64 = 8;

both_databases! {
    async fn a_stopped_node_has_answered_everything_it_did(engine) {
        let count = rounds(5, 40);
        let links = count as u64 * 8;
        let site = Site::seed(engine, CLIENTS, links).await;
        let told = Acknowledged::default();
        let mut workers: Vec<Worker> = site
            .members
            .iter()
            .zip(1..)
            .map(|(member, seed)| Worker::new(member.clone(), links, seed, &told))
            .collect();
        let (mut dice, mut slowest) = (Dice::new(3), Duration::ZERO);
        for round in 0..count {
            let node = site.node().await;
            for worker in &mut workers {
                worker.compare(node.address, true).await;
            }
            let (mut running, before) = (JoinSet::new(), told.count());
            for worker in workers.drain(..) {
                running.spawn(worker.work(node.address));
            }
            pause_ms(50 + dice.roll(200)).await;
            told.more_than(before + 1).await;
            let begun = Instant::now();
            assert!(node.stop().await, "round {round}: the exit code tells of a failure");
            slowest = slowest.max(begun.elapsed());
            workers = running.join_all().await;
            for worker in &workers {
                assert!(worker.odd.is_empty(), "round {round}: {:?}", worker.odd);
            }
        }
        let node = site.node().await;
        for worker in &mut workers {
            worker.compare(node.address, true).await;
        }
        assert!(node.stop().await, "a clean stop");
        let acknowledged = told.count();
        assert!(acknowledged > count, "the clients hardly worked");
        report(engine, &format!(
            "SIGTERM: {count} rounds, {CLIENTS} clients, {acknowledged} acknowledged changes, 0 lost, 0 done without an answer, exit code always 0, slowest stop {} ms",
            slowest.as_millis(),
        ));
        site.finish().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_second_process_on_an_embedded_database_is_refused_in_one_line() {
    let site = Site::seed(Engine::Sqlite, 1, 1).await;
    let node = site.node().await;
    let shell = site.shell();
    for arguments in [&["serve", "--listen", "127.0.0.1:0"][..], &["migrate"]] {
        let ran = shell.run(arguments);
        ran.fails_with_one_line("in use by another process");
    }
    let key = &site.members[0].tenant.key;
    let (status, _) = node
        .request("GET", "/api?action=count", &[("x-api-key", key)], "")
        .await;
    assert_eq!(status, 200, "the first process is not disturbed");
    assert!(node.stop().await);
    report(site.engine, "second process: refused, the first went on");
    site.finish().await;
}

both_databases! {
    async fn what_a_crash_leaves_behind_hinders_nobody(engine) {
        let site = Site::seed(engine, 1, 1).await;
        let shell = site.shell();
        let socket = site.db.directory().join("admin.sock");
        for _ in 0..3 {
            site.node().await.kill();
            assert!(socket.exists(), "a killed process cannot clean up");
            let listed = shell.json(&["admin", "list-orgs"]);
            assert_eq!(listed["items"].as_array().map(Vec::len), Some(1), "without the service");
            let node = site.node().await;
            let server = site.members[0].tenant.server.as_str();
            let printed = shell.json(&["admin", "print-key", "--server", server]);
            assert_eq!(printed["key"], site.members[0].tenant.key.as_str(), "through the service");
            assert!(node.stop().await);
            assert!(!socket.exists(), "a stopped process cleans up");
            site.node().await.kill();
        }
        report(engine, "leftovers of 6 crashes: 0 failed starts, 0 failed commands");
        site.finish().await;
    }
}

/// A disk that takes nothing, for this process: each flush waits far longer than a stop may take. Held until dropped.
struct StuckDisk(std::process::Child);

impl StuckDisk {
    fn of(process: u32) -> StuckDisk {
        let strace = Command::new("strace")
            .args([
                "-f",
                "-qq",
                "-o",
                "/dev/null",
                "-e",
                "trace=fsync,fdatasync",
                "-e",
            ])
            .args([
                "inject=fsync,fdatasync:delay_enter=600000000",
                "-p",
                &process.to_string(),
            ])
            .spawn();
        StuckDisk(strace.expect("strace starts"))
    }
}

impl Drop for StuckDisk {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stop_does_not_wait_for_a_disk_that_hangs() {
    let site = Site::seed(Engine::Sqlite, 1, 1).await;
    let node = site.node_with(&[("SYMBOLON_SERVER_DRAIN_TIMEOUT_MS", "0")]).await;
    let (log, address, disk) = (node.log.clone(), node.address, StuckDisk::of(node.pid()));
    let member = &site.members[0];
    let uri = member.uri(&format!("/servers/{}/key/regenerate", member.tenant.server));
    let waiting = RefCell::new(Vec::new());
    wait_until("a change hangs", || {
        let request = format!(
            "POST {uri} HTTP/1.1\r\nhost: test\r\ncookie: symbolon={}\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{{}}",
            member.session,
        );
        let (node, waiting) = (&node, &waiting);
        async move {
            let mut stream = TcpStream::connect(address).await.expect("a connection");
            stream.write_all(request.as_bytes()).await.expect("a request");
            waiting.borrow_mut().push(stream);
            node.request("GET", "/readyz", &[], "").await.0 != 200
        }
    })
    .await;
    let sent = Command::new("kill").arg(node.pid().to_string()).status();
    assert!(sent.is_ok_and(|status| status.success()));
    wait_until("the database is left behind", || async {
        let log = std::fs::read_to_string(&log).unwrap_or_default();
        log.contains("the database did not close in time; changes left under way")
    })
    .await;
    // Its last thread waits for the one who traces it.
    drop(disk);
    assert!(!node.stop().await, "the exit code tells that something was left");
    site.finish().await;
}
