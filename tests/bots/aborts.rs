//! The service ends in the middle of every step, and the next one brings each bot to where it belongs.

use testkit::{Engine, both_databases, rounds, wait_until};

use super::children::{children, kill};
use super::harbour::{Harbour, newcomers, shared_only};

pub const SETTING_UP: [&str; 12] = [
    "allocate.before",
    "allocate.worked",
    "allocate.noted",
    "install.before",
    "install.worked",
    "install.noted",
    "deploy.before",
    "deploy.worked",
    "deploy.noted",
    "launch.before",
    "launch.noted",
    "launch.begun",
];
const PAUSING: [&str; 3] = ["end.before", "end.after", "arrive.ended"];
const CRASHING: [&str; 2] = ["exited.before", "exited.after"];

/// All of them on an embedded database; elsewhere a node waits for leases, so that a few have to do outside torture.
fn chosen<'a>(engine: Engine, points: &'a [&'a str]) -> impl Iterator<Item = &'a str> {
    let every = if engine == Engine::Postgres {
        rounds(3, 1)
    } else {
        1
    };
    points.iter().copied().step_by(every)
}

pub fn ending_at(point: &str) -> [(&str, &str); 1] {
    [("SYMBOLON_TEST_ABORT_AT", point)]
}

async fn set_up(engine: Engine, points: &[&str]) {
    let harbour = Harbour::open(engine, rounds(3, 20) as u64).await;
    for point in chosen(engine, points) {
        let node = harbour.node_with(&ending_at(point)).await;
        harbour.save_all(&node).await;
        node.ended().await;
        let node = harbour.node().await;
        let begun = std::time::Instant::now();
        harbour.save_all(&node).await;
        harbour.all_are(&node, "online").await;
        println!(
            "{point}: {} bots online {:?} after the restart",
            harbour.len(),
            begun.elapsed()
        );
        harbour.assert_in_order(&node).await;
        for place in 0..harbour.len() {
            assert_eq!(harbour.ask(&node, place, "DELETE", "", "").await.0, 204);
        }
        let is_empty = || async { children(node.pid()).len() == 1 && harbour.folders() == 0 };
        wait_until("nothing of them is left", is_empty).await;
        assert!(node.stop().await);
    }
    harbour.finish().await;
}

both_databases! {
    async fn an_end_before_or_after_any_part_of_the_first_steps_leaves_each_bot_online_once(engine) {
        set_up(engine, &SETTING_UP[..6]).await;
    }

    async fn an_end_before_or_after_any_part_of_the_last_steps_leaves_each_bot_online_once(engine) {
        set_up(engine, &SETTING_UP[6..]).await;
    }

    async fn an_end_in_a_pause_or_after_a_crash_leaves_each_bot_where_it_belongs(engine) {
        let harbour = Harbour::open(engine, rounds(3, 20) as u64).await;
        let node = harbour.node().await;
        harbour.save_all(&node).await;
        harbour.all_are(&node, "online").await;
        assert!(node.stop().await);
        for point in chosen(engine, &PAUSING) {
            let node = harbour.node_with(&ending_at(point)).await;
            // What was heard before may still say so: what is ended has to be there.
            harbour.all_are(&node, "online").await;
            harbour.assert_in_order(&node).await;
            harbour.site.db.damage("UPDATE subscriptions SET status = 'canceled'").await;
            node.ended().await;
            let node = harbour.node().await;
            harbour.all_are(&node, "paused").await;
            wait_until("only the shared bot is there", || async { children(node.pid()).len() == 1 }).await;
            harbour.site.db.damage("UPDATE subscriptions SET status = 'active'").await;
            harbour.all_are(&node, "online").await;
            harbour.assert_in_order(&node).await;
            assert!(node.stop().await);
        }
        for point in chosen(engine, &CRASHING) {
            let node = harbour.node_with(&ending_at(point)).await;
            let before = shared_only(&harbour, &node).await;
            harbour.all_are(&node, "online").await;
            wait_until("their processes", || async { !newcomers(&node, &before).is_empty() }).await;
            kill(newcomers(&node, &before)[0]);
            node.ended().await;
            let node = harbour.node().await;
            harbour.all_are(&node, "online").await;
            harbour.assert_in_order(&node).await;
            assert!(node.stop().await);
        }
        harbour.finish().await;
    }
}
