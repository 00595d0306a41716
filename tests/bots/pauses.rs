//! A subscription ends and begins again: nobody who uses a command is left without an answer, and it stays the same bot.

use std::process::Command;
use std::time::{Duration, Instant};

use emulator::discord::{CommandUse, Snowflake, Use, What};
use testkit::{
    APPLICATION, Engine, Node, add_member, both_databases, discord, log_channel, rounds, wait_until,
};

use super::children::children;
use super::harbour::{Harbour, judge};
use super::log::snowflake;
use super::own::{bot_id, token};
use crate::torture::race::Dice;
use crate::torture::site::pause_ms;

const SEED: u64 = 15;
/// Within this time after somebody pays again the bot is online.
const RESUMED: Duration = Duration::from_secs(15);
/// Nothing is killed later than this in a change.
const LATEST_KILL_MS: u64 = 3_000;

/// Somebody in the first Guild of a harbour.
struct Person<'a>(&'a Harbour);

impl Person<'_> {
    fn guild(&self) -> Snowflake {
        snowflake(&self.0.site.members[0].tenant.discord_guild)
    }

    /// Whether a bot offers its commands there.
    fn is_offered(&self, bot: Snowflake) -> bool {
        let state = self.0.discord.state();
        let commands = state.applications[&bot].guild_commands.get(&self.guild());
        commands.is_some_and(|commands| !commands.is_empty())
    }

    /// Uses a command of every bot that offers it, and is answered.
    async fn use_all(&self) {
        let bots = [bot_id(1), APPLICATION.parse().expect("an id")];
        let offered: Vec<Snowflake> = bots.into_iter().filter(|bot| self.is_offered(*bot)).collect();
        assert!(!offered.is_empty(), "nobody offers a command");
        for bot in offered {
            let tenant = &self.0.site.members[0].tenant;
            let used = Use {
                application_id: bot,
                guild_id: self.guild(),
                channel_id: snowflake(&log_channel(&tenant.discord_guild)),
                user_id: snowflake(&discord(77)),
                what: What::Command(CommandUse {
                    name: "link".to_owned(),
                    options: Vec::new(),
                }),
            };
            match self.0.discord.interact(&used) {
                Ok(interaction) => {
                    let said = || self.0.discord.interaction(interaction.id);
                    let is_answered = || async { said().is_some_and(|said| said.callback.is_some()) };
                    wait_until("an answer", is_answered).await;
                }
                // It was taken back a moment ago.
                Err(why) => assert!(!self.is_offered(bot), "{why}"),
            }
        }
    }
}

/// Perhaps kills the node or one of its bots, some time later.
async fn disturb(harbour: &Harbour, node: Node, dice: &mut Dice) -> Node {
    let (deed, after_ms) = (dice.roll(3), dice.roll(LATEST_KILL_MS));
    match deed {
        0 => {
            pause_ms(after_ms).await;
            node.kill();
            harbour.node().await
        }
        1 => {
            pause_ms(after_ms).await;
            let bots = children(node.pid());
            let chosen = dice.roll(bots.len().max(1) as u64);
            if let Some(pid) = usize::try_from(chosen).ok().and_then(|chosen| bots.get(chosen)) {
                // It may have ended by itself meanwhile.
                drop(Command::new("kill").args(["-9", &pid.to_string()]).output());
            }
            node
        }
        _ => node,
    }
}

both_databases! {
    async fn every_command_that_is_offered_is_answered_while_a_bot_pauses_and_resumes(engine) {
        let harbour = Harbour::open(engine, 1).await;
        add_member(&harbour.discord, &harbour.site.members[0].tenant.discord_guild, &discord(77));
        let (own, person) = (bot_id(1), Person(&harbour));
        let node = harbour.node().await;
        harbour.save(&node, 0, &token(1)).await;
        harbour.until(&node, 0, "online").await;
        wait_until("it offers its commands", || async { person.is_offered(own) }).await;
        harbour.pay("canceled").await;
        while harbour.bot(&node, 0).await["status"] != "paused" || !harbour.connected(own).is_empty() {
            person.use_all().await;
        }
        assert!(!person.is_offered(own), "what nobody answers is not offered");
        harbour.pay("active").await;
        while harbour.bot(&node, 0).await["status"] != "online" || !person.is_offered(own) {
            person.use_all().await;
        }
        assert!(node.stop().await);
        harbour.finish().await;
    }

    async fn a_bot_comes_through_pauses_and_kills_at_any_moment_as_the_same_bot(engine) {
        let harbour = Harbour::open(engine, 1).await;
        let (own, mut dice) = (bot_id(1), Dice::new(SEED));
        let mut node = harbour.node().await;
        harbour.save(&node, 0, &token(1)).await;
        let first = harbour.until(&node, 0, "online").await;
        let times = match engine {
            Engine::Sqlite => rounds(2, 100),
            Engine::Postgres => rounds(1, 25),
        };
        for time in 0..times {
            harbour.pay("canceled").await;
            node = disturb(&harbour, node, &mut dice).await;
            harbour.until(&node, 0, "paused").await;
            wait_until("it is offline", || async { harbour.connected(own).is_empty() }).await;
            let begun = Instant::now();
            harbour.pay("active").await;
            node = disturb(&harbour, node, &mut dice).await;
            harbour.until(&node, 0, "online").await;
            harbour.all_are_connected().await;
            judge(&format!("resumption {time}"), begun.elapsed(), RESUMED);
            let now = harbour.bot(&node, 0).await;
            for same in ["id", "discord_user_id", "token_last4"] {
                assert_eq!(now[same], first[same]);
            }
            // No day and no ten minutes have so much in them.
            harbour.site.db.damage("UPDATE bots SET identifies = 0; UPDATE dedicated_bots SET exits = '[]'").await;
        }
        harbour.assert_in_order(&node).await;
        assert!(node.stop().await);
        harbour.finish().await;
    }
}
