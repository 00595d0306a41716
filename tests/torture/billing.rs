//! Events of Stripe by the thousand: lost, doubled, out of order, with nodes that are killed meanwhile. In the end every
//! Org has what Stripe's books say, and nobody was asked more often than they bear.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::Instant;

use domain::plan::Tier;
use emulator::stripe::WEBHOOK;
use emulator::{Fault, FaultKind, Stripe};
use testkit::{Engine, Node, both_databases, free_port, rounds, wait_until};

use super::crowd::{Crowd, Had};
use super::race::report;
use super::removal::let_leases_end;
use super::site::Site;
use crate::cli::BINARY;
use crate::secrecy::rows::texts;

const KILLS: usize = 2;
/// So much happens before the sender is given the time to say it.
const AT_ONCE: usize = 50;
const QUESTION: &str = "GET /v1/subscriptions";
/// All nodes together ask no more in a second.
const PER_SECOND: usize = 15;

/// What each has here.
async fn had(site: &Site) -> BTreeMap<String, Had> {
    let sql = "SELECT p.customer_id || ' ' || o.tier || ' ' || CASE WHEN EXISTS (
            SELECT 1
            FROM subscriptions s
            JOIN guilds g ON g.num = s.guild_num AND g.org_num = o.num
            WHERE s.org_num = o.num AND s.bot = 1 AND s.status IN ('trialing', 'active', 'past_due')
        ) THEN 'bot' ELSE 'none' END
        FROM payers p JOIN orgs o ON o.num = p.org_num";
    let read = |row: &String| {
        let words: Vec<&str> = row.split(' ').collect();
        let [customer, tier, bot] = words[..] else {
            panic!("three words: {row}")
        };
        (
            customer.to_owned(),
            (Tier::parse(tier).expect("a tier"), bot == "bot"),
        )
    };
    texts(&site.db.db, sql).await.iter().map(read).collect()
}

/// What the sender and the books saw of the nodes, from the first event on.
#[derive(Default)]
struct Seen {
    /// When Stripe was asked, by whom it was about.
    questions: BTreeMap<String, Vec<i64>>,
    /// How long each delivery took that was answered.
    took_ms: BTreeMap<u64, u64>,
}

impl Seen {
    /// To be called before there were a thousand more of either.
    fn look(&mut self, stripe: &Stripe) {
        for call in stripe.hub().take_calls() {
            if call.route == QUESTION {
                self.questions.entry(call.query).or_default().push(call.at_ms);
            }
        }
        for one in stripe.deliveries() {
            if let (Some(_), Some(took_ms)) = (one.last_status, one.took_ms) {
                self.took_ms.insert(one.number(), took_ms);
            }
        }
    }

    fn asked(&self) -> usize {
        self.questions.values().map(Vec::len).sum()
    }

    /// How many more questions than one in two seconds there were about one customer at most. One more arrives early when
    /// the one before it was on its way for long.
    fn too_many(&self) -> i64 {
        let over = |asked: &Vec<i64>| {
            let mut asked = asked.clone();
            asked.sort_unstable();
            let spans = asked.iter().enumerate().flat_map(|(first, from)| {
                let later = asked.iter().zip(0_i64..).skip(first);
                later.map(move |(to, last)| last - first as i64 - (to - from) / 2_000)
            });
            spans.max()
        };
        self.questions.values().filter_map(over).max().unwrap_or_default()
    }

    /// How many questions there were at most in so many milliseconds.
    fn most_within(&self, ms: i64) -> usize {
        let mut asked: Vec<i64> = self.questions.values().flatten().copied().collect();
        asked.sort_unstable();
        let within = |from: &i64| asked.iter().filter(|at| (*from..from + ms).contains(*at)).count();
        asked.iter().map(within).max().unwrap_or_default()
    }

    /// How long nine in ten, and ninety-nine in a hundred, of the answers took.
    fn answers(&self) -> String {
        let mut took_ms: Vec<u64> = self.took_ms.values().copied().collect();
        took_ms.sort_unstable();
        let at = |percent: usize| {
            took_ms
                .get(took_ms.len() * percent / 100)
                .copied()
                .unwrap_or_default()
        };
        format!("{} answers: p90 {} ms, p99 {} ms", took_ms.len(), at(90), at(99))
    }
}

/// Nodes that are told of events, each at its own address.
struct Hosts<'a> {
    site: &'a Site,
    addresses: Vec<SocketAddr>,
    told: Vec<(&'static str, String)>,
    nodes: Vec<Node>,
}

impl Hosts<'_> {
    async fn start(&mut self, place: usize) {
        let (site, at) = (self.site, self.addresses[place]);
        let told: Vec<(&str, &str)> = self
            .told
            .iter()
            .map(|(name, value)| (*name, value.as_str()))
            .collect();
        let node = Node::start_at(at, BINARY, site.db.directory(), &site.db.url_or_path(), &told).await;
        self.nodes.insert(place, node);
    }

    async fn replace_the_first(&mut self) {
        self.nodes.remove(0).kill();
        let_leases_end(self.site).await;
        self.start(0).await;
    }
}

/// An hour passes in which nothing that happened was heard of.
async fn let_the_hour_pass(crowd: &Crowd, site: &Site) {
    crowd.stripe.hub().add_fault(Fault::new(WEBHOOK, FaultKind::Drop));
    crowd.happen_to_all();
    crowd.stripe.settle().await;
    crowd.stripe.hub().remove_faults();
    site.db.damage("UPDATE payers SET asked_at = 0").await;
    let asked = "payers WHERE asked_at > 0";
    wait_until("the first is asked about", async || {
        site.db.count(asked).await > 0
    })
    .await;
    let all = crowd.customers.len() as i64;
    wait_until("everybody is asked about", async || {
        site.db.count(asked).await == all
    })
    .await;
    wait_until("lost events are made good", async || {
        had(site).await == crowd.truth()
    })
    .await;
}

both_databases! {
    async fn tiers_are_stripes_truth_after_a_storm_of_events_and_two_kills(engine) {
        let (orgs, events) = (rounds(20, 200), rounds(500, 10_000));
        let site = Site::seed(engine, orgs as u64, 0).await;
        let mut crowd = Crowd::gather(&site).await;
        let count = if engine == Engine::Postgres { 2 } else { 1 };
        let addresses: Vec<_> = (0..count).map(|_| SocketAddr::from(([127, 0, 0, 1], free_port()))).collect();
        let told = crowd.open(&addresses);
        let mut hosts = Hosts { site: &site, addresses, told, nodes: Vec::new() };
        for place in 0..count {
            hosts.start(place).await;
        }
        for (fault, percent) in [(FaultKind::Duplicate, 20), (FaultKind::Reorder, 20), (FaultKind::Drop, 10)] {
            crowd.stripe.hub().add_fault(Fault { percent: Some(percent), ..Fault::new(WEBHOOK, fault) });
        }
        let (mut seen, mut killed) = (Seen::default(), 0);
        while crowd.heard() < events {
            for _ in 0..AT_ONCE {
                crowd.happen();
            }
            if killed < KILLS && crowd.heard() > events * (killed + 1) / (KILLS + 1) {
                killed += 1;
                hosts.replace_the_first().await;
            }
            crowd.stripe.settle().await;
            seen.look(&crowd.stripe);
        }
        assert_eq!(killed, KILLS);
        crowd.stripe.hub().remove_faults();
        // The last that happens to each is lost by nobody.
        crowd.happen_to_all();
        let (happened, begun) = (crowd.heard(), Instant::now());
        crowd.stripe.settle().await;
        wait_until("everybody has what Stripe says", async || had(&site).await == crowd.truth()).await;
        let took_s = begun.elapsed().as_secs();
        seen.look(&crowd.stripe);
        assert!(seen.too_many() <= 1, "one customer was asked about {} times too often", seen.too_many());
        let (asked, in_ten_s) = (seen.asked(), seen.most_within(10_000));
        assert!(in_ten_s <= PER_SECOND * 11, "{in_ten_s} questions in ten seconds");
        let_the_hour_pass(&crowd, &site).await;
        for node in hosts.nodes {
            assert!(node.stop().await, "a clean stop");
        }
        site.finish().await;
        report(engine, &format!(
            "{happened} events of subscriptions over {orgs} Orgs, a tenth lost, a fifth doubled, a fifth out of order, {KILLS} \
             kills, {count} nodes: every plan and bot as Stripe has it {took_s} s after the last event; {asked} questions, at \
             most one in two seconds about one customer, {} in a second and {in_ten_s} in ten; {}",
            seen.most_within(1_000), seen.answers()
        ));
    }
}
