//! The dashboard is closed and opened over and over while everybody else goes on: not one of their answers changes.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};

use domain::clock::{Clock, SystemClock};
use emulator::Stripe;
use testkit::{Engine, Node, discord, rounds, steam, wait_until};
use tokio::task::JoinSet;

use super::race::report;
use super::site::{Member, Site};
use super::wire::{Answer, Wire};

/// On each node.
const CLIENTS: usize = 4;
const SECRET: &str = "whsec_maintenance";
/// A node that sells, though its Stripe is away.
const SELLING: [(&str, &str); 9] = [
    // The same for both, as it stands in answers.
    ("SYMBOLON_SERVER_PUBLIC_URL", "http://127.0.0.1:8080"),
    ("SYMBOLON_BILLING_SECRET_KEY", "sk_test_maintenance"),
    ("SYMBOLON_BILLING_API_URL", "http://127.0.0.1:9"),
    ("SYMBOLON_BILLING_WEBHOOK_SECRET", SECRET),
    ("SYMBOLON_BILLING_PRICES_STANDARD_MONTH", "price_standard_month"),
    ("SYMBOLON_BILLING_PRICES_STANDARD_YEAR", "price_standard_year"),
    ("SYMBOLON_BILLING_PRICES_PRO_MONTH", "price_pro_month"),
    ("SYMBOLON_BILLING_PRICES_PRO_YEAR", "price_pro_year"),
    ("SYMBOLON_BILLING_PRICES_BOT_MONTH", "price_bot_month"),
];
/// What differs between any two answers.
const OWN: [&str; 4] = ["date", "x-request-id", "set-cookie", "retry-after"];

/// Something that stays open.
#[derive(Clone)]
enum Ask {
    /// With the Server's key.
    Plugin(String),
    Page(&'static str),
    /// An event of somebody who buys nothing here.
    Event,
}

fn asks() -> Vec<Ask> {
    let plugin = [
        "action=count".to_owned(),
        format!("action=findBySteam&id={}", steam(1)),
        format!("action=findBySteam&id={}", steam(900)),
        format!("action=findByDiscord&id={}", discord(2)),
    ];
    let pages = [
        "/link/guild-1",
        "/unlink/guild-1",
        "/link/nowhere",
        "/me",
        "/docs",
        "/download/plugin/manifest",
        "/download/plugin",
        "/healthz",
    ];
    let plugin = plugin.into_iter().map(Ask::Plugin);
    plugin.chain(pages.map(Ask::Page)).chain([Ask::Event]).collect()
}

impl Ask {
    async fn send(&self, wire: &mut Wire, key: &str) -> Answer {
        let answer = match self {
            Ask::Plugin(query) => wire.plugin(key, query).await,
            Ask::Page(uri) => wire.send("GET", uri, ("accept", "*/*"), "").await,
            Ask::Event => {
                let body = r#"{"id":"evt_1","type":"customer.subscription.updated","created":1,"livemode":false,"data":{"object":{"customer":"cus_nobody"}}}"#;
                let signed = Stripe::sign_with(SECRET, SystemClock.now_ms() / 1_000, body);
                let header = ("stripe-signature", signed.as_str());
                wire.send("POST", "/billing/webhook", header, body).await
            }
        };
        answer.expect("an answer")
    }
}

/// An answer without what is its own.
fn shown(answer: &Answer) -> String {
    let id = answer.header("x-request-id").unwrap_or("-");
    let is_shared = |name: &str| !OWN.contains(&name) && !name.starts_with("x-ratelimit");
    let mut headers: Vec<String> = answer
        .headers()
        .filter(|(name, _)| is_shared(name))
        .map(|(name, value)| format!("{name}: {value}"))
        .collect();
    headers.sort();
    let body = answer.body.replace(id, "…");
    format!("{}\n{}\n\n{body}", answer.status, headers.join("\n"))
}

/// What all clients share.
struct Load {
    asks: Vec<Ask>,
    /// What each was answered before.
    before: Vec<String>,
    key: String,
    over: AtomicBool,
    answered: AtomicUsize,
}

/// One client, which asks for one thing after the other. Returns what was answered otherwise than before.
async fn go_on(load: Arc<Load>, address: SocketAddr, first: usize) -> Vec<String> {
    let mut wire = Wire::open(address).await.expect("a connection");
    let mut differences = Vec::new();
    let mut turn = first;
    while !load.over.load(SeqCst) {
        turn += 1;
        let place = turn % load.asks.len();
        let now = shown(&load.asks[place].send(&mut wire, &load.key).await);
        if now != load.before[place] {
            differences.push(format!("before:\n{}\nnow:\n{now}", load.before[place]));
        }
        load.answered.fetch_add(1, SeqCst);
    }
    differences
}

/// Closes or opens the dashboard on one node, and sees that both do so.
async fn switch(wires: &mut [Wire], turn: usize, operator: &str, member: &Member) {
    let on = turn.is_multiple_of(2);
    let body = format!(r#"{{"on":{on},"message":"Back at noon."}}"#);
    let at = turn % wires.len();
    let switched = wires[at]
        .person(operator, "PUT", "/admin/maintenance", &body)
        .await;
    assert_eq!(switched.expect("an answer").status, 204, "turn {turn}");
    for wire in wires {
        let looked = wire.person(&member.session, "GET", "/account", "").await;
        let looked = looked.expect("an answer");
        let expected = if on { (503, "MAINTENANCE") } else { (200, "") };
        let code = looked.json()["code"].as_str().unwrap_or_default().to_owned();
        assert_eq!((looked.status, code.as_str()), expected, "turn {turn}");
        let theirs = wire.person(operator, "GET", "/account", "").await;
        assert_eq!(theirs.expect("an answer").status, 200, "turn {turn}");
    }
}

/// What everything is answered with now, on both nodes alike.
async fn answers(asks: &[Ask], wires: &mut [Wire], key: &str) -> Vec<String> {
    let mut all = Vec::new();
    for ask in asks {
        let mut told = Vec::new();
        for wire in wires.iter_mut() {
            told.push(shown(&ask.send(wire, key).await));
        }
        assert_eq!(told[0], told[1], "both nodes say the same");
        all.push(told.remove(0));
    }
    all
}

async fn open_both(nodes: &[Node]) -> Vec<Wire> {
    let mut wires = Vec::new();
    for node in nodes {
        wires.push(Wire::open(node.address).await.expect("a connection"));
    }
    wires
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn maintenance_that_comes_and_goes_changes_no_answer_of_what_stays_open() {
    let site = Site::seed(Engine::Postgres, 1, 10).await;
    let person = discord(21).to_string();
    let shell = site.shell();
    shell.json(&["admin", "grant", "--discord", &person]);
    let operator = shell.json(&["admin", "session", "--discord", &person])["session"].clone();
    let operator = operator.as_str().expect("a session");
    let nodes = [site.node_with(&SELLING).await, site.node_with(&SELLING).await];
    for node in &nodes {
        wait_until("the plugin that is carried is offered", || async {
            node.request("GET", "/download/plugin/manifest", &[], "").await.0 == 200
        })
        .await;
    }
    let (member, mut wires) = (&site.members[0], open_both(&nodes).await);
    let before = answers(&asks(), &mut wires, &member.tenant.key).await;
    let load = Arc::new(Load {
        asks: asks(),
        before,
        key: member.tenant.key.clone(),
        over: AtomicBool::new(false),
        answered: AtomicUsize::new(0),
    });
    let mut clients = JoinSet::new();
    for client in 0..CLIENTS {
        for node in &nodes {
            clients.spawn(go_on(Arc::clone(&load), node.address, client * 3));
        }
    }
    let turns = rounds(20, 600);
    for turn in 0..turns {
        switch(&mut wires, turn, operator, member).await;
        let seen = load.answered.load(SeqCst);
        wait_until("the clients go on", || async {
            load.answered.load(SeqCst) >= seen + CLIENTS * nodes.len()
        })
        .await;
    }
    load.over.store(true, SeqCst);
    let differences: Vec<String> = clients.join_all().await.into_iter().flatten().collect();
    assert!(
        differences.is_empty(),
        "{} answers changed, such as: {}",
        differences.len(),
        differences[0]
    );
    report(
        site.engine,
        &format!(
            "maintenance: {turns} switches on 2 nodes, {} answers of {} kinds beside them, 0 changed",
            load.answered.load(SeqCst),
            load.asks.len()
        ),
    );
    drop((nodes, wires));
    shell.json(&["admin", "revoke", "--discord", &person]);
    site.finish().await;
}
