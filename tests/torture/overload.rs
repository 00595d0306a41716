//! More writes than the queue holds: each is done or refused at once, and one Org cannot keep the others out.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::time::{Duration, Instant};

use testkit::{both_databases, discord, rounds};
use tokio::task::JoinSet;

use super::race::report;
use super::site::{Member, Site, pause_ms};
use super::wire::{Answer, Wire};

const CONNECTIONS: u64 = 50;
const OTHERS: usize = 4;
const WRITES_OF_OTHERS: u64 = 20;

async fn remove(wire: &mut Wire, member: &Member, player: u64) -> (Answer, Duration) {
    let begun = Instant::now();
    let query = format!("action=remove&id={}", discord(player).as_str());
    let answer = wire.plugin(&member.tenant.key, &query).await.expect("an answer");
    (answer, begun.elapsed())
}

/// Done, or refused with a hint when to come back. Nothing else.
fn done(answer: &Answer) -> bool {
    match answer.status {
        200 => true,
        503 => {
            assert_eq!(answer.json()["code"], "OVERLOADED", "{answer:?}");
            assert!(answer.header("retry-after").is_some(), "{answer:?}");
            false
        }
        _ => panic!("neither done nor overloaded: {answer:?}"),
    }
}

/// One connection of the storm: each player once. Gives the players who were removed.
async fn storm(address: SocketAddr, member: Member, players: Vec<u64>, slowest: Arc<AtomicU64>) -> Vec<u64> {
    let mut wire = Wire::open(address).await.expect("a connection");
    let mut removed = Vec::new();
    for player in players {
        let (answer, took) = remove(&mut wire, &member, player).await;
        if done(&answer) {
            removed.push(player);
        } else {
            slowest.fetch_max(took.as_millis() as u64, SeqCst);
        }
    }
    removed
}

/// Another Org's client, which comes back when it is told to. Gives the number of refusals.
async fn persist(address: SocketAddr, member: Member) -> u64 {
    let mut wire = Wire::open(address).await.expect("a connection");
    let mut refusals = 0;
    for player in 0..WRITES_OF_OTHERS {
        let begun = Instant::now();
        while !done(&remove(&mut wire, &member, player).await.0) {
            refusals += 1;
            assert!(
                begun.elapsed() < Duration::from_secs(60),
                "another Org was kept out"
            );
            pause_ms(5).await;
        }
    }
    refusals
}

async fn active(site: &Site, member: &Member) -> Vec<String> {
    storage::linking::links::list_newest(&site.db.db, member.tenant.scope, 100_000)
        .await
        .expect("the history")
        .into_iter()
        .filter(|row| row.ended_at_ms.is_none())
        .map(|row| row.discord_id)
        .collect()
}

both_databases! {
    async fn overload_is_refused_at_once_and_what_is_acknowledged_is_stored(engine) {
        let writes = rounds(500, 5_000) as u64;
        let mut site = Site::seed(engine, OTHERS as u64 + 1, writes.max(WRITES_OF_OTHERS)).await;
        let node = site.node_with(&[("SYMBOLON_DATABASE_WRITE_QUEUE", "1")]).await;
        let stormer = site.members.remove(0);
        let slowest = Arc::new(AtomicU64::new(0));
        let mut running = JoinSet::new();
        for connection in 0..CONNECTIONS {
            let players = (connection..writes).step_by(CONNECTIONS as usize).collect();
            running.spawn(storm(node.address, stormer.clone(), players, Arc::clone(&slowest)));
        }
        let mut others = JoinSet::new();
        for member in &site.members {
            others.spawn(persist(node.address, member.clone()));
        }
        let refusals: u64 = others.join_all().await.into_iter().sum();
        let removed: Vec<u64> = running.join_all().await.into_iter().flatten().collect();
        assert!(!removed.is_empty() && (removed.len() as u64) < writes, "{} of {writes} done", removed.len());
        let left = active(&site, &stormer).await;
        assert_eq!(left.len() as u64, writes - removed.len() as u64, "refused writes are not done, others are");
        assert!(removed.iter().all(|player| !left.iter().any(|id| id == discord(*player).as_str())));
        for member in &site.members {
            assert_eq!(active(&site, member).await.len() as u64, writes - WRITES_OF_OTHERS);
        }
        let log = std::fs::read_to_string(&node.log).expect("the log");
        assert!(!log.contains("locked"), "{log}");
        assert!(node.stop().await);
        report(engine, &format!(
            "overload: {writes} writes of one Org over {CONNECTIONS} connections into a queue of 1, {} done, the rest refused within {} ms, {OTHERS} other Orgs got all {WRITES_OF_OTHERS} writes through after {refusals} refusals",
            removed.len(),
            slowest.load(SeqCst),
        ));
        site.finish().await;
    }
}
