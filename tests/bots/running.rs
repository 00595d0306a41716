//! The bot as a process: the child of a node, or on its own.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Child, Command};
use std::sync::Arc;

use domain::clock::SystemClock;
use emulator::discord::{Application, Guild, Member, Snowflake};
use emulator::{Discord, Setup};
use serde_json::Value;
use testkit::{Engine, Node, TestDb, both_databases, wait_until};

use super::children::{children, kill};
use crate::cli::{BINARY, Shell, installed};

const BOT: Snowflake = Snowflake(900_000_000_000_000_001);
const GUILD: Snowflake = Snowflake(800_000_000_000_000_001);
const TOKEN: &str = "the-token-of-the-bot";

/// An installation whose Discord is emulated.
struct Place {
    db: TestDb,
    shell: Shell,
    discord: Discord,
}

impl Place {
    async fn new(engine: Engine) -> Place {
        let (db, shell) = installed(engine).await;
        let discord = Discord::start(Setup::new(Arc::new(SystemClock)))
            .await
            .expect("Discord starts");
        let application = Application {
            name: "Symbolon".to_owned(),
            token: TOKEN.to_owned(),
            // That of members, which the bot asks for.
            privileged_intents: 1 << 1,
            ..Application::default()
        };
        let guild = Guild {
            name: "Ashfall".to_owned(),
            members: [(BOT, Member::default())].into(),
            ..Guild::default()
        };
        let made = discord.change(|state| {
            state.applications.insert(BOT, application);
            state.guilds.insert(GUILD, guild);
        });
        made.expect("a world that fits together");
        Place { db, shell, discord }
    }

    fn environment<'a>(&self, api: &'a str, more: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
        let own = [
            ("SYMBOLON_DISCORD_API_URL", api),
            ("SYMBOLON_DISCORD_BOT_TOKEN", TOKEN),
        ];
        own.into_iter().chain(more.iter().copied()).collect()
    }

    async fn node(&self, more: &[(&str, &str)]) -> Node {
        let api = self.discord.api_url();
        let environment = self.environment(&api, more);
        Node::start_with(BINARY, self.shell.data(), self.shell.database(), &environment).await
    }

    /// Another node in the place of one that is gone.
    async fn node_at(&self, address: SocketAddr) -> Node {
        let api = self.discord.api_url();
        let environment = self.environment(&api, &[]);
        let (data, database) = (self.shell.data(), self.shell.database());
        Node::start_at(address, BINARY, data, database, &environment).await
    }

    /// Where a bot that runs elsewhere logs.
    fn log(&self) -> PathBuf {
        self.shell.data().join("elsewhere.log")
    }

    /// `symbolon bot` beside the service at this address.
    fn bot(&self, service: &Node, secret: &str) -> Child {
        let (api, url) = (self.discord.api_url(), format!("http://{}", service.address));
        let state_dir = self.shell.data().join("elsewhere").display().to_string();
        let environment = self.environment(&api, &[]);
        let log = std::fs::File::create(self.log()).expect("a log file");
        Command::new(BINARY)
            .arg("bot")
            .envs(environment)
            .env("SYMBOLON_BOT_SERVICE_URL", url)
            .env("SYMBOLON_BOT_SECRET", secret)
            .env("SYMBOLON_BOT_STATE_DIR", state_dir)
            .stderr(log)
            .spawn()
            .expect("the bot starts")
    }

    fn secret(&self) -> String {
        let shown = self.shell.json(&["admin", "bot-secret", "show"]);
        shown["secret"].as_str().expect("a secret").to_owned()
    }

    fn counted(&self, what: &str) -> u64 {
        self.discord.gateway()[what][BOT.to_string()]
            .as_u64()
            .unwrap_or(0)
    }

    fn connected(&self) -> Vec<Value> {
        let gateway = self.discord.gateway();
        let sessions = gateway["sessions"].as_array().cloned().unwrap_or_default();
        sessions
            .into_iter()
            .filter(|session| session["connected"] == true)
            .collect()
    }

    async fn until_connected(&self) {
        wait_until("the bot is online", || async { self.connected().len() == 1 }).await;
    }

    async fn until_gone(&self) {
        wait_until("the bot is offline", || async { self.connected().is_empty() }).await;
    }

    async fn until_resumed(&self, times: u64) {
        wait_until("the session goes on", || async {
            self.counted("resumes") == times
        })
        .await;
        assert_eq!((self.connected().len(), self.counted("identifies")), (1, 1));
        assert_eq!(self.discord.gateway()["overlaps"], Value::Array(Vec::new()));
    }

    async fn finish(self) {
        self.db.finish().await;
    }
}

both_databases! {
    async fn a_node_runs_the_shared_bot_and_starts_it_again(engine) {
        let place = Place::new(engine).await;
        let node = place.node(&[]).await;
        place.until_connected().await;
        let activity = place.connected()[0]["presence"]["activities"][0].clone();
        assert_eq!(activity["name"], "0 linked accounts");
        let [child] = children(node.pid())[..] else {
            panic!("one child");
        };
        let of_child = |file: &str| std::fs::read_to_string(format!("/proc/{child}/{file}")).expect("a process");
        let shown = (of_child("environ"), of_child("cmdline"));
        assert_eq!((shown.0.as_str(), shown.1.as_str()), ("MIMALLOC_ALLOW_THP=0\0MIMALLOC_ARENA_RESERVE=65536\0", "symbolon\0bot\0--stdin\0"));
        kill(child);
        place.until_resumed(1).await;
        assert!(node.stop().await);
        place.until_gone().await;
        let node = place.node(&[]).await;
        place.until_resumed(2).await;
        assert!(node.stop().await);
        place.finish().await;
    }

    async fn a_new_secret_reaches_the_bot_that_runs(engine) {
        let place = Place::new(engine).await;
        let node = place.node(&[]).await;
        place.until_connected().await;
        place.shell.json(&["admin", "bot-secret", "rotate"]);
        place.until_resumed(1).await;
        let log = node.log.clone();
        let is_accepted = || async {
            let text = std::fs::read_to_string(&log).unwrap_or_default();
            text.matches("the service takes this process for the bot").count() == 2
        };
        wait_until("the new process is the bot", is_accepted).await;
        assert!(node.stop().await);
        place.finish().await;
    }

    async fn the_last_words_of_a_bot_are_heard(engine) {
        let place = Place::new(engine).await;
        let node = place.node(&[]).await;
        place.until_connected().await;
        let log = node.log.clone();
        assert!(node.stop().await);
        let text = std::fs::read_to_string(log).expect("a log");
        assert!(!text.contains("the service does not answer"), "{text}");
        let ended = text.find("a bot has ended").expect("it ended");
        assert!(ended < text.find("connections closed").expect("so did the service"), "{text}");
        place.finish().await;
    }

    async fn a_bot_has_no_rights_or_files_to_spare(engine) {
        let place = Place::new(engine).await;
        let node = place.node(&[]).await;
        place.until_connected().await;
        let [child] = children(node.pid())[..] else {
            panic!("one child");
        };
        let of_child = |file: &str| std::fs::read_to_string(format!("/proc/{child}/{file}")).expect("a process");
        assert!(of_child("status").contains("NoNewPrivs:\t1"));
        let limits = of_child("limits");
        let limit = |name: &str| {
            let line = limits.lines().find_map(|line| line.strip_prefix(name)).expect("a limit");
            line.split_whitespace().take(2).map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(limit("Max core file size"), ["0", "0"]);
        assert_eq!(limit("Max open files"), ["256", "256"]);
        assert_eq!(limit("Max data size"), ["1073741824", "1073741824"]);
        assert_eq!(of_child("oom_score_adj"), "1000\n");
        assert!(node.stop().await);
        place.finish().await;
    }

    async fn a_bot_does_not_outlive_the_node_that_started_it(engine) {
        let place = Place::new(engine).await;
        let node = place.node(&[]).await;
        place.until_connected().await;
        let [child] = children(node.pid())[..] else {
            panic!("one child");
        };
        node.kill();
        place.until_gone().await;
        let is_gone = || async { !std::path::Path::new(&format!("/proc/{child}/exe")).exists() };
        wait_until("the child is gone", is_gone).await;
        let node = place.node(&[]).await;
        place.until_resumed(1).await;
        assert!(node.stop().await);
        place.finish().await;
    }

    async fn a_bot_that_runs_elsewhere_is_the_only_one(engine) {
        let place = Place::new(engine).await;
        let node = place.node(&[("SYMBOLON_BOT_SHARED", "false")]).await;
        let mut elsewhere = place.bot(&node, &place.secret());
        place.until_connected().await;
        assert_eq!(children(node.pid()), Vec::<u32>::new());
        drop(elsewhere.kill());
        drop(elsewhere.wait());
        assert!(node.stop().await);
        place.finish().await;
    }

    async fn two_processes_of_one_bot_are_noticed_and_said(engine) {
        let place = Place::new(engine).await;
        let node = place.node(&[]).await;
        place.until_connected().await;
        let mut second = place.bot(&node, &place.secret());
        for (log, words) in [
            (node.log.clone(), "another process was started with the secret of this bot"),
            (place.log(), "another process runs this bot"),
        ] {
            let is_said = || async { std::fs::read_to_string(&log).unwrap_or_default().contains(words) };
            wait_until(words, is_said).await;
        }
        drop(second.kill());
        drop(second.wait());
        assert_eq!((place.connected().len(), place.counted("identifies")), (1, 1));
        assert_eq!(place.discord.gateway()["overlaps"], Value::Array(Vec::new()));
        assert!(node.stop().await);
        place.finish().await;
    }
}

/// A database of a server says itself who is gone.
#[tokio::test]
async fn a_bot_that_runs_elsewhere_is_not_driven_out_by_a_node_that_starts() {
    let place = Place::new(Engine::Sqlite).await;
    let node = place.node(&[("SYMBOLON_BOT_SHARED", "false")]).await;
    let mut elsewhere = place.bot(&node, &place.secret());
    place.until_connected().await;
    let address = node.address;
    node.kill();
    let node = place.node_at(address).await;
    let log = node.log.clone();
    let is_refused = || async {
        let text = std::fs::read_to_string(&log).unwrap_or_default();
        text.contains("another process runs this bot")
    };
    wait_until("the second one waits", is_refused).await;
    assert_eq!((place.connected().len(), place.counted("identifies")), (1, 1));
    assert_eq!(place.discord.gateway()["overlaps"], Value::Array(Vec::new()));
    drop(elsewhere.kill());
    drop(elsewhere.wait());
    assert!(node.stop().await);
    place.finish().await;
}

#[tokio::test]
async fn of_two_nodes_one_runs_the_bot_and_the_other_takes_over() {
    let place = Place::new(Engine::Postgres).await;
    let first = place.node(&[]).await;
    place.until_connected().await;
    let second = place.node(&[]).await;
    assert_eq!(children(second.pid()), Vec::<u32>::new());
    assert!(first.stop().await);
    place.until_resumed(1).await;
    assert_eq!(children(second.pid()).len(), 1);
    assert!(second.stop().await);
    place.finish().await;
}

/// Also where the bot's own process runs elsewhere.
#[tokio::test]
async fn of_two_nodes_one_works_for_the_bot_and_the_other_takes_over() {
    let place = Place::new(Engine::Postgres).await;
    let elsewhere = [("SYMBOLON_BOT_SHARED", "false")];
    let works = |node: &Node| {
        let text = std::fs::read_to_string(&node.log).unwrap_or_default();
        text.matches("this node works for the shared bot").count()
    };
    let first = place.node(&elsewhere).await;
    wait_until("the first one works", || async { works(&first) == 1 }).await;
    let second = place.node(&elsewhere).await;
    assert_eq!(works(&second), 0);
    assert!(first.stop().await);
    wait_until("the second one works", || async { works(&second) == 1 }).await;
    assert_eq!(children(second.pid()), Vec::<u32>::new());
    assert!(second.stop().await);
    place.finish().await;
}
