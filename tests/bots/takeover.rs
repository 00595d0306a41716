//! A node that runs bots dies or hangs, and another one goes on with them.

use std::process::Command;
use std::time::{Duration, Instant};

use testkit::{Engine, Node, both_databases, rounds, wait_until};

use super::children::children;
use super::harbour::Harbour;
use super::own::make;

async fn sailing(engine: Engine) -> (Harbour, Node) {
    let harbour = Harbour::open(engine, rounds(4, 20) as u64).await;
    let node = harbour.node().await;
    harbour.save_all(&node).await;
    harbour.all_are(&node, "online").await;
    harbour.assert_in_order(&node).await;
    (harbour, node)
}

fn identifies(harbour: &Harbour) -> Vec<u64> {
    let bots = (1..=harbour.len() as u64).map(|number| make(&harbour.discord, number));
    bots.map(|bot| harbour.identifies(bot)).collect()
}

/// How long it takes until every bot is online again, when none of them is.
async fn all_back(harbour: &Harbour) -> Duration {
    let begun = Instant::now();
    let bots: Vec<_> = (1..=harbour.len() as u64)
        .map(|number| make(&harbour.discord, number))
        .collect();
    let are_back = || async { bots.iter().all(|bot| harbour.connected(*bot).len() == 1) };
    wait_until("all bots are back", are_back).await;
    begun.elapsed()
}

fn signal(node: &Node, name: &str) {
    let sent = Command::new("kill")
        .args([name, &node.pid().to_string()])
        .status();
    assert!(sent.is_ok_and(|status| status.success()));
}

both_databases! {
    async fn bots_of_a_service_that_was_killed_are_online_again_with_at_most_one_new_session_each(engine) {
        let (harbour, node) = sailing(engine).await;
        let before = identifies(&harbour);
        node.kill();
        let node = harbour.node().await;
        let took = all_back(&harbour).await;
        harbour.all_are(&node, "online").await;
        harbour.assert_in_order(&node).await;
        let began: Vec<u64> = identifies(&harbour).iter().zip(&before).map(|(now, before)| now - before).collect();
        println!("{} bots online again after {took:?}, new sessions {began:?}", harbour.len());
        assert!(began.iter().all(|count| *count <= 1), "{began:?}");
        assert!(node.stop().await);
        harbour.finish().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_node_takes_over_from_one_that_died_and_from_one_that_hangs() {
    let (harbour, first) = sailing(Engine::Postgres).await;
    let second = harbour.node_elsewhere("second", &[]).await;
    first.kill();
    let took = all_back(&harbour).await;
    println!(
        "{} bots taken over from a dead node after {took:?}",
        harbour.len()
    );
    harbour.all_are(&second, "online").await;
    harbour.assert_in_order(&second).await;
    let third = harbour.node_elsewhere("third", &[]).await;
    signal(&second, "-STOP");
    wait_until("the other node has them", || async {
        children(third.pid()).len() == harbour.len() + 1
    })
    .await;
    let took = all_back(&harbour).await;
    println!("… from one that hangs {took:?} after their processes had begun");
    signal(&second, "-CONT");
    harbour.all_are(&third, "online").await;
    wait_until("who hung has let go of them", || async {
        children(second.pid()).is_empty()
    })
    .await;
    harbour.assert_in_order(&third).await;
    assert!(second.stop().await && third.stop().await);
    harbour.finish().await;
}
