//! Guilds' own bots as processes of a node: from a token to online, through pauses, crashes and restarts.

use std::time::{Duration, Instant};

use testkit::{Engine, both_databases, wait_until};

use super::children::{children, kill};
use super::harbour::{Harbour, judge, newcomers, shared_only};
use super::own::{bot_id, make, token};

fn now_ms() -> i64 {
    let since = std::time::UNIX_EPOCH.elapsed().expect("a time after 1970");
    i64::try_from(since.as_millis()).expect("a time of our days")
}

both_databases! {
    async fn a_bot_goes_from_its_token_to_online_and_through_a_pause_as_the_same_bot(engine) {
        let harbour = Harbour::open(engine, 1).await;
        let own = make(&harbour.discord, 1);
        let node = harbour.node().await;
        let before = shared_only(&harbour, &node).await;
        harbour.save(&node, 0, &token(1)).await;
        let first = harbour.until(&node, 0, "online").await;
        assert_eq!(harbour.connected(own)[0]["presence"]["activities"][0]["name"], "1 linked account");
        assert!(first["memory_bytes"].as_i64().unwrap() > 100_000 && first["started_at_ms"].is_i64(), "{first}");
        let [child] = newcomers(&node, &before)[..] else { panic!("one process") };
        for file in ["environ", "cmdline"] {
            let shown = std::fs::read(format!("/proc/{child}/{file}")).unwrap();
            assert!(!String::from_utf8_lossy(&shown).contains("t0ken"), "{file}");
        }
        // Nobody pays any more: it is offline, and all that it needs is kept.
        harbour.site.db.damage("UPDATE subscriptions SET status = 'canceled'").await;
        harbour.until(&node, 0, "paused").await;
        wait_until("it is offline", || async { harbour.connected(own).is_empty() }).await;
        wait_until("its process has ended", || async { newcomers(&node, &before).is_empty() }).await;
        assert_eq!(harbour.ask(&node, 0, "GET", "", "").await.1["shared"]["serving"], true);
        harbour.site.db.damage("UPDATE subscriptions SET status = 'active'").await;
        let again = harbour.until(&node, 0, "online").await;
        assert_eq!((&again["id"], &again["discord_user_id"]), (&first["id"], &first["discord_user_id"]));
        assert_eq!(again["restart_reason"], "resumed");
        assert!(node.stop().await);
        let folder = harbour.site.db.directory().join("bots").join(first["id"].as_str().unwrap());
        for file in std::fs::read_dir(folder.join("state")).unwrap() {
            let text = std::fs::read(file.unwrap().path()).unwrap();
            assert!(!String::from_utf8_lossy(&text).contains("t0ken"), "the token is on no disk");
        }
        harbour.finish().await;
    }

    async fn a_new_token_restarts_the_bot_and_a_restart_of_the_node_costs_no_session(engine) {
        let harbour = Harbour::open(engine, 1).await;
        let own = make(&harbour.discord, 1);
        let node = harbour.node().await;
        let before = shared_only(&harbour, &node).await;
        harbour.save(&node, 0, &token(1)).await;
        harbour.until(&node, 0, "online").await;
        let fresh = token(1).replace("own", "new");
        let replaced = harbour.discord.change(|state| state.applications.get_mut(&own).unwrap().token = fresh.clone());
        replaced.unwrap();
        let (begun, saved_ms) = (Instant::now(), now_ms());
        harbour.save(&node, 0, &fresh).await;
        let is_back = || async {
            let bot = harbour.bot(&node, 0).await;
            bot["status"] == "online" && bot["restart_reason"] == "token_replaced" && harbour.connected(own).len() == 1
        };
        wait_until("it is back under its new token", is_back).await;
        judge("online with the new token", begun.elapsed(), Duration::from_secs(15));
        let shown = harbour.discord.hub().calls().into_iter().filter(|call| call.authorization.contains(&token(1)));
        let last_ms = shown.map(|call| call.at_ms - saved_ms).max().unwrap_or(0).max(0);
        judge("the old token was shown last", Duration::from_millis(last_ms.cast_unsigned()), Duration::from_secs(5));
        assert_eq!(newcomers(&node, &before).len(), 1);
        let identifies = harbour.identifies(own);
        assert!(node.stop().await);
        let node = harbour.node().await;
        wait_until("its session goes on", || async { harbour.connected(own).len() == 1 }).await;
        assert_eq!(harbour.identifies(own), identifies, "no new one was begun");
        assert!(node.stop().await);
        harbour.finish().await;
    }

    async fn a_bot_that_ends_again_and_again_is_left_until_somebody_tries_it_again(engine) {
        let harbour = Harbour::open(engine, 2).await;
        let node = harbour.node().await;
        let before = shared_only(&harbour, &node).await;
        harbour.save(&node, 0, &token(1)).await;
        harbour.until(&node, 0, "online").await;
        let with_first = children(node.pid());
        harbour.save(&node, 1, &token(2)).await;
        harbour.until(&node, 1, "online").await;
        let [second] = newcomers(&node, &with_first)[..] else { panic!("one process") };
        // Older ends count as if they were of just now.
        let now_ms = now_ms();
        let four = format!("UPDATE dedicated_bots SET exits = '[{now_ms},{now_ms},{now_ms}]' WHERE name = 'own-1'");
        harbour.site.db.damage(&four).await;
        let known: Vec<u32> = before.iter().copied().chain([second]).collect();
        let mut killed = 0;
        while harbour.bot(&node, 0).await["status"] != "failed" {
            for pid in newcomers(&node, &known) {
                kill(pid);
                killed += 1;
            }
            tokio::time::sleep(std::time::Duration::from_millis(200)).await;
            assert!(killed < 10, "it is started without end");
        }
        let failed = harbour.bot(&node, 0).await;
        assert_eq!((failed["reason"].as_str(), failed["restart_reason"].as_str()), (Some("crash_loop"), Some("crashed")));
        assert!(killed >= 2, "{killed}");
        assert_eq!(harbour.bot(&node, 1).await["status"], "online", "the other one goes on");
        let (status, _) = harbour.ask(&node, 0, "POST", "/retry", "").await;
        assert_eq!(status, 200);
        harbour.until(&node, 0, "online").await;
        assert!(node.stop().await);
        harbour.finish().await;
    }

    async fn a_token_that_discord_takes_back_is_not_tried_again(engine) {
        let harbour = Harbour::open(engine, 1).await;
        let own = make(&harbour.discord, 1);
        let node = harbour.node().await;
        harbour.save(&node, 0, &token(1)).await;
        harbour.until(&node, 0, "online").await;
        let taken = harbour.discord.change(|state| state.applications.get_mut(&own).unwrap().token = "other".to_owned());
        taken.unwrap();
        let failed = harbour.until(&node, 0, "failed").await;
        assert_eq!(failed["reason"], "token_rejected");
        let tried = harbour.discord.gateway()["attempts"].clone();
        tokio::time::sleep(std::time::Duration::from_secs(3)).await;
        assert_eq!(harbour.discord.gateway()["attempts"], tried);
        assert_eq!(harbour.ask(&node, 0, "GET", "", "").await.1["shared"]["serving"], true);
        assert!(node.stop().await);
        // A node can end before it has written down what the process said.
        let said = format!("UPDATE bots SET instance = 'a', started_at = {} WHERE kind = 'dedicated'", now_ms());
        harbour.site.db.damage(&format!("UPDATE dedicated_bots SET step = 'online', reason = NULL; {said}")).await;
        let node = harbour.node().await;
        assert_eq!(harbour.until(&node, 0, "failed").await["reason"], "token_rejected");
        assert_eq!(harbour.discord.gateway()["attempts"][&token(1)], tried[&token(1)]);
        assert!(children(node.pid()).len() <= 1, "only the shared bot is there");
        assert!(node.stop().await);
        harbour.finish().await;
    }

    async fn a_bot_that_takes_more_and_more_memory_is_ended_alone_whatever_the_database_does(engine) {
        let harbour = Harbour::open(engine, 3).await;
        let node = harbour.node().await;
        let shared = shared_only(&harbour, &node).await;
        harbour.save(&node, 0, &token(1)).await;
        let first = harbour.until(&node, 0, "online").await;
        let [leaking] = newcomers(&node, &shared)[..] else { panic!("one process") };
        let known = children(node.pid());
        harbour.save_all(&node).await;
        harbour.all_are(&node, "online").await;
        let others = newcomers(&node, &known);
        // Nothing can be read of any bot, or written down. Others leave when that lasts.
        let held = match engine {
            Engine::Postgres => Some(harbour.site.db.begin_beside("LOCK TABLE dedicated_bots").await),
            Engine::Sqlite => None,
        };
        let mark = harbour.site.db.directory().join("bots").join(first["id"].as_str().unwrap()).join("state/leak");
        std::fs::write(&mark, "").unwrap();
        let log = || std::fs::read_to_string(&node.log).unwrap_or_default();
        wait_until("it is seen", || async { log().contains("a Custom Bot takes too much memory") }).await;
        wait_until("it has ended", || async { !children(node.pid()).contains(&leaking) }).await;
        std::fs::remove_file(&mark).unwrap();
        if let Some(held) = &held {
            held.run("ROLLBACK").await;
        } else {
            let now = children(node.pid());
            assert!(others.len() == 2 && others.iter().all(|pid| now.contains(pid)), "the others go on");
        }
        let is_back = || async {
            let bot = harbour.bot(&node, 0).await;
            bot["status"] == "online" && bot["restart_reason"] == "memory" && harbour.connected(bot_id(1)).len() == 1
        };
        wait_until("it is back", is_back).await;
        assert!(node.stop().await);
        harbour.finish().await;
    }
}
