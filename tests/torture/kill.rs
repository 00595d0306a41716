//! kill -9 at any moment: what was acknowledged is there after the restart.

use std::time::Instant;

use testkit::{Engine, both_databases, rounds};
use tokio::task::JoinSet;

use super::race::{Dice, report};
use super::site::{Site, pause_ms};
use super::worker::Worker;

const CLIENTS: u64 = 8;
const SEED: u64 = 9;

both_databases! {
    async fn what_was_acknowledged_survives_kill_nine(engine) {
        let count = match engine {
            Engine::Sqlite => rounds(10, 100),
            Engine::Postgres => rounds(5, 30),
        };
        let links = count as u64 * 8;
        let site = Site::seed(engine, CLIENTS, links).await;
        let mut workers: Vec<Worker> = site
            .members
            .iter()
            .zip(SEED..)
            .map(|(member, seed)| Worker::new(member.clone(), links, seed))
            .collect();
        let (mut dice, mut slowest_ms) = (Dice::new(SEED), 0);
        let mut node = site.node().await;
        for round in 0..count {
            let mut running = JoinSet::new();
            for worker in workers.drain(..) {
                running.spawn(worker.work(node.address));
            }
            pause_ms(50 + dice.roll(350)).await;
            node.kill();
            workers = running.join_all().await;
            let begun = Instant::now();
            node = site.node().await;
            slowest_ms = slowest_ms.max(begun.elapsed().as_millis());
            for worker in &mut workers {
                assert!(worker.odd.is_empty(), "round {round}: {:?}", worker.odd);
                worker.compare(node.address, false).await;
            }
            site.doctor();
        }
        let acknowledged: usize = workers.iter().map(|worker| worker.acknowledged).sum();
        assert!(acknowledged > count, "the clients hardly worked");
        assert!(node.stop().await, "a clean stop after the last crash");
        report(engine, &format!(
            "kill -9, seed {SEED}: {count} rounds, {CLIENTS} clients, {acknowledged} acknowledged changes, 0 lost, 0 broken invariants, slowest start {slowest_ms} ms"
        ));
        site.finish().await;
    }
}
