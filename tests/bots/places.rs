//! How many bots a node has room for, who hands over, what a stop ends, and as whom bots run.

use std::os::unix::fs::MetadataExt;
use std::time::Duration;

use testkit::{Engine, Node, both_databases, wait_until};

use super::children::children;
use super::harbour::{Harbour, newcomers, shared_only};
use super::log::snowflake;
use super::own::{make, token};

/// Whoever pays for the bot with this number.
async fn pay(harbour: &Harbour, number: u64, status: &str) {
    let sql = format!(
        "UPDATE subscriptions SET status = '{status}'
         WHERE guild_num = (SELECT guild_num FROM dedicated_bots WHERE name = 'own-{number}')"
    );
    harbour.site.db.damage(&sql).await;
}

/// Time in which a node looks at its bots several times.
async fn a_while() {
    tokio::time::sleep(Duration::from_secs(4)).await;
}

/// The user of a process, by its number.
fn user(pid: u32) -> u32 {
    std::fs::metadata(format!("/proc/{pid}"))
        .expect("a process")
        .uid()
}

/// The users and groups that a process has, by what the kernel says of it.
fn standing(pid: u32) -> Vec<Vec<u32>> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).expect("a process");
    let of = |name: &str| {
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix(name))
            .expect("a line");
        line.split_whitespace()
            .map(|word| word.parse().expect("a number"))
            .collect()
    };
    vec![of("Uid:"), of("Gid:"), of("Groups:")]
}

both_databases! {
    async fn a_bot_that_does_not_run_takes_no_room_and_needs_some_to_go_on(engine) {
        let harbour = Harbour::open(engine, 2).await;
        let node = harbour.node_with(&[("SYMBOLON_BOT_CAPACITY", "1")]).await;
        let before = shared_only(&harbour, &node).await;
        harbour.save(&node, 0, &token(1)).await;
        harbour.until(&node, 0, "online").await;
        harbour.save(&node, 1, &token(2)).await;
        wait_until("it says why", || async { harbour.bot(&node, 1).await["reason"] == "no_room" }).await;
        assert_eq!(harbour.bot(&node, 1).await["step"], "allocate", "it waits for room");
        pay(&harbour, 1, "canceled").await;
        harbour.until(&node, 0, "paused").await;
        harbour.until(&node, 1, "online").await;
        pay(&harbour, 1, "active").await;
        a_while().await;
        assert_ne!(harbour.bot(&node, 0).await["status"], "online", "its place is taken");
        assert_eq!(newcomers(&node, &before).len(), 1);
        // The other one fails.
        harbour.site.db.damage("UPDATE dedicated_bots SET step = 'failed', reason = 'crash_loop' WHERE name = 'own-2'").await;
        let first = harbour.until(&node, 0, "online").await;
        assert_eq!((first["restart_reason"].as_str(), newcomers(&node, &before).len()), (Some("resumed"), 1));
        assert_eq!(harbour.ask(&node, 1, "POST", "/retry", "").await.0, 200);
        a_while().await;
        assert_eq!(harbour.bot(&node, 1).await["status"], "starting", "it waits for room");
        assert_eq!(newcomers(&node, &before).len(), 1);
        pay(&harbour, 1, "canceled").await;
        harbour.until(&node, 1, "online").await;
        assert!(node.stop().await);
        harbour.finish().await;
    }

    async fn a_service_that_stops_starts_no_more_bots(engine) {
        let harbour = Harbour::open(engine, 6).await;
        let node = harbour.node().await;
        harbour.save_all(&node).await;
        harbour.all_are(&node, "online").await;
        assert!(node.stop().await);
        let node = harbour.node().await;
        wait_until("the first of them", || async { children(node.pid()).len() >= 2 }).await;
        let (log, seen) = (node.log.clone(), children(node.pid()).len());
        let ended = || std::fs::read_to_string(&log).unwrap_or_default().matches("a bot has ended").count();
        let before = ended();
        assert!(node.stop().await);
        // One could just have begun.
        assert!(ended() - before <= seen + 1, "{} of {seen}", ended() - before);
        harbour.finish().await;
    }

    async fn where_the_service_is_root_each_bot_is_a_user_of_its_own_and_stays_it(engine) {
        let harbour = Harbour::open(engine, 2).await;
        let node = harbour.node().await;
        let before = shared_only(&harbour, &node).await;
        harbour.save_all(&node).await;
        harbour.all_are(&node, "online").await;
        let ours = user(std::process::id());
        let folder = |bot: &serde_json::Value| harbour.site.db.directory().join("bots").join(bot["id"].as_str().unwrap()).join("state");
        let mut users: Vec<u32> = newcomers(&node, &before).into_iter().map(|pid| {
            let [uids, gids, groups] = &standing(pid)[..] else { panic!("three lists") };
            assert!(uids.iter().all(|uid| uid == &uids[0]), "{uids:?}");
            if ours == 0 {
                assert_eq!((gids, groups.len()), (uids, 0));
            }
            uids[0]
        }).collect();
        users.sort_unstable();
        let mut owners = Vec::new();
        for place in 0..2 {
            let state = std::fs::metadata(folder(&harbour.bot(&node, place).await)).expect("its folder");
            assert_eq!(state.mode() & 0o777, 0o700);
            owners.push(state.uid());
        }
        owners.sort_unstable();
        assert_eq!(owners, users);
        assert_eq!(users, if ours == 0 { [60_706, 60_707] } else { [ours, ours] });
        let identifies = |number| harbour.identifies(make(&harbour.discord, number));
        let begun = (identifies(1), identifies(2));
        assert!(node.stop().await);
        let node = harbour.node().await;
        harbour.assert_in_order(&node).await;
        assert_eq!((identifies(1), identifies(2)), begun, "each goes on with what it has kept");
        assert!(node.stop().await);
        harbour.finish().await;
    }
}

/// A bot has the Guild when its commands are the bot's.
async fn until_handed_over(harbour: &Harbour, number: u64) {
    let own = make_known(harbour, number);
    let guild = snowflake(&harbour.site.members[number as usize - 1].tenant.discord_guild);
    let is_told = || async {
        let state = harbour.discord.state();
        let application = state.applications.get(&own).expect("an application");
        application
            .guild_commands
            .get(&guild)
            .is_some_and(|commands| !commands.is_empty())
    };
    wait_until("the Guild is the own bot's", is_told).await;
}

fn make_known(_: &Harbour, number: u64) -> emulator::discord::Snowflake {
    snowflake(&super::own::account(number))
}

fn leads(node: &Node) -> bool {
    let text = std::fs::read_to_string(&node.log).unwrap_or_default();
    text.contains("this node works for the shared bot")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_without_room_hands_over_to_the_bots_of_another() {
    let harbour = Harbour::open(Engine::Postgres, 1).await;
    let first = harbour.node_with(&[("SYMBOLON_BOT_CAPACITY", "0")]).await;
    wait_until("it leads", || async { leads(&first) }).await;
    let second = harbour.node_elsewhere("second", &[]).await;
    harbour.save(&first, 0, &token(1)).await;
    harbour.until(&first, 0, "online").await;
    until_handed_over(&harbour, 1).await;
    assert!(!leads(&second), "the first one did it");
    assert_eq!(children(second.pid()).len(), 1, "the bot is the second one's");
    assert!(second.stop().await && first.stop().await);
    harbour.finish().await;
}
