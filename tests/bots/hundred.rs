//! What many bots cost that have nothing to do.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use testkit::{Engine, rounds};

use super::children::children;
use super::harbour::Harbour;
use super::own::{make, token};

const MEBIBYTE: f64 = 1_048_576.0;
const MOST_MIB: f64 = 8.0;
/// Of one processor, for all of them.
const MOST_SHARE: f64 = 5.0;
/// Time to come to rest, and to be watched.
const REST: Duration = Duration::from_secs(10);
const WATCHED: Duration = Duration::from_secs(20);
/// Of the processor's time that the kernel tells.
const TICKS_PER_SECOND: f64 = 100.0;

/// Memory that is a process's own alone.
fn private_mib(pid: u32) -> f64 {
    let rollup = std::fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).expect("a process");
    let of = |line: &str| line.split_whitespace().nth(1)?.parse::<f64>().ok();
    let private = rollup.lines().filter(|line| line.starts_with("Private_"));
    private.filter_map(of).sum::<f64>() * 1_024.0 / MEBIBYTE
}

/// Processor time that a process has had, in ticks.
fn ticks(pid: u32) -> f64 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).expect("a process");
    let (_, rest) = stat.rsplit_once(") ").expect("a name");
    let words: Vec<&str> = rest.split(' ').collect();
    words[11].parse::<f64>().expect("ticks") + words[12].parse::<f64>().expect("ticks")
}

/// Memory of each, and the share of one processor that all of them took while they were watched.
async fn cost(pids: &[u32]) -> (Vec<f64>, f64) {
    tokio::time::sleep(REST).await;
    let before: f64 = pids.iter().copied().map(ticks).sum();
    tokio::time::sleep(WATCHED).await;
    let after: f64 = pids.iter().copied().map(ticks).sum();
    let share = (after - before) / TICKS_PER_SECOND / WATCHED.as_secs_f64();
    (pids.iter().copied().map(private_mib).collect(), 100.0 * share)
}

/// The same bot written with discord.js.
fn discord_js(harbour: &Harbour, number: u64) -> Child {
    let scripts = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/outsiders");
    let install = [
        "ci",
        "--prefix",
        scripts,
        "--no-audit",
        "--no-fund",
        "--ignore-scripts",
    ];
    let installed = Command::new("npm").args(install).stdout(Stdio::null()).status();
    assert!(installed.is_ok_and(|status| status.success()), "npm ci");
    make(&harbour.discord, number);
    let mut node = Command::new("node");
    node.arg(format!("{scripts}/idle.mjs"))
        .env("API", harbour.discord.api_url())
        .env("TOKEN", token(number));
    let mut node = node.stdout(Stdio::piped()).spawn().expect("node is installed");
    let mut line = String::new();
    let output = node.stdout.take().expect("its output");
    BufReader::new(output).read_line(&mut line).expect("a line");
    assert_eq!(line, "ready\n");
    node
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bots_with_nothing_to_do_take_little_memory_each_and_little_time_in_all() {
    let harbour = Harbour::open(Engine::Sqlite, rounds(5, 100) as u64).await;
    let node = harbour.node_with(&[("SYMBOLON_LOG_LEVEL", "info")]).await;
    harbour.save_all(&node).await;
    harbour.all_are(&node, "online").await;
    harbour.assert_in_order(&node).await;
    let bots = children(node.pid());
    let (memory, share) = cost(&bots).await;
    let most = memory.iter().copied().fold(0.0, f64::max);
    let mean = memory.iter().sum::<f64>() / memory.len() as f64;
    println!(
        "{} bots: {mean:.1} MiB each, {most:.1} MiB at most, {share:.1} % of a processor in all",
        bots.len()
    );
    assert!(most <= MOST_MIB, "{most} MiB");
    // Judged where the machine has nothing else to do.
    if rounds(0, 1) == 1 {
        assert!(share <= MOST_SHARE, "{share} % of a processor");
        let mut other = discord_js(&harbour, 900);
        let (memory, share) = cost(&[other.id()]).await;
        println!(
            "one bot of discord.js: {:.1} MiB, {share:.1} % of a processor",
            memory[0]
        );
        assert!(memory[0] > mean, "ours takes less");
        other.kill().expect("it ends");
        other.wait().expect("it ends");
    }
    assert!(node.stop().await);
    harbour.finish().await;
}
