//! Custom Bots on engines of containers that are real.

use std::net::SocketAddr;
use std::time::Instant;

use serde_json::Value;
use testkit::{Engine, Node, free_port, rounds, wait_until};

use super::aborts::{CRASHING, PAUSING, SETTING_UP, ending_at};
use super::engines::{Containers, IMAGE};
use super::harbour::{Harbour, RECOVERY, judge};
use super::own::{make, token};

const OURS: &str = "label=symbolon.bot";

/// A Guild whose own bot runs on an engine.
struct Quay {
    harbour: Harbour,
    engine: Containers,
    address: SocketAddr,
}

impl Quay {
    async fn open(engine: Containers, host: &'static str) -> Quay {
        let mut harbour = Harbour::open(Engine::Sqlite, 1).await;
        let address = SocketAddr::from(([127, 0, 0, 1], free_port()));
        harbour.settings.extend(engine.settings(host));
        harbour
            .settings
            .push(("SYMBOLON_BOT_SERVICE_URL", format!("http://{address}")));
        Quay {
            harbour,
            engine,
            address,
        }
    }

    async fn node(&self, more: &[(&str, &str)]) -> Node {
        self.harbour.node_at(self.address, more).await
    }

    fn containers(&self) -> Vec<String> {
        self.engine.list(&["ps", "--quiet", "--filter", OURS])
    }

    fn services(&self) -> Vec<String> {
        self.engine.list(&["service", "ls", "--quiet", "--filter", OURS])
    }

    fn secrets(&self) -> Vec<String> {
        self.engine.list(&["secret", "ls", "--quiet", "--filter", OURS])
    }

    /// Services, secrets and containers.
    fn all(&self) -> (usize, usize, usize) {
        (
            self.services().len(),
            self.secrets().len(),
            self.containers().len(),
        )
    }

    /// Nobody can read the token off what the engine shows, and of its process only its name.
    fn assert_secret(&self, container: &str) {
        let shown = self.engine.run(&["inspect", container]);
        assert!(!shown.contains("t0ken"), "{shown}");
        let described: Value = serde_json::from_str(&shown).expect("JSON");
        assert_eq!(described[0]["HostConfig"]["Memory"], 64 * 1024 * 1024);
        assert_eq!(described[0]["HostConfig"]["ReadonlyRootfs"], true);
        let pid = described[0]["State"]["Pid"].as_u64().expect("a process");
        for file in ["environ", "cmdline"] {
            let shown = std::fs::read(format!("/proc/{pid}/{file}")).expect("a process");
            assert!(!String::from_utf8_lossy(&shown).contains("t0ken"), "{file}");
        }
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).expect("a process");
        assert!(
            status.contains("NoNewPrivs:\t1") && status.contains("Uid:\t65534"),
            "{status}"
        );
    }

    /// Its bot gets another token, and has it.
    async fn replace(&self, node: &Node) {
        let own = make(&self.harbour.discord, 1);
        let fresh = token(1).replace("own", "new");
        let replaced = self.harbour.discord.change(|state| {
            let application = state.applications.get_mut(&own).expect("an application");
            application.token = fresh.clone();
        });
        replaced.expect("another token");
        self.harbour.save(node, 0, &fresh).await;
        let is_new = || async {
            self.harbour.bot(node, 0).await["restart_reason"] == "token_replaced"
                && self.harbour.connected(own).len() == 1
        };
        wait_until("it has its new token", is_new).await;
    }

    async fn pay(&self, status: &str) {
        self.harbour.pay(status).await;
    }

    /// Its bot is online, and there is one of everything.
    async fn is_whole(&self, node: &Node) {
        self.harbour.until(node, 0, "online").await;
        self.harbour.all_are_connected().await;
        wait_until("one of everything", || async { self.all() == (1, 1, 1) }).await;
    }

    async fn is_empty(&self) {
        wait_until("nothing of it is left", || async { self.all() == (0, 0, 0) }).await;
    }

    /// Makes a service for the bot, as a node would that lost the bot while it started it.
    fn leave_behind(&self, labels: &Value) {
        let label = |key: &str| format!("{key}={}", labels[key].as_str().expect("a label"));
        let (bot, installation) = (label("symbolon.bot"), label("symbolon.installation"));
        let name = format!("symbolon-{}", labels["symbolon.bot"].as_str().expect("a label"));
        let create = ["service", "create", "--detach", "--quiet", "--no-resolve-image"];
        let what = [
            "--replicas",
            "0",
            "--label",
            &bot,
            "--label",
            &installation,
            "--name",
            &name,
            IMAGE,
        ];
        self.engine.run(&[&create[..], &what[..]].concat());
    }

    async fn finish(self) {
        self.harbour.finish().await;
    }
}

/// What holds for a bot that lives with its node.
async fn as_containers(engine: Containers) {
    let quay = Quay::open(engine, "docker").await;
    let own = make(&quay.harbour.discord, 1);
    let node = quay.node(&[]).await;
    quay.harbour.save(&node, 0, &token(1)).await;
    let first = quay.harbour.until(&node, 0, "online").await;
    assert!(first["memory_bytes"].as_i64() > Some(100_000), "{first}");
    let [container] = &quay.containers()[..] else {
        panic!("one container")
    };
    quay.assert_secret(container);

    quay.engine.run(&["kill", container]);
    let is_back = || async {
        let bot = quay.harbour.bot(&node, 0).await;
        bot["status"] == "online"
            && bot["restart_reason"].is_string()
            && quay.harbour.connected(own).len() == 1
    };
    wait_until("another one is there", is_back).await;

    quay.pay("canceled").await;
    quay.harbour.until(&node, 0, "paused").await;
    wait_until("it is offline", || async {
        quay.harbour.connected(own).is_empty()
    })
    .await;
    wait_until("it has ended", || async { quay.containers().is_empty() }).await;
    quay.pay("active").await;
    quay.harbour.until(&node, 0, "online").await;

    node.kill();
    wait_until("it goes with its node", || async { quay.containers().is_empty() }).await;
    let node = quay.node(&[]).await;
    quay.harbour.until(&node, 0, "online").await;
    wait_until("it is online", || async {
        quay.harbour.connected(own).len() == 1
    })
    .await;
    assert_eq!(quay.harbour.ask(&node, 0, "DELETE", "", "").await.0, 204);
    let is_gone = || async {
        quay.engine
            .list(&["ps", "--all", "--quiet", "--filter", OURS])
            .is_empty()
    };
    wait_until("nothing of it is left", is_gone).await;
    assert!(node.stop().await);
    quay.finish().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bot_runs_as_a_container_of_docker() {
    as_containers(Containers::docker()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bot_runs_as_a_container_of_podman() {
    as_containers(Containers::podman()).await;
}

/// A node that is late with a bot leaves a service of one that has been paused meanwhile.
async fn paused_and_left_behind(quay: &Quay, node: Node) -> Node {
    let services = quay.services();
    let shown = [
        "service",
        "inspect",
        "--format",
        "{{json .Spec.Labels}}",
        &services[0],
    ];
    let labels: Value = serde_json::from_str(&quay.engine.run(&shown)).expect("labels");
    quay.pay("canceled").await;
    quay.harbour.until(&node, 0, "paused").await;
    quay.is_empty().await;
    // Some node was late with it.
    quay.leave_behind(&labels);
    assert!(node.stop().await);
    let node = quay.node(&[]).await;
    quay.is_empty().await;
    assert_eq!(quay.harbour.bot(&node, 0).await["status"], "paused");
    node
}

/// A machine that has not the image is no bot that crashes.
async fn without_its_image(quay: &Quay, node: Node) -> Node {
    assert!(node.stop().await);
    let node = quay.node(&[("SYMBOLON_BOT_IMAGE", "localhost/nowhere:1")]).await;
    quay.pay("active").await;
    let missed = "dedicated_bots WHERE attempts >= 2 AND exits = '[]'";
    wait_until("it is tried again", || async {
        quay.harbour.site.db.count(missed).await == 1
    })
    .await;
    assert!(node.stop().await);
    let node = quay.node(&[]).await;
    quay.is_whole(&node).await;
    node
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bot_runs_as_a_service_of_a_swarm_and_outlives_its_node() {
    let quay = Quay::open(Containers::swarm(), "swarm").await;
    let own = make(&quay.harbour.discord, 1);
    let node = quay.node(&[]).await;
    quay.harbour.save(&node, 0, &token(1)).await;
    quay.harbour.until(&node, 0, "online").await;
    let [container] = &quay.containers()[..] else {
        panic!("one container")
    };
    quay.assert_secret(container);
    assert_eq!((quay.services().len(), quay.secrets().len()), (1, 1));

    let identifies = quay.harbour.identifies(own);
    node.kill();
    let node = quay.node(&[]).await;
    quay.harbour.until(&node, 0, "online").await;
    assert!(node.stop().await);
    assert_eq!(
        quay.containers(),
        std::slice::from_ref(container),
        "the same one runs on"
    );
    assert_eq!(quay.harbour.identifies(own), identifies);
    assert_eq!(quay.harbour.connected(own).len(), 1);

    let node = quay.node(&[]).await;
    // It has found the bot when it has written down that it works for it.
    let is_found = "bots WHERE kind = 'dedicated' AND lease_owner IS NOT NULL";
    wait_until("the node has found it", || async {
        quay.harbour.site.db.count(is_found).await == 1
    })
    .await;
    tokio::time::sleep(std::time::Duration::from_secs(3)).await;
    quay.engine.run(&["kill", container]);
    let is_back = || async {
        let bot = quay.harbour.bot(&node, 0).await;
        bot["status"] == "online"
            && bot["restart_reason"].is_string()
            && quay.harbour.connected(own).len() == 1
    };
    wait_until("there is another one", is_back).await;

    quay.replace(&node).await;
    assert_eq!((quay.services().len(), quay.secrets().len()), (1, 1));

    let node = paused_and_left_behind(&quay, node).await;
    let node = without_its_image(&quay, node).await;
    assert_eq!(quay.harbour.ask(&node, 0, "DELETE", "", "").await.0, 204);
    quay.is_empty().await;
    assert!(node.stop().await);
    quay.finish().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_end_in_any_step_leaves_one_service_and_one_secret_in_a_swarm() {
    let quay = Quay::open(Containers::swarm(), "swarm").await;
    let steps = SETTING_UP.iter().step_by(rounds(6, 1)).copied();
    for point in ["swarm.cleared", "swarm.secret_made"].into_iter().chain(steps) {
        let node = quay.node(&ending_at(point)).await;
        quay.harbour.save_all(&node).await;
        node.ended().await;
        let begun = Instant::now();
        let node = quay.node(&[]).await;
        quay.is_whole(&node).await;
        judge(&format!("{point}: online in a Swarm"), begun.elapsed(), RECOVERY);
        assert_eq!(quay.harbour.ask(&node, 0, "DELETE", "", "").await.0, 204);
        quay.is_empty().await;
        assert!(node.stop().await);
    }
    quay.finish().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_end_in_a_pause_or_after_a_crash_leaves_a_swarm_as_it_is_to_be() {
    let quay = Quay::open(Containers::swarm(), "swarm").await;
    let node = quay.node(&[]).await;
    quay.harbour.save_all(&node).await;
    quay.is_whole(&node).await;
    assert!(node.stop().await);
    for point in PAUSING.into_iter().step_by(rounds(4, 1)) {
        let node = quay.node(&ending_at(point)).await;
        quay.is_whole(&node).await;
        quay.pay("canceled").await;
        node.ended().await;
        let begun = Instant::now();
        let node = quay.node(&[]).await;
        quay.harbour.until(&node, 0, "paused").await;
        quay.is_empty().await;
        judge(&format!("{point}: paused in a Swarm"), begun.elapsed(), RECOVERY);
        quay.pay("active").await;
        quay.is_whole(&node).await;
        assert!(node.stop().await);
    }
    for point in CRASHING.into_iter().skip(rounds(1, 0)) {
        let node = quay.node(&ending_at(point)).await;
        quay.is_whole(&node).await;
        quay.engine.run(&["kill", &quay.containers()[0]]);
        node.ended().await;
        let begun = Instant::now();
        let node = quay.node(&[]).await;
        quay.is_whole(&node).await;
        judge(&format!("{point}: online in a Swarm"), begun.elapsed(), RECOVERY);
        assert!(node.stop().await);
    }
    quay.finish().await;
}
