//! The sandbox: a world to look at, in one command.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;
use testkit::{both_databases, free_port, wait_until};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::shell::{BINARY, empty};

/// A running `serve --sandbox`. It is killed when dropped.
struct Sandbox {
    child: Child,
    file: PathBuf,
    address: String,
}

impl Sandbox {
    async fn start(data: &Path, database: &str) -> Sandbox {
        let address = format!("127.0.0.1:{}", free_port());
        let child = Command::new(BINARY)
            .args([
                "serve",
                "--sandbox",
                "--listen",
                &address,
                "--database",
                database,
                "--data",
            ])
            .arg(data)
            .env("SYMBOLON_SERVER_METRICS_LISTEN", "")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the binary starts");
        let sandbox = Sandbox {
            child,
            file: data.join("sandbox.json"),
            address,
        };
        wait_until("the sandbox answers", || async {
            get(&sandbox.address, "/readyz", "")
                .await
                .is_some_and(|(status, _)| status == 200)
        })
        .await;
        sandbox
    }

    fn world(&self) -> Value {
        let text = std::fs::read_to_string(&self.file).expect("sandbox.json");
        serde_json::from_str(&text).expect("JSON")
    }

    async fn stop(mut self) {
        let sent = Command::new("kill").arg(self.child.id().to_string()).status();
        assert!(sent.is_ok_and(|status| status.success()));
        while self.child.try_wait().expect("a child can be asked").is_none() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        // Already gone is fine.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

async fn get(address: &str, uri: &str, key: &str) -> Option<(u16, String)> {
    let mut stream = TcpStream::connect(address).await.ok()?;
    let request =
        format!("GET {uri} HTTP/1.1\r\nhost: test\r\nconnection: close\r\nx-api-key: {key}\r\n\r\n");
    stream.write_all(request.as_bytes()).await.ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.ok()?;
    let (head, body) = answer.split_once("\r\n\r\n")?;
    Some((head.split(' ').nth(1)?.parse().ok()?, body.to_owned()))
}

fn each<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value[name].as_array().map_or(&[], Vec::as_slice)
}

/// Every server of the world: its key and the number of links its Guild has.
async fn totals(sandbox: &Sandbox) -> Vec<(String, u64)> {
    let mut found = Vec::new();
    let world = sandbox.world();
    for guild in each(&world, "orgs").iter().flat_map(|org| each(org, "guilds")) {
        for server in each(guild, "servers") {
            let key = server["key"].as_str().expect("a key").to_owned();
            let (status, body) = get(&sandbox.address, "/api?action=count", &key)
                .await
                .expect("an answer");
            assert_eq!(status, 200, "{body}");
            let total = serde_json::from_str::<Value>(&body).expect("JSON")["Total"].as_u64();
            found.push((key, total.expect("a number")));
        }
    }
    found
}

both_databases! {
    async fn the_sandbox_is_ready_to_use_and_keeps_its_world(engine) {
        let (db, shell) = empty(engine).await;
        let sandbox = Sandbox::start(shell.data(), shell.database()).await;
        let mode = std::fs::metadata(&sandbox.file).expect("sandbox.json").permissions().mode() & 0o777;
        assert_eq!(mode, 0o600, "it holds keys");
        let world = sandbox.world();
        assert_eq!(world["base_url"], format!("http://{}", sandbox.address));
        let mut tiers: Vec<_> = each(&world, "orgs").iter().filter_map(|org| org["tier"].as_str()).collect();
        tiers.sort_unstable();
        assert_eq!(tiers, ["free", "pro"]);
        let people = each(&world, "people");
        assert!(people.iter().any(|person| person["operator"] == true));
        for role in ["owner", "admin", "staff"] {
            let holds = |person: &&Value| each(person, "memberships").iter().any(|of| of["role"] == role);
            assert_eq!(people.iter().filter(holds).count(), 2, "one {role} in each Org");
        }
        let before = totals(&sandbox).await;
        assert!(before.len() >= 3 && before.iter().all(|(_, total)| *total > 0), "{before:?}");
        let session = shell.json(&["admin", "session", "--discord", people[0]["discord_id"].as_str().expect("an id")]);
        assert!(session["session"].is_string());
        sandbox.stop().await;
        let again = Sandbox::start(shell.data(), shell.database()).await;
        assert_eq!(totals(&again).await, before, "keys and links are the same after a restart");
        assert_eq!(again.world()["people"], world["people"]);
        again.stop().await;
        let ran = shell.run(&["doctor"]);
        assert_eq!((ran.code, ran.out.trim()), (Some(0), "all invariants hold"), "{}", ran.err);
        db.finish().await;
    }
}
