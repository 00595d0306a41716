//! The service ends in the middle of every step, and the next one brings each bot to where it belongs.

use std::time::Instant;

use serde_json::json;
use testkit::{Engine, Node, both_databases, rounds, wait_until};

use super::children::{children, kill};
use super::harbour::{Harbour, RECOVERY, judge, newcomers, shared_only};
use super::own::{bot_id, token};

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
pub const PAUSING: [&str; 4] = ["paused.noted", "end.before", "end.after", "left.noted"];
const RESUMING: [&str; 4] = ["start.noted", "launch.before", "launch.noted", "launch.begun"];
const REPLACING: [&str; 5] = [
    "end.after",
    "launch.before",
    "launch.begun",
    "launch.noted",
    "end.before",
];
pub const CRASHING: [&str; 2] = ["exited.before", "exited.after"];

/// All of them at full scale, and half of them where a node is at some distance from its database; elsewhere a few.
fn chosen<T: Copy>(engine: Engine, every: usize, points: &[T]) -> impl Iterator<Item = T> {
    let every = match engine {
        Engine::Postgres => rounds(every * 3, 2),
        Engine::Sqlite => rounds(every, 1),
    };
    points.iter().copied().step_by(every)
}

pub fn ending_at(point: &str) -> [(&str, &str); 1] {
    [("SYMBOLON_TEST_ABORT_AT", point)]
}

/// Where half of the bots have passed this point, after so many times each before.
fn midway(harbour: &Harbour, point: &str, before: usize) -> String {
    format!("{point}#{}", harbour.len() * before + harbour.len() / 2 + 1)
}

/// How long it takes a new node until every bot is online.
async fn recovered(harbour: &Harbour, point: &str) -> Node {
    let begun = Instant::now();
    let node = harbour.node().await;
    harbour.all_are(&node, "online").await;
    harbour.all_are_connected().await;
    let what = format!("{point}: {} bots online again", harbour.len());
    judge(&what, begun.elapsed(), RECOVERY);
    harbour.assert_in_order(&node).await;
    node
}

async fn set_up(engine: Engine, points: &[&'static str]) {
    let harbour = Harbour::open(engine, rounds(3, 20) as u64).await;
    for point in chosen(engine, 2, points) {
        // All of them are to be on their way at once: who takes the tokens has no room, and who has is held until it is up.
        let node = harbour.node_with(&[("SYMBOLON_BOT_CAPACITY", "0")]).await;
        harbour.save_all(&node).await;
        assert!(node.stop().await);
        harbour.begin_at(i64::MAX).await;
        let node = harbour.node_with(&ending_at(&midway(&harbour, point, 0))).await;
        harbour.begin_at(0).await;
        node.ended().await;
        let node = recovered(&harbour, point).await;
        for place in 0..harbour.len() {
            assert_eq!(harbour.ask(&node, place, "DELETE", "", "").await.0, 204);
        }
        let is_empty = || async { children(node.pid()).len() == 1 && harbour.folders(&node).is_empty() };
        wait_until("nothing of them is left", is_empty).await;
        assert!(node.stop().await);
    }
    harbour.finish().await;
}

/// Gives each bot its other token that has not got it yet, here and on Discord, until the node has ended.
async fn replace(harbour: &Harbour, node: &Node, fresh: &[String], has: &mut [bool]) {
    for (place, token) in fresh.iter().enumerate() {
        let bot = bot_id(place as u64 + 1);
        let reset = harbour.discord.change(|state| {
            let application = state.applications.get_mut(&bot).expect("an application");
            application.token.clone_from(token);
        });
        reset.expect("another token");
        let body = json!({ "token": token }).to_string();
        while !has[place] {
            match harbour.try_ask(node, place, "POST", "/token", &body).await {
                None => return,
                Some((status, _)) => has[place] = status == 200,
            }
        }
    }
}

both_databases! {
    async fn an_end_before_or_after_any_part_of_the_first_steps_leaves_each_bot_online_once(engine) {
        set_up(engine, &SETTING_UP[..6]).await;
    }

    async fn an_end_before_or_after_any_part_of_the_last_steps_leaves_each_bot_online_once(engine) {
        set_up(engine, &SETTING_UP[6..]).await;
    }

    async fn an_end_in_a_pause_and_one_in_the_resumption_leave_each_bot_where_it_belongs(engine) {
        let harbour = Harbour::open(engine, rounds(3, 20) as u64).await;
        let node = harbour.node().await;
        harbour.save_all(&node).await;
        harbour.all_are(&node, "online").await;
        assert!(node.stop().await);
        let pairs: Vec<_> = PAUSING.into_iter().zip(RESUMING).collect();
        for (pausing, resuming) in chosen(engine, 2, &pairs) {
            let node = harbour.node_with(&ending_at(&midway(&harbour, pausing, 0))).await;
            // What was heard before may still say so: what is ended has to be there.
            harbour.all_are(&node, "online").await;
            harbour.assert_in_order(&node).await;
            harbour.pay("canceled").await;
            node.ended().await;
            let begun = Instant::now();
            let node = harbour.node_with(&ending_at(&midway(&harbour, resuming, 0))).await;
            harbour.all_are(&node, "paused").await;
            wait_until("only the shared bot is there", || async { children(node.pid()).len() == 1 }).await;
            judge(&format!("{pausing}: {} bots paused", harbour.len()), begun.elapsed(), RECOVERY);
            harbour.pay("active").await;
            node.ended().await;
            assert!(recovered(&harbour, resuming).await.stop().await);
        }
        harbour.finish().await;
    }

    async fn an_end_while_a_token_is_replaced_leaves_each_bot_online_with_the_new_one(engine) {
        let harbour = Harbour::open(engine, rounds(3, 20) as u64).await;
        let node = harbour.node().await;
        harbour.save_all(&node).await;
        harbour.all_are(&node, "online").await;
        assert!(node.stop().await);
        for point in chosen(engine, 3, &REPLACING) {
            // Each bot was started once before by this node.
            let before = usize::from(point.starts_with("launch"));
            let node = harbour.node_with(&ending_at(&midway(&harbour, point, before))).await;
            harbour.all_are(&node, "online").await;
            harbour.assert_in_order(&node).await;
            let fresh: Vec<String> = (1..=harbour.len() as u64).map(|number| format!("{point}-{}", token(number))).collect();
            let mut has = vec![false; harbour.len()];
            replace(&harbour, &node, &fresh, &mut has).await;
            node.ended().await;
            let begun = Instant::now();
            let node = harbour.node().await;
            replace(&harbour, &node, &fresh, &mut has).await;
            let uses_them = || async {
                let tried = harbour.discord.gateway()["attempts"].clone();
                fresh.iter().all(|token| tried[token].as_u64() >= Some(1))
            };
            wait_until("each new token is used", uses_them).await;
            harbour.all_are(&node, "online").await;
            harbour.all_are_connected().await;
            judge(&format!("{point}: {} bots online with their new tokens", harbour.len()), begun.elapsed(), RECOVERY);
            harbour.assert_in_order(&node).await;
            assert!(node.stop().await);
        }
        harbour.finish().await;
    }

    async fn an_end_after_a_crash_leaves_each_bot_online_once(engine) {
        let harbour = Harbour::open(engine, rounds(3, 20) as u64).await;
        let node = harbour.node().await;
        harbour.save_all(&node).await;
        harbour.all_are(&node, "online").await;
        assert!(node.stop().await);
        for point in chosen(engine, 1, &CRASHING) {
            let node = harbour.node_with(&ending_at(point)).await;
            let before = shared_only(&harbour, &node).await;
            harbour.all_are(&node, "online").await;
            wait_until("their processes", || async { !newcomers(&node, &before).is_empty() }).await;
            kill(newcomers(&node, &before)[0]);
            node.ended().await;
            assert!(recovered(&harbour, point).await.stop().await);
        }
        harbour.finish().await;
    }
}
