//! SIGTERM under load, a second process, and what a crash leaves behind.

use std::time::{Duration, Instant};

use testkit::{Engine, both_databases, rounds};
use tokio::task::JoinSet;

use super::race::{Dice, report};
use super::site::{Site, pause_ms};
use super::worker::Worker;

const CLIENTS: u64 = 8;

both_databases! {
    async fn a_stopped_node_has_answered_everything_it_did(engine) {
        let count = rounds(5, 40);
        let links = count as u64 * 8;
        let site = Site::seed(engine, CLIENTS, links).await;
        let mut workers: Vec<Worker> = site
            .members
            .iter()
            .zip(1..)
            .map(|(member, seed)| Worker::new(member.clone(), links, seed))
            .collect();
        let (mut dice, mut slowest) = (Dice::new(3), Duration::ZERO);
        for round in 0..count {
            let node = site.node().await;
            for worker in &mut workers {
                worker.compare(node.address, true).await;
            }
            let mut running = JoinSet::new();
            for worker in workers.drain(..) {
                running.spawn(worker.work(node.address));
            }
            pause_ms(50 + dice.roll(200)).await;
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
        let acknowledged: usize = workers.iter().map(|worker| worker.acknowledged).sum();
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
            assert_eq!(listed.as_object().map(serde_json::Map::len), Some(1), "without the service");
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
