//! The game server, a process that `make plugin-host` builds.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use testkit::{steam, wait_until};

/// How much faster than a clock time passes there: a poll of a minute takes a second.
const SPEED: &str = "60";

/// A running game server.
pub struct Host {
    child: Child,
    orders: ChildStdin,
    told: Arc<Mutex<Vec<Value>>>,
}

/// Beside the program under test.
fn program() -> PathBuf {
    let binary = Path::new(env!("CARGO_BIN_EXE_symbolon"));
    let target = binary
        .parent()
        .and_then(Path::parent)
        .expect("a target directory");
    let program = target.join("plugin/host.exe");
    assert!(
        program.exists(),
        "{} is missing: run `make plugin-host` first",
        program.display()
    );
    program
}

/// What the plugin is set up with, in the words of its file.
pub fn config(address: &str, key: &str) -> Value {
    json!({
        "Service address": address,
        "Server key": key,
        "Link page": "https://symbolon.example/link/guild-1",
        "Group for linked players": "linked",
        "Group for Discord boosters": "booster",
        "Group for members of the Steam group": "steamgroup",
        "Seconds between checks": 60,
        "Players per request": 500,
        "Settings stamp": "0123456789abcdef",
    })
}

impl Drop for Host {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

impl Host {
    /// Starts it with these settings; `directory` is where it may write.
    pub async fn start(directory: &Path, config: &Value) -> Host {
        let file = directory.join("Symbolon.json");
        std::fs::write(&file, config.to_string()).expect("a file of settings");
        let mut child = Command::new("mono")
            .arg(program())
            .arg(&file)
            .arg(SPEED)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("mono is installed");
        let orders = child.stdin.take().expect("a pipe");
        let told = Arc::new(Mutex::new(Vec::new()));
        let (lines, hearing) = (child.stdout.take().expect("a pipe"), Arc::clone(&told));
        std::thread::spawn(move || {
            for line in BufReader::new(lines).lines().map_while(Result::ok) {
                let value = serde_json::from_str(&line).unwrap_or(Value::String(line));
                hearing.lock().expect("a list").push(value);
            }
        });
        let mut host = Host { child, orders, told };
        wait_until("the plugin is loaded", || {
            let is_loaded = host.count("loaded") == 1;
            async move { is_loaded }
        })
        .await;
        host.order("start");
        host
    }

    pub fn order(&mut self, line: &str) {
        let line = format!("{line}\n");
        self.orders
            .write_all(line.as_bytes())
            .expect("the game server runs");
    }

    pub fn join(&mut self, number: u64) {
        self.order(&format!("join {} Player{number}", steam(number)));
    }

    /// How often something of this kind was told.
    pub fn count(&self, kind: &str) -> usize {
        let told = self.told.lock().expect("a list");
        told.iter().filter(|value| value.get(kind).is_some()).count()
    }

    /// Everything of this kind that was told.
    pub fn told(&self, kind: &str) -> Vec<Value> {
        let told = self.told.lock().expect("a list");
        told.iter().filter_map(|value| value.get(kind).cloned()).collect()
    }

    /// Asks for something, and waits for it.
    pub async fn ask(&mut self, kind: &str) -> Value {
        let before = self.count(kind);
        self.order(kind);
        wait_until(kind, || {
            let is_told = self.count(kind) > before;
            async move { is_told }
        })
        .await;
        self.told(kind).pop().expect("an answer")
    }

    /// The groups of everybody who was ever there, without the one that all have.
    pub async fn groups(&mut self) -> BTreeMap<String, Vec<String>> {
        let groups: BTreeMap<String, Vec<String>> =
            serde_json::from_value(self.ask("groups").await).expect("groups");
        let own = |groups: Vec<String>| groups.into_iter().filter(|group| group != "default").collect();
        groups.into_iter().map(|(id, groups)| (id, own(groups))).collect()
    }

    pub async fn groups_of(&mut self, number: u64) -> Vec<String> {
        self.groups()
            .await
            .remove(steam(number).as_str())
            .unwrap_or_default()
    }

    /// Requests so far, by action.
    pub async fn requests(&mut self) -> BTreeMap<String, u64> {
        serde_json::from_value(self.ask("requests").await).expect("counts")
    }

    /// Waits until somebody is in these groups.
    pub async fn until(&mut self, number: u64, groups: &[&str]) {
        let begun = std::time::Instant::now();
        loop {
            let now = self.groups_of(number).await;
            if now == groups {
                return;
            }
            assert!(
                begun.elapsed().as_secs() < 120,
                "{number} is in {now:?}, not in {groups:?}"
            );
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
    }
}
