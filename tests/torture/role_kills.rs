//! kill -9 of the service and of its bot while players link and unlink, staff give roles and the game changes groups: in
//! the end everybody has what they should have, on both sides.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};

use emulator::Discord;
use emulator::discord::{Role, Snowflake};
use futures_util::future::join_all;
use serde_json::{Value, json};
use testkit::{
    BOT_TOKEN, Node, add_guild, add_member, add_player, both_databases, discord, rounds, start_platforms,
    steam, wait_until,
};

use super::messages::{Player, skip_leases};
use super::race::{Dice, report};
use super::site::{Member, Site, pause_ms};
use crate::bots::children::{children, kill};
use crate::bots::log::snowflake;

const PLAYERS: u64 = 4;
const SEED: u64 = 57;
/// Follows the group `vip`.
const VIP: u64 = 71;
/// Everybody's who is linked.
const VERIFIED: u64 = 72;
/// The group `staff` follows it.
const STAFF: u64 = 73;

/// The game server and the staff on Discord.
struct Hands<'a> {
    member: &'a Member,
    discord_side: &'a Discord,
    dice: Dice,
    game: BTreeMap<u64, BTreeSet<&'static str>>,
    edits: u64,
}

impl Hands<'_> {
    async fn plugin(&self, node: &Node, query: &str) -> std::io::Result<Value> {
        let headers = [("x-api-key", self.member.tenant.key.as_str())];
        let (status, body) = node
            .try_request("GET", &format!("/api?action={query}"), &headers, "")
            .await?;
        assert_eq!(status, 200, "{query}: {body}");
        Ok(serde_json::from_str(&body).unwrap_or_default())
    }

    fn roles(&self, number: u64) -> Vec<Snowflake> {
        let state = self.discord_side.state();
        let guild = &state.guilds[&snowflake(&self.member.tenant.discord_guild)];
        guild.members[&snowflake(&discord(number))].roles.clone()
    }

    fn has(&self, number: u64, role: u64) -> bool {
        self.roles(number).contains(&snowflake(&discord(role)))
    }

    /// Gives or takes the role that staff have a say in, or changes the group that the game has a say in.
    async fn edit(&mut self, node: &Node) -> std::io::Result<()> {
        let number = 1 + self.dice.roll(PLAYERS);
        self.edits += 1;
        if self.dice.roll(2) == 0 {
            let (guild, role) = (
                snowflake(&self.member.tenant.discord_guild),
                snowflake(&discord(STAFF)),
            );
            let changed = self.discord_side.change(|state| {
                let members = &mut state.guilds.get_mut(&guild).expect("the guild").members;
                let roles = &mut members
                    .get_mut(&snowflake(&discord(number)))
                    .expect("a member")
                    .roles;
                if roles.contains(&role) {
                    roles.retain(|had| *had != role);
                } else {
                    roles.push(role);
                }
            });
            changed.expect("a change");
            return Ok(());
        }
        let groups = self.game.entry(number).or_default();
        if !groups.remove("vip") {
            groups.insert("vip");
        }
        self.play(node, number).await
    }

    /// The plugin fetches, does, clears and reports.
    async fn play(&mut self, node: &Node, number: u64) -> std::io::Result<()> {
        let id = steam(number);
        let waiting = self
            .plugin(node, &format!("getPendingOxideChangesBulk&id={id}"))
            .await?;
        for change in waiting[id.as_str()].as_array().into_iter().flatten() {
            assert_eq!(
                change["group"], "staff",
                "only groups that follow a role are changed"
            );
            let groups = self.game.entry(number).or_default();
            if change["action"] == "add" {
                groups.insert("staff");
            } else {
                groups.remove("staff");
            }
        }
        self.plugin(node, &format!("clearPendingOxideChangesBulk&id={id}"))
            .await?;
        let groups: Vec<&str> = self
            .game
            .entry(number)
            .or_default()
            .iter()
            .copied()
            .chain(["default"])
            .collect();
        self.plugin(
            node,
            &format!("updateOxideGroups&id={id}&groups={}", groups.join(",")),
        )
        .await
        .map(drop)
    }

    /// Whatever is wrong with somebody.
    fn wrong(&self, player: &Player<'_>) -> Option<String> {
        let number = player.number;
        let no_groups = BTreeSet::new();
        let groups = self.game.get(&number).unwrap_or(&no_groups);
        let is_linked = player.is_linked();
        let has = [VERIFIED, VIP, STAFF].map(|role| self.has(number, role));
        let expected = (
            is_linked,
            is_linked && groups.contains("vip"),
            is_linked && has[2],
        );
        let found = (has[0], has[1], groups.contains("staff"));
        (expected != found)
            .then(|| format!("player {number}, linked {is_linked}: {found:?} and not {expected:?}"))
    }
}

async fn round(players: &mut [Player<'_>], hands: &mut Hands<'_>, done: &AtomicU64, node: &Node, pid: u32) {
    let (before, after_ms) = (done.load(Ordering::Relaxed), 50 + hands.dice.roll(350));
    let playing = join_all(players.iter_mut().map(|player| player.play(node)));
    let editing = async {
        while hands.edit(node).await.is_ok() {
            pause_ms(10).await;
        }
        std::future::pending::<()>().await;
    };
    let killing = async {
        pause_ms(after_ms).await;
        wait_until("somebody has played", || async {
            done.load(Ordering::Relaxed) > before
        })
        .await;
        kill(pid);
        pause_ms(after_ms / 4).await;
    };
    tokio::select! {
        _ = playing => {}
        () = editing => {}
        () = killing => {}
    }
}

async fn ask(node: &Node, member: &Member, method: &str, rest: &str, body: &Value) -> (u16, String) {
    let cookie = format!("symbolon={}", member.session);
    let headers = [("cookie", cookie.as_str()), ("content-type", "application/json")];
    node.try_request(method, &member.uri(rest), &headers, &body.to_string())
        .await
        .expect("an answer")
}

/// What a bot could not hear, because its session was lost, is found by a look at everybody.
async fn look_at_everybody(node: &Node, member: &Member) {
    let check = format!("/guilds/{}/role-recheck", member.tenant.guild);
    assert_eq!(ask(node, member, "POST", &check, &json!({})).await.0, 200);
    wait_until("everybody is marked", || async {
        let (status, body) = ask(node, member, "GET", &check, &json!({})).await;
        assert_eq!(status, 200, "{body}");
        let progress: Value = serde_json::from_str(&body).expect("progress");
        progress["running"].is_null()
    })
    .await;
}

/// Rules and the role of everybody, as staff save them.
async fn set_up(node: &Node, member: &Member) {
    let rule = |group: &str, role: u64, direction: &str| {
        json!({
            "group": group, "role_id": discord(role).as_str(), "direction": direction,
            "authority": "game", "on_loss": "remove",
        })
    };
    let rules =
        json!({ "revision": 0, "rules": [rule("vip", VIP, "to_discord"), rule("staff", STAFF, "to_game")] });
    let server = format!("/servers/{}/roles", member.tenant.server);
    wait_until("the roles are known", || async {
        ask(node, member, "PUT", &server, &rules).await.0 == 200
    })
    .await;
    let settings = json!({ "verified_roles": [discord(VERIFIED).as_str()] });
    let guild = format!("/guilds/{}", member.tenant.guild);
    assert_eq!(ask(node, member, "PATCH", &guild, &settings).await.0, 204);
}

fn add_roles(discord_side: &Discord, guild: Snowflake) {
    let made = discord_side.change(|state| {
        let roles = &mut state.guilds.get_mut(&guild).expect("the guild").roles;
        for (number, position) in [VIP, VERIFIED, STAFF].into_iter().zip(1..) {
            let made = Role {
                name: format!("Role {number}"),
                position,
                ..Role::default()
            };
            roles.insert(snowflake(&discord(number)), made);
        }
    });
    made.expect("roles");
}

/// The plugin goes on until nothing is left to be done, and then everybody has what they should.
async fn calm(site: &Site, node: &Node, hands: &mut Hands<'_>, players: &[Player<'_>]) {
    let waits = || async { site.db.count("role_marks").await + site.db.count("group_changes").await };
    let mut left = (Vec::new(), 0);
    for _ in 0..300 {
        for number in 1..=PLAYERS {
            hands.play(node, number).await.expect("an answer");
        }
        left.0 = players.iter().filter_map(|player| hands.wrong(player)).collect();
        left.1 = waits().await;
        if left.0.is_empty() && left.1 == 0 {
            return;
        }
        pause_ms(200).await;
    }
    panic!("no end in sight: {left:?}");
}

both_databases! {
    async fn everybody_has_what_they_should_through_kill_nine(engine) {
        let site = Site::seed(engine, 1, 0).await;
        let (discord_side, steam_side, settings) = start_platforms().await;
        let mut settings: Vec<(&str, &str)> = settings.iter().map(|(name, value)| (*name, value.as_str())).collect();
        settings.extend([
            ("SYMBOLON_DISCORD_BOT_TOKEN", BOT_TOKEN),
            ("SYMBOLON_LIMITS_LINK_STEPS_PER_MINUTE", "100000"), ("SYMBOLON_LIMITS_LINK_STARTS_PER_MINUTE", "100000"),
        ]);
        let member = &site.members[0];
        let guild = snowflake(&member.tenant.discord_guild);
        add_guild(&discord_side, &member.tenant.discord_guild, "Guild 1");
        let (count, done) = (AtomicU64::new(1), AtomicU64::new(0));
        let mut players: Vec<Player<'_>> = (1..=PLAYERS)
            .map(|number| {
                add_player(&discord_side, &steam_side, number);
                add_member(&discord_side, &member.tenant.discord_guild, &discord(number));
                Player::new(number, &member.tenant, &count, &done)
            })
            .collect();
        add_roles(&discord_side, guild);
        let mut hands = Hands { member, discord_side: &discord_side, dice: Dice::new(SEED), game: BTreeMap::new(), edits: 0 };
        let kills = rounds(10, 100);
        for kills_before in 0..kills {
            let node = site.node_with(&settings).await;
            if kills_before == 0 {
                set_up(&node, member).await;
            }
            wait_until("the bot runs", || async { children(node.pid()).len() == 1 }).await;
            round(&mut players, &mut hands, &done, &node, children(node.pid())[0]).await;
            round(&mut players, &mut hands, &done, &node, node.pid()).await;
            node.kill();
            skip_leases(&site).await;
        }
        let node = site.node_with(&settings).await;
        for player in &mut players {
            player.end(&node).await;
        }
        look_at_everybody(&node, member).await;
        calm(&site, &node, &mut hands, &players).await;
        let (changes, edits) = (done.load(Ordering::Relaxed), hands.edits);
        assert!(changes > kills as u64 && edits > kills as u64, "{changes} changes of links, {edits} edits");
        assert!(node.stop().await, "a clean stop after the last crash");
        report(engine, &format!(
            "roles through kill -9 of service and bot, seed {SEED}: {kills} rounds each, {changes} links and unlinks, {edits} edits, everybody has what they should"
        ));
        site.finish().await;
    }
}
