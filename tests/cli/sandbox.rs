//! The sandbox: a world to look at, in one command.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use testkit::{Engine, both_databases, free_port, wait_until};

use super::browser::{Browser, control, send};
use super::shell::{BINARY, empty, installed};
use crate::bots::children::children;

/// A running `serve --sandbox`. It is killed when dropped.
pub struct Sandbox {
    child: Child,
    file: PathBuf,
    address: String,
}

impl Sandbox {
    pub async fn start(data: &Path, database: &str) -> Sandbox {
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

    pub fn address(&self) -> &str {
        &self.address
    }

    fn browser(&self) -> Browser {
        Browser::new(&format!("http://{}", self.address))
    }

    /// Who a Steam account is linked with on the first server of a Guild.
    async fn linked(&self, guild: &Value, steam_id: &str) -> Option<String> {
        let key = guild["servers"][0]["key"].as_str().expect("a key");
        let uri = format!("/api?action=findBySteam&id={steam_id}");
        let (status, body) = get(&self.address, &uri, key).await.expect("an answer");
        (status == 200).then(|| body.trim_matches('"').to_owned())
    }

    fn world(&self) -> Value {
        let text = std::fs::read_to_string(&self.file).expect("sandbox.json");
        serde_json::from_str(&text).expect("JSON")
    }

    pub async fn stop(mut self) {
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
    let reply = send(
        "GET",
        &format!("http://{address}{uri}"),
        &[("x-api-key", key)],
        "",
    )
    .await?;
    Some((reply.status, reply.body))
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
        for (part, field) in [("discord", "api"), ("discord", "gateway"), ("discord", "control"), ("steam", "openid"), ("steam", "api"), ("steam", "control")] {
            let address = text(&world[part][field]);
            assert!(address.starts_with("http://127.0.0.1:") || address.starts_with("ws://127.0.0.1:"), "{part}: {address}");
        }
        assert!(text(&world["control"]).starts_with("http://127.0.0.1:"));
        let mut tiers: Vec<_> = each(&world, "orgs").iter().filter_map(|org| org["tier"].as_str()).collect();
        tiers.sort_unstable();
        assert_eq!(tiers, ["free", "free", "pro"]);
        let people = each(&world, "people");
        assert!(people.iter().any(|person| person["operator"] == true));
        for role in ["owner", "admin", "staff"] {
            let holds = |person: &&Value| each(person, "memberships").iter().any(|of| of["role"] == role);
            assert_eq!(people.iter().filter(holds).count(), 2, "one {role} in each Org");
        }
        let bots = each(&world, "bots");
        let secret = shell.json(&["admin", "bot-secret", "show"]);
        assert_eq!(bots, [json!({ "id": "platform", "secret": secret["secret"] })]);
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
        assert_eq!((ran.code, ran.out.lines().last()), (Some(0), Some("all invariants hold")), "{}", ran.err);
        db.finish().await;
    }

    async fn the_demo_world_is_alive_and_its_addresses_stay_in_sight(engine) {
        let (db, shell) = empty(engine).await;
        let sandbox = Sandbox::start(shell.data(), shell.database()).await;
        let world = sandbox.world();
        let mut ada = sandbox.browser();
        ada.sign_in("/auth/discord/login", &Ids::of(&world, "Ada").discord).await;
        let org = text(&world["orgs"][0]["id"]);
        let overview = format!("/orgs/{org}/overview");
        wait_until("its game servers have called", || {
            let mut ada = ada.clone();
            let overview = overview.clone();
            async move {
                let shown = ada.get(&overview).await.json();
                let servers = each(&shown, "servers").to_vec();
                servers.len() == 3 && servers.iter().all(|server| server["last_call_at_ms"].is_i64() && server["plugin_version"].is_string())
            }
        })
        .await;
        let shown = ada.get(&overview).await.json();
        assert!(shown["usage"]["navigation_links"].as_i64() > Some(0), "{shown}");
        let harbour = each(&world, "orgs").iter().find(|org| org["name"] == "Quiet Harbour").expect("an empty Org");
        let shown = ada.get(&format!("/orgs/{}/overview", text(&harbour["id"]))).await.json();
        assert_eq!((&shown["guilds"], &shown["servers"]), (&Value::Array(Vec::new()), &Value::Array(Vec::new())));
        let log = std::fs::read_to_string(shell.data().join("sandbox.log")).expect("a log");
        assert!(log.contains("request"), "requests are written down: {log}");
        sandbox.stop().await;
        db.finish().await;
    }

    async fn a_link_is_made_and_ended_on_pages_that_need_no_account(engine) {
        let (db, shell) = empty(engine).await;
        let sandbox = Sandbox::start(shell.data(), shell.database()).await;
        let world = sandbox.world();
        let guild = &world["orgs"][0]["guilds"][0];
        assert_eq!(guild["slug"], "ashfall-rust");
        let (gia, ines, jona) = (Ids::of(&world, "Gia"), Ids::of(&world, "Ines"), Ids::of(&world, "Jona"));
        let mut browser = sandbox.browser();
        let page = browser.sign_in("/auth/discord/link?guild=ashfall-rust", &gia.discord).await;
        assert!(page.status == 200 && page.body.contains("Gia"), "{}", page.body);
        browser.sign_in("/auth/steam/link?guild=ashfall-rust", &gia.steam).await;
        let done = browser.press("/link/ashfall-rust", "verify").await;
        assert_eq!(done.status, 200, "{}", done.body);
        assert_eq!(sandbox.linked(guild, &gia.steam).await.as_ref(), Some(&gia.discord), "{}", done.body);
        let state = control("GET", &format!("{}/state", text(&world["discord"]["control"])), "").await.json();
        let members = &state["guilds"][text(&guild["discord_guild_id"])]["members"];
        assert!(members[&gia.discord].is_object(), "the bot has let her in");
        for other in [&ines, &jona] {
            let mut browser = sandbox.browser();
            browser.sign_in("/auth/discord/link?guild=ashfall-rust", &other.discord).await;
            browser.sign_in("/auth/steam/link?guild=ashfall-rust", &other.steam).await;
            browser.press("/link/ashfall-rust", "verify").await;
            assert_eq!(sandbox.linked(guild, &other.steam).await, None, "the Steam group is missing or hidden");
        }
        browser.sign_in("/auth/steam/unlink?guild=ashfall-rust", &gia.steam).await;
        browser.press("/unlink/ashfall-rust", "confirm").await;
        assert_eq!(sandbox.linked(guild, &gia.steam).await, None);
        sandbox.stop().await;
        db.finish().await;
    }

    async fn a_bot_that_hangs_is_replaced(engine) {
        let (db, shell) = empty(engine).await;
        let sandbox = Sandbox::start(shell.data(), shell.database()).await;
        let world = sandbox.world();
        let clock = format!("{}/clock", text(&world["control"]));
        let gateway = format!("{}/gateway", text(&world["discord"]["control"]));
        let resumes = async || {
            let told = control("GET", &gateway, "").await.json();
            let resumes = told["resumes"].as_object().cloned().unwrap_or_default();
            resumes.values().filter_map(Value::as_u64).sum::<u64>()
        };
        wait_until("the bot runs", || async { children(sandbox.child.id()).len() == 1 }).await;
        let is_online = || async { control("GET", &gateway, "").await.json()["sessions"][0]["connected"] == true };
        wait_until("it is online", is_online).await;
        let before = children(sandbox.child.id());
        let frozen = Command::new("kill").args(["-STOP", &before[0].to_string()]).status();
        assert!(frozen.is_ok_and(|status| status.success()));
        assert_eq!(control("POST", &clock, r#"{"advance_ms":60000}"#).await.status, 200);
        let is_replaced = || async {
            let now = children(sandbox.child.id());
            now.len() == 1 && now != before
        };
        wait_until("another one runs", is_replaced).await;
        wait_until("it goes on with the session", || async { resumes().await == 1 }).await;
        sandbox.stop().await;
        db.finish().await;
    }

    async fn one_clock_moves_the_product_and_the_platforms(engine) {
        let (db, shell) = empty(engine).await;
        let sandbox = Sandbox::start(shell.data(), shell.database()).await;
        let world = sandbox.world();
        let hugo = Ids::of(&world, "Hugo");
        let clock = format!("{}/clock", text(&world["control"]));
        let start = "/auth/discord/link?guild=ashfall-creative";
        let mut browser = sandbox.browser();
        let back = browser.answer_to(start, &hugo.discord).await;
        assert_eq!(control("POST", &clock, r#"{"advance_ms":660000}"#).await.status, 200);
        assert_ne!(browser.get(&back).await.status, 303, "the way back is closed after ten minutes");
        let page = browser.sign_in(start, &hugo.discord).await;
        assert!(page.body.contains("Hugo"), "{}", page.body);
        let moved = control("POST", &clock, r#"{"advance_ms":3660000}"#).await.json();
        let page = browser.get("/link/ashfall-creative").await;
        assert!(page.status == 200 && !page.body.contains("Hugo"), "the flow is over: {}", page.body);
        browser.answer_to(start, &hugo.discord).await;
        let requests = control("GET", &format!("{}/requests", text(&world["discord"]["control"])), "").await.json();
        let last = requests.as_array().and_then(|all| all.last()).expect("a request");
        assert!(last["at_ms"].as_i64() >= moved["now_ms"].as_i64(), "{last} is after {moved}");
        for wrong in [r#"{"advance_ms":-1}"#, r#"{"advance_ms":400000000000}"#, r#"{"ms":1}"#, ""] {
            assert_eq!(control("POST", &clock, wrong).await.status, 400, "{wrong}");
        }
        let drained = control("POST", &format!("{}/jobs/drain", text(&world["control"])), "").await;
        assert!(drained.status == 200 && drained.json()["due"].is_i64(), "{}", drained.body);
        assert!(drained.json()["left"].as_object().is_some_and(|left| !left.contains_key("guild.end")), "{}", drained.body);
        sandbox.stop().await;
        let again = Sandbox::start(shell.data(), shell.database()).await;
        let clock = format!("{}/clock", text(&again.world()["control"]));
        let kept = control("POST", &clock, r#"{"advance_ms":0}"#).await.json();
        assert!(kept["now_ms"].as_i64() >= moved["now_ms"].as_i64(), "time does not go back");
        again.stop().await;
        db.finish().await;
    }
}

both_databases! {
    async fn a_sandbox_leaves_a_database_alone_that_is_somebodys(engine) {
        let (db, shell) = installed(engine).await;
        shell.json(&["admin", "create-org", "--name", "Real", "--owner", "700000000000000001"]);
        let before = shell.json(&["admin", "list-orgs"]);
        let ran = shell.run(&["serve", "--sandbox", "--listen", "127.0.0.1:0"]);
        ran.fails_with_one_line("this database is in use and not a sandbox");
        assert!(!shell.data().join("sandbox.json").exists(), "no key is told");
        assert_eq!(shell.json(&["admin", "list-orgs"]), before);
        assert!(!before.as_object().expect("Orgs").is_empty());
        db.finish().await;
    }

    async fn a_sandbox_that_cannot_listen_writes_nothing_down(engine) {
        let (db, shell) = empty(engine).await;
        let held = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let taken = held.local_addr().expect("an address").to_string();
        let ran = Command::new(BINARY)
            .args(["serve", "--sandbox", "--listen", "127.0.0.1:0", "--database", shell.database(), "--data"])
            .arg(shell.data())
            .env("SYMBOLON_SERVER_METRICS_LISTEN", &taken)
            .output()
            .expect("the binary runs");
        let told = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert!(!ran.status.success() && told.contains(&format!("cannot listen on {taken} for metrics")), "{told}");
        assert!(!shell.data().join("sandbox.json").exists());
        drop(held);
        db.finish().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sandbox_finds_a_port_for_its_metrics_when_the_usual_one_is_taken() {
    let (db, shell) = empty(Engine::Sqlite).await;
    // By us or by somebody else: it is taken.
    let _held = std::net::TcpListener::bind("127.0.0.1:9464");
    std::fs::create_dir_all(shell.data()).expect("a directory");
    let output = shell.data().join("told");
    let child = Command::new(BINARY)
        .args(["serve", "--sandbox", "--listen", "127.0.0.1:0", "--data"])
        .arg(shell.data())
        .stdout(std::fs::File::create(&output).expect("a file"))
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary starts");
    let sandbox = Sandbox {
        child,
        file: shell.data().join("sandbox.json"),
        address: String::new(),
    };
    let told = || std::fs::read_to_string(&output).unwrap_or_default();
    wait_until("the sandbox tells where it is", || async {
        told().contains("Stop with")
    })
    .await;
    assert!(sandbox.file.exists());
    let told = told();
    let metrics = told
        .lines()
        .find_map(|line| line.strip_prefix("Metrics:  "))
        .expect("an address");
    assert!(!metrics.contains(":9464/"), "{metrics}");
    let shown = send("GET", metrics, &[], "").await.expect("an answer");
    assert!(
        shown.body.contains("symbolon_log_lines_dropped_total 0"),
        "{}",
        shown.body
    );
    sandbox.stop().await;
    db.finish().await;
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a text")
}

/// The two accounts of a person.
struct Ids {
    discord: String,
    steam: String,
}

impl Ids {
    fn of(world: &Value, name: &str) -> Ids {
        let person = each(world, "people").iter().find(|person| person["name"] == name);
        let person = person.expect("somebody of this name");
        Ids {
            discord: text(&person["discord_id"]).to_owned(),
            steam: text(&person["steam_id"]).to_owned(),
        }
    }
}
