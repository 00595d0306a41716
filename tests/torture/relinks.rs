//! While players change accounts, every look-up finds the owner before or after, never none and never two.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};

use domain::plan::Tier;
use testkit::{Client, Engine, both_databases, discord, rounds, steam, wait_until};
use tokio::task::JoinSet;

use super::race::{Nodes, report};
use super::site::start_node;
use super::wire::Wire;

const READERS: usize = 4;

/// Who holds which account after `step` relinks: A–1, A–2, B–2, B–1, and again. Each step changes one side.
fn pair(step: usize) -> (u64, u64) {
    [(0, 0), (0, 1), (1, 1), (1, 0)][step % 4]
}

/// What `findBySteam` answers after `step` relinks.
fn owner(step: usize, account: u64) -> (u16, String) {
    match pair(step) {
        (player, held) if held == account => (200, format!("\"{}\"", discord(player).as_str())),
        _ => (404, r#""No users found.""#.to_owned()),
    }
}

#[derive(Default)]
struct Progress {
    begun: AtomicUsize,
    done: AtomicUsize,
    over: AtomicBool,
    samples: AtomicUsize,
}

/// A reader inside the process, or over a socket of another node.
enum Reader {
    Inside(Client),
    Outside(Wire, String),
}

impl Reader {
    async fn get(&mut self, query: &str) -> (u16, String) {
        match self {
            Reader::Inside(client) => {
                let reply = client.get(&format!("/api?{query}")).await;
                (reply.status.as_u16(), reply.text().to_owned())
            }
            Reader::Outside(wire, key) => {
                let answer = wire.plugin(key, query).await.expect("the node answers");
                (answer.status, answer.body)
            }
        }
    }

    /// Reads until the writer is done. An answer must be true for a moment between question and answer.
    async fn watch(mut self, progress: Arc<Progress>) {
        let mut turn = 0;
        while !progress.over.load(SeqCst) {
            let account = turn % 2;
            turn += 1;
            let before = progress.done.load(SeqCst);
            let found = self
                .get(&format!("action=findBySteam&id={}", steam(account).as_str()))
                .await;
            let after = progress.begun.load(SeqCst);
            let possible: Vec<_> = (before..=after).map(|step| owner(step, account)).collect();
            assert!(
                possible.contains(&found),
                "{found:?} at step {before}..={after}, possible {possible:?}"
            );
            let total = self.get("action=count").await;
            assert_eq!(total, (200, r#"{"Total":1}"#.to_owned()));
            progress.samples.fetch_add(2, SeqCst);
        }
    }
}

both_databases! {
    async fn a_relink_is_never_seen_half_done(engine) {
        let nodes = Nodes::start(engine).await;
        let tenant = nodes.test.tenant(1, Tier::Pro).await;
        let node = match engine {
            Engine::Sqlite => None,
            Engine::Postgres => Some(start_node(&nodes.test.db, &[]).await),
        };
        let progress = Arc::new(Progress::default());
        let (player, account) = pair(0);
        tenant.link_pair(&nodes.test.app, player, account).await.expect("the first link");
        let mut readers = JoinSet::new();
        for number in 0..READERS {
            let reader = match &node {
                Some(node) if number % 2 == 1 => {
                    Reader::Outside(Wire::open(node.address).await.expect("a connection"), tenant.key.clone())
                }
                Some(_) | None => Reader::Inside(nodes.test.plugin(&tenant.key)),
            };
            readers.spawn(reader.watch(Arc::clone(&progress)));
        }
        let relinks = rounds(500, 10_000);
        for step in 1..=relinks {
            progress.begun.store(step, SeqCst);
            let (player, account) = pair(step);
            tenant.link_pair(&nodes.app(step as u64), player, account).await.expect("a relink");
            progress.done.store(step, SeqCst);
            // On a busy machine too there are readers all the way.
            wait_until("the readers read", || async { progress.samples.load(SeqCst) >= step / 20 }).await;
        }
        progress.over.store(true, SeqCst);
        readers.join_all().await;
        let rows = storage::linking::links::list_newest(&nodes.test.db.db, tenant.scope, 20_000).await.expect("the history");
        assert_eq!(rows.len(), relinks + 1);
        assert_eq!(rows.iter().filter(|row| row.ended_at_ms.is_none()).count(), 1);
        let samples = progress.samples.load(SeqCst);
        assert!(samples >= relinks / 20, "the readers hardly read: {samples}");
        report(engine, &format!("relinks: {relinks}, {READERS} readers took {samples} samples, 0 with no owner or two"));
        drop(node);
        nodes.finish(engine).await;
    }
}
