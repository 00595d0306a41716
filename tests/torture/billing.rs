//! Events of Stripe by the thousand: lost, doubled, out of order, with nodes that are killed meanwhile. In the end every
//! Org has the tier that Stripe's books say, and nobody was asked more often than they bear.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use app::billing::grants;
use app::tenancy::servers;
use domain::audit::Actor;
use domain::clock::SystemClock;
use domain::name::DisplayName;
use domain::plan::Tier;
use domain::random::{SeededRandom, bytes};
use emulator::stripe::{Ending, Status, StripeState, WEBHOOK};
use emulator::{Fault, FaultKind, Setup, Stripe};
use testkit::{Engine, Node, both_databases, free_port, rounds, wait_until};

use super::race::{Nodes, race, report};
use super::removal::let_leases_end;
use super::site::Site;
use crate::cli::BINARY;
use crate::secrecy::rows::texts;

const KILLS: usize = 2;

/// Customers for all Orgs, as if each had begun to buy once.
async fn bind(site: &Site, stripe: &Stripe) -> Vec<String> {
    let mut customers = Vec::new();
    for member in &site.members {
        let customer = stripe.add_customer("somebody@example.org");
        let (org, id) = (member.tenant.org.as_str(), &member.tenant.org.as_str()[4..]);
        let sql = format!(
            "INSERT INTO payers (org_num, id, customer_id, created_at)
             SELECT num, 'pay_{id}', '{customer}', 1 FROM orgs WHERE id = '{org}'"
        );
        site.db.damage(&sql).await;
        customers.push(customer);
    }
    // They have what they pay for and nothing else.
    site.db.damage("DELETE FROM tier_grants").await;
    customers
}

/// What every node is told about Stripe. Each has an endpoint of its own, and knows the secret of the other.
fn settings(stripe: &Stripe, secrets: &[String]) -> Vec<(&'static str, String)> {
    let sold = stripe.seeded_catalogue();
    let yearly = |price: Option<String>| price.expect("a yearly price");
    vec![
        ("SYMBOLON_BILLING_SECRET_KEY", stripe.secret_key().to_owned()),
        ("SYMBOLON_BILLING_API_URL", stripe.api_url()),
        ("SYMBOLON_BILLING_WEBHOOK_SECRET", secrets[0].clone()),
        (
            "SYMBOLON_BILLING_PREVIOUS_WEBHOOK_SECRET",
            secrets[secrets.len() - 1].clone(),
        ),
        ("SYMBOLON_BILLING_PRICES_STANDARD_MONTH", sold.standard.monthly),
        (
            "SYMBOLON_BILLING_PRICES_STANDARD_YEAR",
            yearly(sold.standard.yearly),
        ),
        ("SYMBOLON_BILLING_PRICES_PRO_MONTH", sold.pro.monthly),
        ("SYMBOLON_BILLING_PRICES_PRO_YEAR", yearly(sold.pro.yearly)),
        ("SYMBOLON_BILLING_PRICES_BOT_MONTH", sold.custom_bot.monthly),
    ]
}

/// Something that a customer does.
fn happen(stripe: &Stripe, customer: &str, prices: &[String], dice: [u8; 2]) {
    let state = stripe.state();
    let own = state.subscriptions.iter();
    let own = own.filter(|(_, one)| one.customer == customer && one.ended_at.is_none());
    let own: Vec<String> = own.map(|(id, _)| id.clone()).collect();
    let price = &prices[usize::from(dice[1]) % prices.len()];
    let done = match (own.first(), dice[0] % 4) {
        (None, _) => stripe.subscribe(customer, price, &[]).map(drop),
        (Some(one), 0) => stripe.cancel(one, Ending::Now),
        (Some(one), 1) => stripe.cancel(one, Ending::AtPeriodEnd),
        (Some(_), 2) if own.len() < 3 => stripe.subscribe(customer, price, &[]).map(drop),
        (Some(one), _) => stripe.switch_price(one, price),
    };
    // What does not fit, such as a price that it has already, is no event.
    drop(done);
}

/// What Stripe's books say of each customer.
fn truth(state: &StripeState, prices: &BTreeMap<String, Tier>) -> BTreeMap<String, Tier> {
    let mut tiers: BTreeMap<String, Tier> = state
        .customers
        .keys()
        .map(|customer| (customer.clone(), Tier::Free))
        .collect();
    for one in state.subscriptions.values() {
        if !matches!(one.status, Status::Active | Status::Trialing | Status::PastDue) {
            continue;
        }
        let bought = one.items.iter().filter_map(|item| prices.get(&item.price)).max();
        if let (Some(bought), Some(tier)) = (bought, tiers.get_mut(&one.customer)) {
            *tier = (*tier).max(*bought);
        }
    }
    tiers
}

/// How long nine in ten, and ninety-nine in a hundred, of the last answers took.
fn answer_times(stripe: &Stripe) -> String {
    let answered = stripe.deliveries();
    let answered = answered.iter().filter(|one| one.last_status.is_some());
    let mut took_ms: Vec<u64> = answered.filter_map(|one| one.took_ms).collect();
    took_ms.sort_unstable();
    let at = |percent: usize| {
        took_ms
            .get(took_ms.len() * percent / 100)
            .copied()
            .unwrap_or_default()
    };
    format!(
        "the last {} answers: p90 {} ms, p99 {} ms",
        took_ms.len(),
        at(90),
        at(99)
    )
}

/// How many more questions than one in two seconds there were about one customer at most, among the last thousand calls.
/// When they arrive tells less than how many they are: on a busy machine some are on their way for a second.
fn questions_too_many(stripe: &Stripe) -> i64 {
    let mut about: BTreeMap<String, Vec<i64>> = BTreeMap::new();
    for call in stripe.hub().calls() {
        if call.route == "GET /v1/subscriptions" {
            about.entry(call.query.clone()).or_default().push(call.at_ms);
        }
    }
    let over = |asked: &Vec<i64>| {
        let span_ms = asked.iter().max()? - asked.iter().min()?;
        Some(asked.len() as i64 - 1 - span_ms / 2_000)
    };
    about.values().filter_map(over).max().unwrap_or_default()
}

async fn tiers(site: &Site) -> BTreeMap<String, Tier> {
    let sql = "SELECT p.customer_id || ' ' || o.tier FROM payers p JOIN orgs o ON o.num = p.org_num";
    let rows = texts(&site.db.db, sql).await;
    let read = |row: &String| {
        let (customer, tier) = row.split_once(' ').expect("two words");
        (customer.to_owned(), Tier::parse(tier).expect("a tier"))
    };
    rows.iter().map(read).collect()
}

both_databases! {
    async fn tiers_are_stripes_truth_after_a_storm_of_events_and_two_kills(engine) {
        let (orgs, events) = (rounds(20, 200), rounds(500, 10_000));
        let site = Site::seed(engine, orgs as u64, 0).await;
        let stripe = Stripe::start(Setup::new(Arc::new(SystemClock)).seeded(5)).await.expect("Stripe starts");
        let count = if engine == Engine::Postgres { 2 } else { 1 };
        let addresses: Vec<_> = (0..count).map(|_| std::net::SocketAddr::from(([127, 0, 0, 1], free_port()))).collect();
        let secrets: Vec<String> = addresses.iter().map(|at| stripe.add_endpoint(&format!("http://{at}/billing/webhook"))).collect();
        let told = settings(&stripe, &secrets);
        let more: Vec<(&str, &str)> = told.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let plans: BTreeMap<String, Tier> = [(4, Tier::Standard), (5, Tier::Standard), (6, Tier::Pro), (7, Tier::Pro)]
            .map(|(place, tier)| (told[place].1.clone(), tier)).into();
        let prices: Vec<String> = plans.keys().cloned().collect();
        let customers = bind(&site, &stripe).await;
        let start = async |place: usize| Node::start_at(addresses[place], BINARY, site.db.directory(), &site.db.url_or_path(), &more).await;
        let mut nodes = Vec::new();
        for place in 0..count {
            nodes.push(start(place).await);
        }
        for (fault, percent) in [(FaultKind::Duplicate, 20), (FaultKind::Reorder, 20), (FaultKind::Drop, 10)] {
            stripe.hub().add_fault(Fault { percent: Some(percent), ..Fault::new(WEBHOOK, fault) });
        }
        let (random, begun) = (SeededRandom::new(9), Instant::now());
        let mut killed = 0;
        while stripe.events().len() < events {
            let customer = &customers[usize::from(bytes::<1>(&random)[0]) * 7 % customers.len()];
            happen(&stripe, customer, &prices, bytes::<2>(&random));
            if killed < KILLS && stripe.events().len() > events * (killed + 1) / (KILLS + 1) {
                killed += 1;
                nodes.remove(0).kill();
                let_leases_end(&site).await;
                nodes.insert(0, start(0).await);
            }
        }
        stripe.settle().await;
        stripe.hub().remove_faults();
        let (answers, too_many) = (answer_times(&stripe), questions_too_many(&stripe));
        assert!(too_many <= 2, "one customer was asked about {too_many} times too often");
        let elapsed_s = begun.elapsed().as_secs();
        // An hour passes for those of whom nothing more was heard.
        site.db.damage("UPDATE payers SET asked_at = 0").await;
        let books = truth(&stripe.state(), &plans);
        wait_until("all tiers are what they should be", async || tiers(&site).await == books).await;
        let asked = stripe.hub().count("GET /v1/subscriptions");
        let bound = (elapsed_s / 2 + 120) * orgs as u64;
        assert!(asked <= bound, "{asked} questions, at most {bound}");
        for node in nodes {
            assert!(node.stop().await, "a clean stop");
        }
        site.finish().await;
        report(engine, &format!(
            "{} events over {orgs} Orgs, a tenth lost, a fifth doubled, a fifth out of order, {KILLS} kills, {count} nodes: \
             every tier as Stripe has it, {asked} questions, at most one in two seconds about one customer; {answers}", stripe.events().len()
        ));
    }

    async fn a_downgrade_that_races_creations_lets_nothing_past_the_new_ceiling(engine) {
        let nodes = Nodes::start(engine).await;
        let count = rounds(20, 100);
        for round in 0..count as u64 {
            let tenant = nodes.test.tenant(round + 1, Tier::Standard).await;
            let racers = race(21, |racer| {
                let (app, tenant) = (nodes.app(racer), tenant.clone());
                async move {
                    if racer == 10 {
                        return grants::set_tier(&app, tenant.scope, Tier::Free, Actor::System).await;
                    }
                    let name = DisplayName::parse(&format!("Server {racer}")).expect("a name");
                    servers::create(&app, tenant.scope, tenant.guild.clone(), name, Actor::System).await.map(drop)
                }
            })
            .await;
            assert!(racers.iter().any(Result::is_ok));
            let sql = format!(
                "SELECT a.action FROM audit a JOIN orgs o ON o.num = a.chain WHERE o.id = '{}' ORDER BY a.seq", tenant.org
            );
            let deeds = texts(&nodes.test.app.db, &sql).await;
            let change = deeds.iter().rposition(|deed| deed == "org.tier_changed").expect("a downgrade");
            let made = |deeds: &[String]| deeds.iter().filter(|deed| *deed == "server.created").count();
            let (before, after) = (made(&deeds[..change]), made(&deeds[change..]));
            assert!(after == 0 || before + after <= 2, "round {round}: {before} before and {after} after");
        }
        report(engine, &format!("downgrade beside 20 creations: {count} rounds, nothing past the new ceiling"));
        nodes.finish(engine).await;
    }
}
