//! A small Discord: one application, one guild, three people.

use std::sync::Arc;

use domain::clock::TestClock;
use emulator::discord::{Application, Channel, Guild, Member, Permissions, Role, Snowflake, User};
use emulator::{Discord, Setup};
use serde_json::Value;

use crate::support::{Reply, START_MS, send};

pub const BOT: Snowflake = Snowflake(900_000_000_000_000_001);
/// Owns the guild.
pub const ADA: Snowflake = Snowflake(700_000_000_000_000_001);
/// A member.
pub const BRUNO: Snowflake = Snowflake(700_000_000_000_000_002);
/// Somebody outside.
pub const CHEN: Snowflake = Snowflake(700_000_000_000_000_003);
pub const GUILD: Snowflake = Snowflake(800_000_000_000_000_001);
pub const LOW: Snowflake = Snowflake(820_000_000_000_000_001);
pub const BOTS_OWN: Snowflake = Snowflake(820_000_000_000_000_002);
pub const HIGH: Snowflake = Snowflake(820_000_000_000_000_003);
pub const LOG: Snowflake = Snowflake(810_000_000_000_000_001);
pub const TOKEN: &str = "the-token-of-the-bot";
pub const SECRET: &str = "the secret+of%the client";
pub const REDIRECT: &str = "http://127.0.0.1:8080/auth/discord/callback";
/// Members, presences, content.
pub const ALL_PRIVILEGED: u64 = (1 << 1) | (1 << 8) | (1 << 15);

pub struct DiscordTest {
    pub discord: Discord,
    pub clock: Arc<TestClock>,
}

pub async fn discord() -> DiscordTest {
    let clock = Arc::new(TestClock::new(START_MS));
    let setup = Setup::new(Arc::clone(&clock) as _).seeded(7);
    let discord = Discord::start(setup).await.expect("Discord starts");
    let made = discord.change(|state| {
        state.users.insert(ADA, User::named("ada"));
        state.users.insert(BRUNO, User::named("bruno"));
        state.users.insert(CHEN, User::named("chen"));
        state.applications.insert(
            BOT,
            Application {
                name: "Symbolon".to_owned(),
                token: TOKEN.to_owned(),
                secret: SECRET.to_owned(),
                redirect_uris: vec![REDIRECT.to_owned()],
                privileged_intents: ALL_PRIVILEGED,
                ..Application::default()
            },
        );
        state.guilds.insert(GUILD, guild());
        state.limits.enforced = false;
    });
    made.expect("a world that fits together");
    DiscordTest { discord, clock }
}

fn guild() -> Guild {
    let role = |name: &str, position, permissions| Role {
        name: name.to_owned(),
        position,
        permissions,
        ..Role::default()
    };
    let powers = Permissions::MANAGE_ROLES
        | Permissions::MANAGE_CHANNELS
        | Permissions::MANAGE_NICKNAMES
        | Permissions::KICK_MEMBERS;
    let member = |roles: &[Snowflake]| Member {
        roles: roles.to_vec(),
        ..Member::default()
    };
    Guild {
        name: "Ashfall".to_owned(),
        owner_id: Some(ADA),
        roles: [
            (LOW, role("Linked", 1, Permissions(0))),
            (BOTS_OWN, role("Symbolon", 2, powers)),
            (HIGH, role("Admin", 3, Permissions::ADMINISTRATOR)),
        ]
        .into(),
        members: [
            (ADA, member(&[])),
            (BRUNO, member(&[])),
            (BOT, member(&[BOTS_OWN])),
        ]
        .into(),
        channels: [(
            LOG,
            Channel {
                name: "log".to_owned(),
                ..Channel::default()
            },
        )]
        .into(),
        ..Guild::default()
    }
}

impl DiscordTest {
    /// A call of the bot.
    pub async fn bot(&self, method: &str, path: &str, body: &Value) -> Reply {
        self.call(method, path, &format!("Bot {TOKEN}"), body).await
    }

    pub async fn call(&self, method: &str, path: &str, authorization: &str, body: &Value) -> Reply {
        let url = format!("{}{path}", self.discord.api_url());
        let headers = [
            ("authorization", authorization),
            ("content-type", "application/json"),
        ];
        let body = if body.is_null() {
            String::new()
        } else {
            body.to_string()
        };
        send(method, &url, &headers, &body).await.expect("an answer")
    }

    pub fn guild(&self) -> Guild {
        self.discord.state().guilds[&GUILD].clone()
    }

    pub fn roles_of(&self, user: Snowflake) -> Vec<Snowflake> {
        self.guild().members[&user].roles.clone()
    }
}

/// Status and Discord's own number of a refusal.
pub fn refusal(reply: &Reply) -> (u16, u64) {
    (reply.status, reply.json()["code"].as_u64().expect("a code"))
}
