//! A Discord with one bot in a guild or two, and the bot itself.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use bot::{Parent, Settings, Stop};
use domain::clock::{SharedClock, SystemClock};
use emulator::discord::{Application, Channel, Disturbance, Guild, Member, Role, Snowflake, User};
use emulator::{Discord, Setup};
use serde_json::Value;
use tokio::sync::oneshot;
use tokio::task::JoinSet;

use crate::service::{SECRET, Service};

pub const BOT: Snowflake = Snowflake(900_000_000_000_000_001);
pub const ADA: Snowflake = Snowflake(700_000_000_000_000_001);
pub const GUILD: Snowflake = Snowflake(800_000_000_000_000_001);
pub const OTHER: Snowflake = Snowflake(800_000_000_000_000_002);
pub const ROLE: Snowflake = Snowflake(820_000_000_000_000_001);
pub const LOG: Snowflake = Snowflake(810_000_000_000_000_001);
pub const CHILD: &str = "00000000000000cc";
pub const TOKEN: &str = "the-token-of-the-bot";
/// Far longer than anything takes here, which is half a minute at most.
const PATIENCE: Duration = Duration::from_secs(120);

pub struct World {
    pub discord: Discord,
    pub service: Service,
    folder: PathBuf,
}

impl World {
    pub async fn new() -> Self {
        Self::at(Arc::new(SystemClock)).await
    }

    /// Discord lives by this clock.
    pub async fn at(clock: SharedClock) -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("symbolon-bot-{}-{number}", std::process::id()));
        drop(std::fs::remove_dir_all(&folder));
        let discord = Discord::start(Setup::new(clock)).await.unwrap();
        let changed = discord.change(|state| {
            state.users.insert(ADA, User::named("ada"));
            let application = Application {
                name: "Symbolon".to_owned(),
                token: TOKEN.to_owned(),
                ..Application::default()
            };
            state.applications.insert(BOT, application);
            state.guilds.insert(GUILD, guild(true));
            state.guilds.insert(OTHER, guild(false));
            state.limits.enforced = false;
        });
        changed.unwrap();
        Self {
            discord,
            service: Service::start().await,
            folder,
        }
    }

    pub fn settings(&self) -> Settings {
        Settings {
            service_url: self.service.url.clone(),
            bot_id: "platform".to_owned(),
            secret: SECRET.into(),
            token: TOKEN.into(),
            api_url: self.discord.api_url(),
            state_dir: self.folder.clone(),
            members_intent: false,
            home: None,
            parent: None,
        }
    }

    /// What lets a session go on after a restart.
    pub fn state_file(&self) -> PathBuf {
        self.folder.join("platform.json")
    }

    /// As a node starts it.
    pub fn settings_of_child(&self, leave_after_ms: Option<u64>) -> Settings {
        let instance = CHILD.to_owned();
        let parent = Some(Parent {
            instance,
            leave_after_ms,
        });
        Settings {
            parent,
            ..self.settings()
        }
    }

    /// A bot that is online and has told of its guild.
    pub async fn online(&self) -> Running {
        let running = Running::start(self.settings());
        let is_settled = || self.service.is_online() && self.service.was_hinted(GUILD, "guild_here");
        self.until("the bot is online", is_settled).await;
        running
    }

    /// Waits until it is so.
    pub async fn until(&self, what: &str, condition: impl Fn() -> bool) {
        let waiting = async {
            while !condition() {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        let waited = tokio::time::timeout(PATIENCE, waiting).await;
        assert!(
            waited.is_ok(),
            "waited in vain: {what}\n{}\n{}",
            self.discord.gateway(),
            self.service.last()
        );
    }

    /// Waits for one more sign of life, by when whatever was to happen has happened.
    pub async fn one_more_report(&self) {
        self.more_reports(1).await;
    }

    /// They come every five seconds, and at once when there is news.
    pub async fn more_reports(&self, more: usize) {
        let count = self.service.known().reports.len();
        self.until("more reports", || {
            self.service.known().reports.len() >= count + more
        })
        .await;
    }

    pub fn disturb(&self, disturbance: Disturbance) {
        assert_eq!(self.discord.disturb(BOT, disturbance), 1);
    }

    pub fn identifies(&self) -> u64 {
        self.discord.gateway()["identifies"][BOT.to_string()]
            .as_u64()
            .unwrap_or(0)
    }

    pub fn resumes(&self) -> u64 {
        self.discord.gateway()["resumes"][BOT.to_string()]
            .as_u64()
            .unwrap_or(0)
    }

    /// How often somebody connected, whatever for.
    pub fn connections(&self) -> u64 {
        self.discord.gateway()["connections"].as_u64().unwrap_or(0)
    }

    /// How often somebody tried to begin a session with this token.
    pub fn attempts(&self, token: &str) -> u64 {
        self.discord.gateway()["attempts"][token].as_u64().unwrap_or(0)
    }

    /// Connected sessions of the bot.
    pub fn connected(&self) -> Vec<Value> {
        let gateway = self.discord.gateway();
        let sessions = gateway["sessions"].as_array().unwrap().clone();
        sessions
            .into_iter()
            .filter(|session| session["connected"] == true)
            .collect()
    }

    pub fn rename_role(&self, name: &str) {
        let renamed = self.discord.change(|state| {
            let guild = state.guilds.get_mut(&GUILD).unwrap();
            guild.roles.get_mut(&ROLE).unwrap().name = name.to_owned();
        });
        renamed.unwrap();
    }
}

impl Drop for World {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.folder));
    }
}

fn guild(with_bot: bool) -> Guild {
    let role = Role {
        name: "Linked".to_owned(),
        position: 1,
        ..Role::default()
    };
    let log = Channel {
        name: "log".to_owned(),
        ..Channel::default()
    };
    let mut made = Guild {
        name: "Ashfall".to_owned(),
        owner_id: Some(ADA),
        members: [(ADA, Member::default())].into(),
        ..Guild::default()
    };
    if with_bot {
        made.members.insert(BOT, Member::default());
        made.roles.insert(ROLE, role);
        made.channels.insert(LOG, log);
    }
    made
}

/// A bot that runs until it is dropped, which is as sudden as a kill.
pub struct Running {
    tasks: JoinSet<()>,
    stop: oneshot::Sender<Stop>,
}

impl Running {
    pub fn start(settings: Settings) -> Self {
        let (stop, stopped) = oneshot::channel();
        let mut tasks = JoinSet::new();
        tasks.spawn(async move {
            let stopped = async { stopped.await.unwrap_or(Stop::Leave) };
            bot::run(settings, stopped).await.unwrap();
        });
        Self { tasks, stop }
    }

    /// Tells it to stop, and waits until it has.
    pub async fn stop(self) {
        self.end(Stop::Leave).await;
    }

    /// Tells it to go offline, and waits until it has.
    pub async fn pause(self) {
        self.end(Stop::Pause).await;
    }

    async fn end(self, how: Stop) {
        let Self { mut tasks, stop } = self;
        stop.send(how).unwrap();
        tasks.join_next().await.unwrap().unwrap();
    }

    /// Waits until it ends by itself.
    pub async fn ended(mut self) {
        let ended = tokio::time::timeout(PATIENCE, self.tasks.join_next()).await;
        ended.expect("it ends").unwrap().unwrap();
    }
}
