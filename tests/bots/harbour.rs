//! A node with Guilds whose own bots it runs.

use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use emulator::discord::{Member, Snowflake};
use emulator::{Discord, Steam};
use serde_json::{Value, json};
use testkit::{BOT_TOKEN, Engine, Node, add_guild, rounds, start_platforms, wait_until};

use super::children::children;
use super::log::snowflake;
use super::own::{bot_id, make, pay, token};
use crate::secrecy::rows::texts;
use crate::torture::site::Site;
use crate::torture::wire::Wire;

/// Within this time everything is back after an end.
pub const RECOVERY: Duration = Duration::from_secs(30);

/// Tells how long something took. It is judged where a machine has nothing else to do, and nowhere else.
pub fn judge(what: &str, took: Duration, most: Duration) {
    println!("{what}: {took:?}");
    let is_judged = rounds(0, 1) == 1;
    assert!(!is_judged || took <= most, "{what}: {took:?}, at most {most:?}");
}

/// A node's Discord, with Guilds that have bots of their own.
pub struct Harbour {
    pub site: Site,
    pub discord: Discord,
    _steam: Steam,
    pub settings: Vec<(&'static str, String)>,
}

impl Harbour {
    /// So many Orgs, each with a Guild whose bot is paid for.
    pub async fn open(engine: Engine, guilds: u64) -> Harbour {
        let site = Site::seed(engine, guilds, 1).await;
        let (discord, steam, mut settings) = start_platforms().await;
        // Over plain http on this machine, as people try it.
        settings.retain(|(name, _)| *name != "SYMBOLON_SERVER_PUBLIC_URL");
        settings.push(("SYMBOLON_DISCORD_BOT_TOKEN", BOT_TOKEN.to_owned()));
        // Whatever anybody could ever log is held against the tokens.
        settings.push(("SYMBOLON_LOG_LEVEL", "trace".to_owned()));
        for (place, member) in site.members.iter().enumerate() {
            add_guild(&discord, &member.tenant.discord_guild, "Ashfall");
            let bot = make(&discord, place as u64 + 1);
            invite(&discord, snowflake(&member.tenant.discord_guild), bot);
            pay(&site.db, member.tenant.guild.as_str()).await;
        }
        Harbour {
            site,
            discord,
            _steam: steam,
            settings,
        }
    }

    pub async fn node(&self) -> Node {
        self.node_with(&[]).await
    }

    pub async fn node_with(&self, more: &[(&str, &str)]) -> Node {
        let address = SocketAddr::from(([127, 0, 0, 1], testkit::free_port()));
        self.node_at(address, more).await
    }

    /// At an address that its bots were told of.
    pub async fn node_at(&self, address: SocketAddr, more: &[(&str, &str)]) -> Node {
        let settings = self.settings.iter().map(|(name, value)| (*name, value.as_str()));
        let settings: Vec<(&str, &str)> = settings.chain(more.iter().copied()).collect();
        self.site.node_at(address, &settings).await
    }

    /// A node on another machine: it has a folder of its own, and of the first one only the master keys.
    pub async fn node_elsewhere(&self, name: &str, more: &[(&str, &str)]) -> Node {
        let (own, keys) = (self.site.db.directory(), "SYMBOLON_KEYS_MASTER_KEY_FILE");
        let (folder, keys_file) = (own.join(name), own.join("master.keys").display().to_string());
        let settings = self.settings.iter().map(|(name, value)| (*name, value.as_str()));
        let settings: Vec<(&str, &str)> = settings
            .chain(more.iter().copied())
            .chain([(keys, keys_file.as_str())])
            .collect();
        self.site.node_in(&folder, &settings).await
    }

    pub async fn ask(&self, node: &Node, place: usize, method: &str, rest: &str, body: &str) -> (u16, Value) {
        let answer = self.try_ask(node, place, method, rest, body).await;
        answer.expect("an answer")
    }

    /// The same; none from a node that has ended.
    pub async fn try_ask(
        &self,
        node: &Node,
        place: usize,
        method: &str,
        rest: &str,
        body: &str,
    ) -> Option<(u16, Value)> {
        let member = &self.site.members[place];
        let uri = member.uri(&format!("/guilds/{}/bot{rest}", member.tenant.guild));
        let mut wire = Wire::open(node.address).await.ok()?;
        let answer = wire.person(&member.session, method, &uri, body).await.ok()?;
        let body = serde_json::from_str(&answer.body).unwrap_or_default();
        Some((answer.status, body))
    }

    pub fn len(&self) -> usize {
        self.site.members.len()
    }

    /// The accounts of all bots.
    pub fn bots(&self) -> Vec<Snowflake> {
        (1..=self.len() as u64).map(bot_id).collect()
    }

    /// Gives every Guild its token that has none yet, until the node has ended.
    pub async fn save_all(&self, node: &Node) {
        for place in 0..self.len() {
            let body = json!({ "token": token(place as u64 + 1) }).to_string();
            loop {
                match self.try_ask(node, place, "GET", "", "").await {
                    None => return,
                    Some((_, card)) if card["bot"].is_object() => break,
                    Some(_) => drop(self.try_ask(node, place, "POST", "/token", &body).await),
                }
            }
        }
    }

    pub async fn all_are(&self, node: &Node, status: &str) {
        for place in 0..self.len() {
            self.until(node, place, status).await;
        }
    }

    /// Each bot has its session.
    pub async fn all_are_connected(&self) {
        let bots = self.bots();
        let are_there = || async { bots.iter().all(|bot| self.connected(*bot).len() == 1) };
        wait_until("each bot has one session", are_there).await;
    }

    /// Nothing is to be begun for any of them before this time.
    pub async fn begin_at(&self, at_ms: i64) {
        let held = format!("UPDATE dedicated_bots SET next_at = {at_ms}");
        self.site.db.damage(&held).await;
    }

    /// What becomes of all subscriptions.
    pub async fn pay(&self, status: &str) {
        let paid = format!("UPDATE subscriptions SET status = '{status}'");
        self.site.db.damage(&paid).await;
    }

    /// Each bot is online once, by one process, and nothing else is there.
    pub async fn assert_in_order(&self, node: &Node) {
        self.all_are_connected().await;
        let shared = testkit::APPLICATION.parse().expect("an id");
        wait_until("the shared bot is online", || async {
            self.connected(shared).len() == 1
        })
        .await;
        let is_one_each = || async { children(node.pid()).len() == self.len() + 1 };
        wait_until("a process for each bot, and the shared one's", is_one_each).await;
        assert_eq!(self.folders(node).len(), self.len(), "a folder for each bot");
        self.assert_alone();
    }

    /// Folders of bots on the machine of a node.
    pub fn folders(&self, node: &Node) -> Vec<String> {
        bots_in(node.log.parent().expect("a data directory"))
    }

    /// No node has a folder of a bot that there is not.
    async fn assert_no_orphans(&self) {
        let known = texts(&self.site.db.db, "SELECT id FROM dedicated_bots").await;
        let own = self.site.db.directory();
        let nested = std::fs::read_dir(own).into_iter().flatten().flatten();
        for data in nested.map(|entry| entry.path()).chain([own.to_owned()]) {
            let unknown = |bot: &String| !known.contains(bot);
            let left: Vec<String> = bots_in(&data).into_iter().filter(unknown).collect();
            assert!(left.is_empty(), "{}: {left:?}", data.display());
        }
    }

    /// No token is in a file of any node: not in its log, its database or what its bots keep.
    fn assert_secret(&self) {
        let mut folders = vec![self.site.db.directory().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
                let (path, kind) = (entry.path(), entry.file_type());
                if kind.is_ok_and(|kind| kind.is_dir()) {
                    folders.push(path);
                    continue;
                }
                let bytes = std::fs::read(&path).unwrap_or_default();
                let text = String::from_utf8_lossy(&bytes);
                for token in ["t0ken", BOT_TOKEN] {
                    assert!(!text.contains(token), "{} has a token", path.display());
                }
            }
        }
    }

    pub async fn save(&self, node: &Node, place: usize, token: &str) {
        let body = json!({ "token": token }).to_string();
        let (status, answer) = self.ask(node, place, "POST", "/token", &body).await;
        assert_eq!(status, 200, "{answer}");
    }

    pub async fn bot(&self, node: &Node, place: usize) -> Value {
        self.ask(node, place, "GET", "", "").await.1["bot"].clone()
    }

    pub async fn until(&self, node: &Node, place: usize, status: &str) -> Value {
        wait_until(status, || async {
            self.bot(node, place).await["status"] == status
        })
        .await;
        self.bot(node, place).await
    }

    /// Sessions of a bot that are connected.
    pub fn connected(&self, bot: Snowflake) -> Vec<Value> {
        let gateway = self.discord.gateway();
        let sessions = gateway["sessions"].as_array().cloned().unwrap_or_default();
        let of_bot =
            |session: &Value| session["connected"] == true && session["application_id"] == bot.to_string();
        sessions.into_iter().filter(of_bot).collect()
    }

    pub fn identifies(&self, bot: Snowflake) -> u64 {
        self.discord.gateway()["identifies"][bot.to_string()]
            .as_u64()
            .unwrap_or(0)
    }

    /// Nobody was ever there twice.
    fn assert_alone(&self) {
        assert_eq!(self.discord.gateway()["overlaps"], json!([]));
    }

    pub async fn finish(self) {
        self.assert_alone();
        self.assert_secret();
        self.assert_no_orphans().await;
        self.site.finish().await;
    }
}

/// Folders of bots in a data directory.
fn bots_in(data: &Path) -> Vec<String> {
    let folders = std::fs::read_dir(data.join("bots"))
        .into_iter()
        .flatten()
        .flatten();
    folders
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect()
}

fn invite(discord: &Discord, guild: Snowflake, bot: Snowflake) {
    let added = discord.change(|state| {
        let guild = state.guilds.get_mut(&guild).expect("a guild");
        guild.members.insert(bot, Member::default());
    });
    added.expect("a member");
}

/// The processes of a node that are a bot's, other than the shared one's: those that were there before.
pub fn newcomers(node: &Node, before: &[u32]) -> Vec<u32> {
    let now = children(node.pid());
    now.into_iter().filter(|pid| !before.contains(pid)).collect()
}

pub async fn shared_only(harbour: &Harbour, node: &Node) -> Vec<u32> {
    let shared = testkit::APPLICATION.parse().expect("an id");
    wait_until("the shared bot is online", || async {
        harbour.connected(shared).len() == 1
    })
    .await;
    children(node.pid())
}
