//! kill -9 of the service and of its bot while players link and unlink: each change has its one message, in order.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use emulator::Discord;
use emulator::discord::Snowflake;
use futures_util::future::join_all;
use serde_json::Value;
use testkit::{
    BOT_TOKEN, Node, Tenant, add_guild, add_member, add_player, both_databases, discord, log_channel, rounds,
    start_platforms, steam, wait_until,
};

use super::flows::Visitor;
use super::race::{Dice, report};
use super::site::{Site, pause_ms};
use crate::bots::children::{children, kill};

const PLAYERS: u64 = 4;
const SEED: u64 = 31;

/// A change of somebody's link, and when it was asked for and acknowledged, by a count that all players share.
struct Change {
    title: &'static str,
    asked: u64,
    acknowledged: Option<u64>,
}

pub(super) struct Player<'a> {
    pub number: u64,
    tenant: &'a Tenant,
    count: &'a AtomicU64,
    /// Changes that were acknowledged, of all players.
    done: &'a AtomicU64,
    changes: Vec<Change>,
}

impl<'a> Player<'a> {
    pub fn new(number: u64, tenant: &'a Tenant, count: &'a AtomicU64, done: &'a AtomicU64) -> Self {
        Self {
            number,
            tenant,
            count,
            done,
            changes: Vec::new(),
        }
    }

    /// Whether the last change that was acknowledged was a link.
    pub fn is_linked(&self) -> bool {
        let last = self.changes.iter().rfind(|change| change.acknowledged.is_some());
        last.is_some_and(|last| last.title == "Linked")
    }

    /// Does what was not acknowledged once more.
    pub async fn end(&mut self, node: &Node) {
        if self
            .changes
            .last()
            .is_some_and(|last| last.acknowledged.is_none())
        {
            self.change(node).await.expect("an answer");
        }
    }

    /// Links and unlinks until the connection breaks.
    pub async fn play(&mut self, node: &Node) {
        while self.change(node).await.is_ok() {}
    }

    async fn change(&mut self, node: &Node) -> std::io::Result<()> {
        let last = self.changes.last();
        let is_linked = last.is_some_and(|last| (last.title == "Linked") == last.acknowledged.is_some());
        if is_linked {
            self.unlink(node).await
        } else {
            self.link(node).await
        }
    }

    async fn link(&mut self, node: &Node) -> std::io::Result<()> {
        let mut visitor = Visitor::default();
        for (provider, account) in [
            ("discord", discord(self.number).to_string()),
            ("steam", steam(self.number).to_string()),
        ] {
            let back = visitor.leave(node, provider, &account).await?;
            visitor.send(node, "GET", &back, "").await?;
        }
        // There is no button if the last press was heard and its answer lost.
        if let Some(form) = visitor.form(node).await? {
            self.ask("Linked");
            visitor.press(node, &form).await?;
        }
        self.acknowledge();
        Ok(())
    }

    async fn unlink(&mut self, node: &Node) -> std::io::Result<()> {
        self.ask("Unlinked");
        let uri = format!("/api?action=remove&id={}", discord(self.number));
        let headers = [("x-api-key", self.tenant.key.as_str())];
        let (status, body) = node.try_request("GET", &uri, &headers, "").await?;
        assert!([200, 404].contains(&status), "{status} {body}");
        self.acknowledge();
        Ok(())
    }

    /// What was not acknowledged is asked again.
    fn ask(&mut self, title: &'static str) {
        let asked = self.count.fetch_add(1, Ordering::Relaxed);
        if self.changes.last().is_none_or(|last| last.acknowledged.is_some()) {
            let acknowledged = None;
            self.changes.push(Change {
                title,
                asked,
                acknowledged,
            });
        }
    }

    fn acknowledge(&mut self) {
        let at = self.count.fetch_add(1, Ordering::Relaxed);
        if let Some(last) = self.changes.last_mut() {
            last.acknowledged = Some(at);
            self.done.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Title and player of each message in the channel.
fn told(discord_side: &Discord, tenant: &Tenant) -> Vec<(String, String)> {
    let channel: Snowflake = log_channel(&tenant.discord_guild).as_str().parse().unwrap();
    let state = discord_side.state();
    let messages = state.messages.get(&channel).into_iter().flatten();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let line = |embed: &Value| {
        let fields = embed["fields"].as_array().expect("fields");
        let id = fields
            .iter()
            .find(|field| field["name"] == "Discord ID")
            .expect("whose");
        (text(&embed["title"]), text(&id["value"]))
    };
    messages
        .flat_map(|message| message.embeds.iter().map(line))
        .collect()
}

/// Each change has its one message, and none stands before one that was acknowledged before it was asked for.
fn compare(players: &[Player<'_>], told: &[(String, String)]) {
    let mut by_player: BTreeMap<&str, Vec<(&str, usize)>> = BTreeMap::new();
    for (place, (title, whose)) in told.iter().enumerate() {
        by_player.entry(whose).or_default().push((title, place));
    }
    let mut placed: Vec<(usize, &Change)> = Vec::new();
    for player in players {
        let id = discord(player.number);
        let own = by_player.remove(id.as_str()).unwrap_or_default();
        let titles: Vec<&str> = own.iter().map(|(title, _)| *title).collect();
        let expected: Vec<&str> = player.changes.iter().map(|change| change.title).collect();
        assert_eq!(titles, expected, "player {}", player.number);
        placed.extend(own.iter().map(|(_, place)| *place).zip(&player.changes));
    }
    placed.sort_by_key(|(place, _)| *place);
    let mut latest_asked = 0;
    for (place, change) in placed {
        let acknowledged = change.acknowledged.expect("all are acknowledged in the end");
        assert!(acknowledged > latest_asked, "message {place} came too late");
        latest_asked = latest_asked.max(change.asked);
    }
}

/// A dead process is not heard of for a while; the test does not wait for that.
pub async fn skip_leases(site: &Site) {
    site.db
        .damage(
            "UPDATE job_lanes SET run_at = 0 WHERE lease_owner IS NOT NULL;
             UPDATE bots SET lease_until = 0, heard_at = 0 WHERE lease_owner IS NOT NULL AND heard_at IS NOT NULL;
             UPDATE bots SET lease_until = 0 WHERE lease_owner IS NOT NULL",
        )
        .await;
}

/// Players play while something is killed at a moment that nobody expects.
async fn round(players: &mut [Player<'_>], node: &Node, after_ms: u64, pid: u32) {
    let done = players[0].done;
    let before = done.load(Ordering::Relaxed);
    let playing = join_all(players.iter_mut().map(|player| player.play(node)));
    let killing = async {
        pause_ms(after_ms).await;
        // A slow machine takes longer to get anywhere.
        wait_until("somebody has played", || async {
            done.load(Ordering::Relaxed) > before
        })
        .await;
        kill(pid);
        // Also who was not killed is left in the middle of what they did.
        pause_ms(after_ms / 4).await;
    };
    tokio::select! {
        _ = playing => {}
        () = killing => {}
    }
}

both_databases! {
    async fn each_link_and_unlink_is_told_once_and_in_order_through_kill_nine(engine) {
        let site = Site::seed(engine, 1, 0).await;
        let (discord_side, steam_side, settings) = start_platforms().await;
        let mut settings: Vec<(&str, &str)> = settings.iter().map(|(name, value)| (*name, value.as_str())).collect();
        settings.extend([("SYMBOLON_DISCORD_BOT_TOKEN", BOT_TOKEN), ("SYMBOLON_LIMITS_LINK_STEPS_PER_MINUTE", "100000"), ("SYMBOLON_LIMITS_LINK_STARTS_PER_MINUTE", "100000")]);
        let tenant = &site.members[0].tenant;
        add_guild(&discord_side, &tenant.discord_guild, "Guild 1");
        let (count, done) = (AtomicU64::new(1), AtomicU64::new(0));
        let mut players: Vec<Player<'_>> = (1..=PLAYERS)
            .map(|number| {
                add_player(&discord_side, &steam_side, number);
                add_member(&discord_side, &tenant.discord_guild, &discord(number));
                Player::new(number, tenant, &count, &done)
            })
            .collect();
        let (kills, mut dice) = (rounds(10, 100), Dice::new(SEED));
        for _ in 0..kills {
            let node = site.node_with(&settings).await;
            wait_until("the bot runs", || async { children(node.pid()).len() == 1 }).await;
            round(&mut players, &node, 50 + dice.roll(350), children(node.pid())[0]).await;
            round(&mut players, &node, 50 + dice.roll(350), node.pid()).await;
            node.kill();
            skip_leases(&site).await;
        }
        let node = site.node_with(&settings).await;
        for player in &mut players {
            player.end(&node).await;
        }
        wait_until("everything is told", || async { site.db.count("jobs").await == 0 }).await;
        let told = told(&discord_side, tenant);
        compare(&players, &told);
        assert!(told.len() > kills, "the players hardly played");
        assert_eq!(discord_side.gateway()["overlaps"], Value::Array(Vec::new()));
        assert!(node.stop().await, "a clean stop after the last crash");
        let gateway = discord_side.gateway();
        report(engine, &format!(
            "kill -9 of service and bot, seed {SEED}: {kills} rounds each, {} messages for {} changes, in order; sessions begun {}, gone on with {}",
            told.len(), told.len(), gateway["identifies"], gateway["resumes"],
        ));
        site.finish().await;
    }
}
