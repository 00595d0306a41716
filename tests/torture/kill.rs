//! kill -9 at any moment: what was acknowledged is there after the restart.

use std::time::Instant;

use testkit::{Engine, both_databases, rounds};
use tokio::task::JoinSet;

use super::race::{Dice, report};
use super::site::{Site, pause_ms};
use super::worker::{Acknowledged, Worker};

const CLIENTS: u64 = 8;
const SEED: u64 = 9;
/// Rounds on one database. The audit log grows with each, and the invariants are checked over all of it.
const ROUNDS_EACH: usize = 50;
/// Rounds between two looks at all invariants; acknowledged changes are compared after each one.
const ROUNDS_TO_EXAMINE: usize = 5;

/// What some rounds on a database of their own came to.
#[derive(Default)]
struct Tally {
    acknowledged: usize,
    slowest_start_ms: u128,
}

async fn campaign(engine: Engine, count: usize, seed: u64) -> Tally {
    let links = count as u64 * 8;
    let site = Site::seed(engine, CLIENTS, links).await;
    let acknowledged = Acknowledged::default();
    let mut workers: Vec<Worker> = site
        .members
        .iter()
        .zip(seed..)
        .map(|(member, seed)| Worker::new(member.clone(), links, seed, &acknowledged))
        .collect();
    let (mut dice, mut tally) = (Dice::new(seed), Tally::default());
    let mut node = site.node().await;
    for round in 1..=count {
        let (mut running, before) = (JoinSet::new(), acknowledged.count());
        for worker in workers.drain(..) {
            running.spawn(worker.work(node.address));
        }
        pause_ms(50 + dice.roll(350)).await;
        acknowledged.more_than(before + 1).await;
        node.kill();
        workers = running.join_all().await;
        let begun = Instant::now();
        node = site.node().await;
        tally.slowest_start_ms = tally.slowest_start_ms.max(begun.elapsed().as_millis());
        for worker in &mut workers {
            assert!(
                worker.odd.is_empty(),
                "seed {seed}, round {round}: {:?}",
                worker.odd
            );
            worker.compare(node.address, false).await;
        }
        if round.is_multiple_of(ROUNDS_TO_EXAMINE) {
            site.doctor();
        }
    }
    tally.acknowledged = acknowledged.count();
    assert!(tally.acknowledged > count, "the clients hardly worked");
    assert!(node.stop().await, "a clean stop after the last crash");
    site.finish().await;
    tally
}

both_databases! {
    async fn what_was_acknowledged_survives_kill_nine(engine) {
        let count = rounds(10, 500);
        let mut sum = Tally::default();
        for (first, seed) in (0..count).step_by(ROUNDS_EACH).zip((SEED..).step_by(100)) {
            let tally = campaign(engine, ROUNDS_EACH.min(count - first), seed).await;
            sum.acknowledged += tally.acknowledged;
            sum.slowest_start_ms = sum.slowest_start_ms.max(tally.slowest_start_ms);
        }
        let Tally { acknowledged, slowest_start_ms } = sum;
        report(engine, &format!(
            "kill -9, seeds from {SEED}: {count} rounds, {CLIENTS} clients, {acknowledged} acknowledged changes, 0 lost, 0 broken invariants, slowest start {slowest_start_ms} ms"
        ));
    }
}
