//! Taking the audit log home: many at once, and by readers that leave.

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};

use domain::audit::{ChainInput, chain_hash};
use storage::testing::TestDb;
use testkit::{Node, both_databases, rounds, wait_until};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use super::race::report;
use super::site::{Member, Site, pause_ms};
use crate::secrecy::rows::{numbers, texts};

const ORGS: u64 = 4;
/// What eight exports may take together.
const MOST_KIB: u64 = 20 * 1024;
/// What may be left of it when they are over: the connections and threads of long reads stay for the next ones.
const LEFT_KIB: u64 = 10 * 1024;
/// Which rows an export is asked for.
const EVERYTHING: &str = "";
const A_FEW: &str = "&before=200";
const DETAIL: &str = r#"{"verified_roles":["820000000000000001","820000000000000002"],"join_mode":"off","relink_cooldown_ms":0}"#;

/// Adds entries to an Org's chain, as sound ones as any.
async fn fill(db: &TestDb, member: &Member, count: usize) {
    let chain = member.tenant.scope.num();
    let head = format!("FROM audit_heads WHERE chain = {chain}");
    let mut seq = numbers(&db.db, &format!("SELECT seq {head}")).await[0];
    let mut hash = texts(&db.db, &format!("SELECT hash {head}")).await.remove(0);
    for slice in (0..count).collect::<Vec<_>>().chunks(1_000) {
        let mut sql = String::from("INSERT INTO audit VALUES ");
        for (index, _) in slice.iter().enumerate() {
            seq += 1;
            let input = ChainInput {
                chain,
                seq,
                at_ms: 1,
                actor_kind: "system",
                actor_id: None,
                action: "guild.changed",
                target: Some(member.tenant.guild.as_str()),
                detail: DETAIL,
            };
            hash = chain_hash(&hash, &input);
            let comma = if index == 0 { "" } else { ", " };
            let target = &member.tenant.guild;
            write!(sql, "{comma}({chain}, {seq}, 1, 'system', NULL, 'guild.changed', '{target}', '{DETAIL}', '{hash}')")
                .expect("a text grows");
        }
        db.damage(&sql).await;
    }
    db.damage(&format!(
        "UPDATE audit_heads SET seq = {seq}, hash = '{hash}' WHERE chain = {chain}"
    ))
    .await;
}

async fn begin(address: SocketAddr, member: &Member, range: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).await.expect("a connection");
    let request = format!(
        "GET {} HTTP/1.1\r\nhost: test\r\ncookie: symbolon={}\r\nconnection: close\r\n\r\n",
        member.uri(&["/audit/export?format=json", range].concat()),
        member.session
    );
    stream
        .write_all(request.as_bytes())
        .await
        .expect("a request is sent");
    stream
}

/// Reads to the end and keeps nothing. Gives the status and the number of lines.
async fn take(address: SocketAddr, member: Member, range: &'static str) -> (u16, usize) {
    let mut stream = begin(address, &member, range).await;
    let (mut lines, mut status, mut buffer) = (0, 0, vec![0; 64 * 1024]);
    loop {
        let read = stream.read(&mut buffer).await.expect("the answer goes on");
        if read == 0 {
            return (status, lines);
        }
        if status == 0 {
            let head = String::from_utf8_lossy(&buffer[9..12]).into_owned();
            status = head.parse().expect("a status");
        }
        lines += buffer[..read].windows(2).filter(|two| two == b"}\n").count();
    }
}

/// Memory that the process has written to. Pages of the program file count for whoever reads them first, so they are
/// left out.
pub fn private_kib(node: &Node) -> u64 {
    private_kib_of(&node.pid().to_string())
}

/// The same of any process; `self` is this one.
pub fn private_kib_of(process: &str) -> u64 {
    let rollup = std::fs::read_to_string(format!("/proc/{process}/smaps_rollup")).expect("a process");
    let private = rollup.lines().filter(|line| line.starts_with("Private_Dirty"));
    private
        .filter_map(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok())
        .sum()
}

both_databases! {
    async fn eight_exports_take_little_memory_and_give_it_back(engine) {
        let count = rounds(3_000, 100_000);
        let site = Site::seed(engine, ORGS, 0).await;
        for member in &site.members {
            fill(&site.db, member, count).await;
        }
        let node = Arc::new(site.node().await);
        for member in &site.members {
            let (status, _) = node.request("GET", &member.uri("/audit?limit=1"), &[("cookie", &format!("symbolon={}", member.session))], "").await;
            assert_eq!(status, 200);
        }
        // The connections and threads of long reads are made once and stay.
        let mut making = JoinSet::new();
        for member in site.members.iter().chain(&site.members) {
            making.spawn(take(node.address, member.clone(), A_FEW));
        }
        making.join_all().await;
        let before = private_kib(&node);
        let (peak, done) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
        let mut watching = JoinSet::new();
        watching.spawn({
            let (node, peak, done) = (Arc::clone(&node), Arc::clone(&peak), Arc::clone(&done));
            async move {
                while !done.load(SeqCst) {
                    peak.fetch_max(private_kib(&node), SeqCst);
                    pause_ms(20).await;
                }
            }
        });
        let mut taking = JoinSet::new();
        for member in site.members.iter().chain(&site.members) {
            taking.spawn(take(node.address, member.clone(), EVERYTHING));
        }
        for (status, lines) in taking.join_all().await {
            assert!(status == 200 && lines > count, "{status}: {lines} lines");
        }
        done.store(true, SeqCst);
        watching.join_all().await;
        let taken = peak.load(SeqCst).saturating_sub(before);
        assert!(taken <= MOST_KIB, "eight exports of {count} rows took {taken} KiB");
        wait_until("the memory is given back", || async { private_kib(&node) <= before + LEFT_KIB }).await;
        let left = private_kib(&node).saturating_sub(before);
        report(engine, &format!("8 exports of {count} rows: +{taken} KiB at most, +{left} KiB left of {before}"));
        drop(node);
        site.finish().await;
    }

    async fn readers_who_leave_give_their_place_back(engine) {
        let site = Site::seed(engine, 1, 0).await;
        let member = &site.members[0];
        fill(&site.db, member, 60_000).await;
        let node = site.node().await;
        let cookie = format!("symbolon={}", member.session);
        let (short, cookies) = (member.uri("/audit/export?before=2"), [("cookie", &*cookie)]);
        for _ in 0..rounds(2, 50) {
            let mut readers = Vec::new();
            for _ in 0..2 {
                let mut reader = begin(node.address, member, EVERYTHING).await;
                reader.read_exact(&mut [0; 12]).await.expect("an answer begins");
                readers.push(reader);
            }
            let (status, body) = node.request("GET", &short, &cookies, "").await;
            assert!(status == 429 && body.contains("EXPORTS_RUNNING"), "{status} {body}");
            drop(readers);
            wait_until("the places are free", || async {
                node.request("GET", &short, &cookies, "").await.0 == 200
            })
            .await;
        }
        drop(node);
        site.finish().await;
    }
}
