//! Several nodes share one file of master keys.

use std::process::{Child, Command, Stdio};

use futures_util::future::join_all;
use storage::settings;
use testkit::{Engine, Node, TestDb, rounds};

use super::race::report;
use super::site::Site;
use super::wire::Wire;
use crate::cli::{BINARY, Shell};

fn start_admin(db: &TestDb, arguments: &[&str]) -> Child {
    Command::new(BINARY)
        .args(["--database", &db.url_or_path(), "--data"])
        .arg(db.directory())
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts")
}

/// Starts the same command many times at once; all must succeed.
fn all_succeed(db: &TestDb, times: usize, arguments: &[&str]) {
    let children: Vec<Child> = (0..times).map(|_| start_admin(db, arguments)).collect();
    for child in children {
        let output = child.wait_with_output().expect("it ends");
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nodes_that_start_together_on_nothing_agree_on_the_master_key() {
    let count = rounds(5, 30);
    for _ in 0..count {
        let db = TestDb::open(Engine::Postgres).await;
        let database = db.url_or_path();
        assert!(
            settings::find(&db.db, "vault_canary")
                .await
                .expect("the settings")
                .is_none()
        );
        let nodes = join_all((0..6).map(|_| Node::start(BINARY, db.directory(), &database))).await;
        drop(nodes);
        // The file that is left must be the one that the canary was sealed with.
        all_succeed(&db, 1, &["admin", "list-orgs"]);
        db.finish().await;
    }
    report(
        Engine::Postgres,
        &format!("first start: {count} rounds, 6 processes at once, 0 lost master keys"),
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rotations_at_the_same_moment_lose_no_master_key() {
    let site = Site::seed(Engine::Postgres, 2, 1).await;
    let count = rounds(3, 20);
    for _ in 0..count {
        all_succeed(&site.db, 4, &["admin", "rotate-master-key"]);
    }
    let ring = std::fs::read_to_string(site.db.directory().join("master.keys")).expect("the master keys");
    let kids = ring.lines().filter(|line| line.starts_with('k')).count();
    assert!(kids > count * 4, "{kids} keys after {} rotations", count * 4);
    reveal_all(&site);
    report(
        Engine::Postgres,
        &format!("master key rotation: {count} rounds of 4 at once, 0 lost keys, every stored key opens"),
    );
    site.finish().await;
}

fn reveal_all(site: &Site) {
    let shell: Shell = site.shell();
    for member in &site.members {
        let printed = shell.json(&["admin", "print-key", "--server", member.tenant.server.as_str()]);
        assert!(
            printed["key"]
                .as_str()
                .is_some_and(|key| key.starts_with("svc_live_")),
            "{printed}"
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_seals_with_the_key_that_another_node_made() {
    let site = Site::seed(Engine::Postgres, 1, 1).await;
    let node = site.node().await;
    let member = &site.members[0];
    // Past the node: its admin socket is left out, as on another machine.
    std::fs::remove_file(site.db.directory().join("admin.sock")).expect("a socket");
    let shell = site.shell();
    let rotated = shell.json(&["admin", "rotate-master-key"]);
    assert_eq!(rotated["resealed"], 2, "the key and the secret of the shared bot");
    let mut wire = Wire::open(node.address).await.expect("a connection");
    let uri = member.uri(&format!(
        "/servers/{}/key/regenerate",
        member.tenant.server.as_str()
    ));
    let answer = wire
        .person(&member.session, "POST", &uri, "")
        .await
        .expect("an answer");
    assert_eq!(answer.status, 200, "{answer:?}");
    let removed = shell.run(&["admin", "remove-master-key", "--kid", "k1"]);
    assert_eq!(removed.code, Some(0), "{}", removed.err);
    node.kill();
    let node = site.node().await;
    reveal_all(&site);
    report(
        site.engine,
        "master key of another node: used from the next seal on",
    );
    drop(node);
    site.finish().await;
}
