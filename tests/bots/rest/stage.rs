//! A Discord that knows our bot, and the client of its token.

use std::sync::Arc;

use domain::clock::{Clock, TestClock};
use domain::platform_id::DiscordId;
use emulator::discord::{Guild, Message, Snowflake};
use emulator::{Discord, Fault};
use platform::Unanswered;
use platform::discord::rest::{Asking, NotDone};
use platform::discord::{Outgoing, Rest};
use serde_json::json;
use testkit::{add_guild, bot_of, discord, log_channel, start_discord};

pub const POST: &str = "POST /api/v10/channels/{channel}/messages";
pub const ROLES: &str = "GET /api/v10/guilds/{guild}/roles";

pub struct Stage {
    pub discord: Discord,
    pub clock: Arc<TestClock>,
    pub outgoing: Outgoing,
    pub bot: Rest,
}

impl Stage {
    /// Guilds 1 to 3 have our bot in them.
    pub async fn set() -> Stage {
        Stage::at(u32::MAX).await
    }

    pub async fn at(per_second: u32) -> Stage {
        let (discord_side, clock) = start_discord().await;
        for number in 1..=3 {
            add_guild(&discord_side, &discord(number), "Guild");
        }
        let outgoing = Outgoing::at(per_second);
        let bot = bot_of(&discord_side, Arc::clone(&clock) as _, &outgoing);
        Stage {
            discord: discord_side,
            clock,
            outgoing,
            bot,
        }
    }

    pub fn fault(&self, fault: Fault) {
        self.discord.hub().add_fault(fault);
    }

    pub fn asked(&self, route: &str) -> u64 {
        self.discord.hub().count(route)
    }

    pub fn refused(&self) -> u32 {
        self.outgoing.refused(self.clock.steady_ms())
    }

    pub async fn roles(&self, guild: u64) -> Result<usize, Unanswered> {
        let guild = discord(guild);
        let roles = self.bot.roles(Asking::in_background(1, &guild)).await;
        roles.map(|roles| roles.len()).map_err(Unanswered::from)
    }

    pub async fn post(&self, asking: Asking<'_>, guild: &DiscordId, nonce: i64) -> Result<(), NotDone> {
        let message = json!({ "content": "Hello <@700000000000000009>" });
        self.bot.post(asking, &log_channel(guild), message, nonce).await
    }

    pub fn messages(&self, guild: &DiscordId) -> Vec<Message> {
        let channel = snowflake(&log_channel(guild));
        self.discord
            .state()
            .messages
            .get(&channel)
            .cloned()
            .unwrap_or_default()
    }

    pub fn change(&self, guild: u64, change: impl FnOnce(&mut Guild)) {
        let id = snowflake(&discord(guild));
        let changed = self
            .discord
            .change(|state| change(state.guilds.get_mut(&id).unwrap()));
        changed.expect("a guild");
    }
}

pub fn snowflake(id: &DiscordId) -> Snowflake {
    id.as_str().parse().unwrap()
}
