//! A node that runs bots dies or hangs, and another one goes on with them.

use std::process::Command;
use std::time::Instant;

use emulator::discord::Snowflake;
use testkit::{Engine, Node, both_databases, rounds, wait_until};

use super::children::children;
use super::harbour::{Harbour, RECOVERY, judge};

async fn sailing(engine: Engine) -> (Harbour, Node) {
    let harbour = Harbour::open(engine, rounds(4, 20) as u64).await;
    let node = harbour.node().await;
    harbour.save_all(&node).await;
    harbour.all_are(&node, "online").await;
    harbour.assert_in_order(&node).await;
    (harbour, node)
}

fn identifies(harbour: &Harbour) -> Vec<u64> {
    harbour
        .bots()
        .into_iter()
        .map(|bot| harbour.identifies(bot))
        .collect()
}

/// How often each bot came to be online, with a new session or with the one that it had.
fn arrivals(harbour: &Harbour) -> Vec<u64> {
    let resumes = harbour.discord.gateway()["resumes"].clone();
    let resumed = |bot: &Snowflake| resumes[bot.to_string()].as_u64().unwrap_or(0);
    let bots = harbour.bots();
    bots.iter()
        .map(|bot| harbour.identifies(*bot) + resumed(bot))
        .collect()
}

/// Until every bot was away and is online again.
async fn all_back(harbour: &Harbour, before: &[u64]) {
    let are_new = || {
        arrivals(harbour)
            .iter()
            .zip(before)
            .all(|(now, before)| now > before)
    };
    wait_until("every bot has come back", || async { are_new() }).await;
    harbour.all_are_connected().await;
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
        let (before, there) = (identifies(&harbour), arrivals(&harbour));
        let begun = Instant::now();
        node.kill();
        let node = harbour.node().await;
        all_back(&harbour, &there).await;
        judge(&format!("{} bots online again after kill -9", harbour.len()), begun.elapsed(), RECOVERY);
        harbour.all_are(&node, "online").await;
        harbour.assert_in_order(&node).await;
        let began: Vec<u64> = identifies(&harbour).iter().zip(&before).map(|(now, before)| now - before).collect();
        println!("new sessions {began:?}");
        assert!(began.iter().all(|count| *count <= 1), "{began:?}");
        assert!(node.stop().await);
        harbour.finish().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_node_takes_over_from_one_that_died_and_from_one_that_hangs() {
    let (harbour, first) = sailing(Engine::Postgres).await;
    let second = harbour.node_elsewhere("second", &[]).await;
    let (begun, there) = (Instant::now(), arrivals(&harbour));
    first.kill();
    all_back(&harbour, &there).await;
    let bots = harbour.len();
    judge(
        &format!("{bots} bots taken over from a node that died"),
        begun.elapsed(),
        RECOVERY,
    );
    harbour.all_are(&second, "online").await;
    harbour.assert_in_order(&second).await;
    let third = harbour.node_elsewhere("third", &[]).await;
    let (begun, there) = (Instant::now(), arrivals(&harbour));
    signal(&second, "-STOP");
    all_back(&harbour, &there).await;
    judge(
        &format!("{bots} bots taken over from a node that hangs"),
        begun.elapsed(),
        RECOVERY,
    );
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
