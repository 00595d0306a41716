//! Two nodes on one database: a replaced key ends everywhere with the answer that replaced it.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};

use testkit::{Engine, Node, rounds};
use tokio::task::JoinSet;

use super::race::report;
use super::site::{Member, Site, pause_ms};
use super::wire::Wire;

const COUNT: &str = "action=count";

/// Every key so far. `begun` runs ahead of the last one while a new one is on its way.
struct Keys {
    all: Mutex<Vec<String>>,
    begun: AtomicUsize,
    over: AtomicBool,
    samples: AtomicUsize,
}

impl Keys {
    /// The newest key that was handed out, its number, and the one before it.
    fn newest(&self) -> (usize, String, Option<String>) {
        let all = self.all.lock().expect("no reader panicked");
        let number = all.len() - 1;
        (
            number,
            all[number].clone(),
            number.checked_sub(1).map(|before| all[before].clone()),
        )
    }
}

/// A refusal of a key nobody holds: unknown, or throttled as such.
fn refused(status: u16) -> bool {
    matches!(status, 401 | 429)
}

/// Calls with the newest key and the one before it, over and over.
async fn hammer(address: SocketAddr, keys: Arc<Keys>) {
    let mut wire = Wire::open(address).await.expect("a connection");
    while !keys.over.load(SeqCst) {
        let (number, key, before) = keys.newest();
        let answer = wire.plugin(&key, COUNT).await.expect("an answer");
        let replaced = keys.begun.load(SeqCst) > number;
        assert!(
            answer.status == 200 || (replaced && refused(answer.status)),
            "key {number} was refused while it was the newest: {answer:?}"
        );
        if let Some(before) = before {
            let answer = wire.plugin(&before, COUNT).await.expect("an answer");
            assert!(
                refused(answer.status),
                "key {} was accepted: {answer:?}",
                number - 1
            );
        }
        keys.samples.fetch_add(2, SeqCst);
        pause_ms(2).await;
    }
}

async fn probe(wires: &mut [Wire], key: &str) -> Vec<u16> {
    let mut statuses = Vec::new();
    for wire in wires {
        statuses.push(wire.plugin(key, COUNT).await.expect("an answer").status);
    }
    statuses
}

/// Rotates on one node after the other and asks both after each answer.
async fn rotate(nodes: &[Node], member: &Member, keys: &Keys, rotations: usize) {
    let uri = member.uri(&format!(
        "/servers/{}/key/regenerate",
        member.tenant.server.as_str()
    ));
    let mut dashboards = open_all(nodes).await;
    let (mut old_key, mut new_key) = (open_all(nodes).await, open_all(nodes).await);
    for rotation in 0..rotations {
        let (_, old, _) = keys.newest();
        keys.begun.fetch_add(1, SeqCst);
        let dashboard = &mut dashboards[rotation % nodes.len()];
        let answer = dashboard
            .person(&member.session, "POST", &uri, "")
            .await
            .expect("an answer");
        assert_eq!(answer.status, 200, "{answer:?}");
        let new = answer.json()["key"].as_str().expect("a key").to_owned();
        let (old_answers, new_answers) = tokio::join!(probe(&mut old_key, &old), probe(&mut new_key, &new));
        assert!(
            old_answers.iter().copied().all(refused),
            "rotation {rotation}: the old key got {old_answers:?}"
        );
        assert_eq!(
            new_answers,
            [200, 200],
            "rotation {rotation}: the new key was refused"
        );
        keys.all.lock().expect("no reader panicked").push(new);
    }
}

pub async fn open_all(nodes: &[Node]) -> Vec<Wire> {
    let mut wires = Vec::new();
    for node in nodes {
        wires.push(Wire::open(node.address).await.expect("a connection"));
    }
    wires
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_replaced_key_is_refused_by_every_node_from_the_next_request_on() {
    let site = Site::seed(Engine::Postgres, 1, 1).await;
    let nodes = [site.node().await, site.node().await];
    let member = &site.members[0];
    let keys = Arc::new(Keys {
        all: Mutex::new(vec![member.tenant.key.clone()]),
        begun: AtomicUsize::new(0),
        over: AtomicBool::new(false),
        samples: AtomicUsize::new(0),
    });
    let mut readers = JoinSet::new();
    for reader in 0..4 {
        readers.spawn(hammer(nodes[reader % 2].address, Arc::clone(&keys)));
    }
    let rotations = rounds(200, 10_000);
    rotate(&nodes, member, &keys, rotations).await;
    keys.over.store(true, SeqCst);
    readers.join_all().await;
    let samples = keys.samples.load(SeqCst);
    report(
        site.engine,
        &format!(
            "key rotation: {rotations} on 2 nodes, {samples} samples by 4 readers, 0 stale accepts, 0 refusals of the new key"
        ),
    );
    drop(nodes);
    site.finish().await;
}
