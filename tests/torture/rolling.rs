//! Two nodes are replaced one after the other while clients go on.

use std::io::{ErrorKind, Result};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, RwLock};

use testkit::{Engine, discord, rounds};
use tokio::task::JoinSet;

use super::race::report;
use super::site::{Member, Site, pause_ms};
use super::wire::{Answer, Wire};

const CLIENTS: usize = 6;

/// The addresses that clients know, dead ones included until they are replaced.
struct Front {
    addresses: RwLock<Vec<SocketAddr>>,
    over: AtomicBool,
    answered: AtomicUsize,
    elsewhere: AtomicUsize,
    unserved: AtomicUsize,
}

impl Front {
    fn address(&self, turn: usize) -> SocketAddr {
        let addresses = self.addresses.read().expect("no client panicked");
        addresses[turn % addresses.len()]
    }
}

async fn ask(address: SocketAddr, member: &Member, query: &str) -> Result<Answer> {
    let mut wire = Wire::open(address).await?;
    wire.plugin(&member.tenant.key, query).await
}

/// One request per connection. Only a node that did not take the request is passed over for the other.
async fn go_on(front: Arc<Front>, member: Member, client: usize) -> Vec<String> {
    let mut failures = Vec::new();
    let mut turn = client;
    while !front.over.load(SeqCst) {
        turn += 1;
        let query = match turn % 3 {
            0 => format!("action=remove&id={}", discord(turn as u64 % 50).as_str()),
            _ => "action=count".to_owned(),
        };
        let mut tries = 0;
        loop {
            tries += 1;
            match ask(front.address(turn + tries), &member, &query).await {
                Ok(answer) if answer.status == 200 => drop(front.answered.fetch_add(1, SeqCst)),
                Err(error) if error.kind() == ErrorKind::ConnectionRefused && tries < 4 => {
                    front.elsewhere.fetch_add(1, SeqCst);
                    continue;
                }
                // Reset while it was being accepted, or dropped before the first byte of an answer.
                Err(error) if is_unserved(&error) && tries < 4 => {
                    front.unserved.fetch_add(1, SeqCst);
                    continue;
                }
                other => failures.push(format!("{query} after {tries} tries: {other:?}")),
            }
            break;
        }
    }
    failures
}

fn is_unserved(error: &std::io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::ConnectionAborted | ErrorKind::ConnectionReset
    )
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replacing_nodes_one_by_one_fails_no_request() {
    let site = Site::seed(Engine::Postgres, CLIENTS as u64, 50).await;
    let mut nodes = vec![site.node().await, site.node().await];
    let front = Arc::new(Front {
        addresses: RwLock::new(nodes.iter().map(|node| node.address).collect()),
        over: AtomicBool::new(false),
        answered: AtomicUsize::new(0),
        elsewhere: AtomicUsize::new(0),
        unserved: AtomicUsize::new(0),
    });
    let mut clients = JoinSet::new();
    for (client, member) in site.members.iter().enumerate() {
        clients.spawn(go_on(Arc::clone(&front), member.clone(), client));
    }
    let restarts = rounds(4, 40);
    for restart in 0..restarts {
        pause_ms(100).await;
        let place = restart % 2;
        assert!(
            nodes.remove(place).stop().await,
            "restart {restart}: the exit code tells of a failure"
        );
        let node = site.node().await;
        front.addresses.write().expect("no client panicked")[place] = node.address;
        nodes.insert(place, node);
    }
    front.over.store(true, SeqCst);
    let failures: Vec<String> = clients.join_all().await.into_iter().flatten().collect();
    assert!(failures.is_empty(), "{failures:#?}");
    let (answered, elsewhere) = (front.answered.load(SeqCst), front.elsewhere.load(SeqCst));
    let unserved = front.unserved.load(SeqCst);
    assert!(answered > restarts, "the clients hardly asked");
    report(
        site.engine,
        &format!(
            "rolling restart: {restarts} restarts of 2 nodes, {CLIENTS} clients, {answered} answers, 0 failed requests, {elsewhere} refused and {unserved} dropped unserved went to the other node"
        ),
    );
    drop(nodes);
    site.finish().await;
}
