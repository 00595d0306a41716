//! A seeded database for real nodes.

use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use domain::clock::{Clock, SystemClock};
use domain::plan::Tier;
use storage::Db;
use testkit::{Engine, Node, Tenant, TestApp, TestDb};

use super::race::{generous, link_all};
use crate::cli::{BINARY, Shell};

/// Limits that no client of these tests reaches, and no noise in the log.
const GENEROUS: [(&str, &str); 7] = [
    ("SYMBOLON_LIMITS_PRO_PER_MINUTE", "1000000"),
    ("SYMBOLON_LIMITS_PRO_BURST", "1000000"),
    ("SYMBOLON_LIMITS_UNKNOWN_KEYS_PER_MINUTE", "100000"),
    ("SYMBOLON_LIMITS_DASHBOARD_PER_SECOND", "10000"),
    ("SYMBOLON_LIMITS_DASHBOARD_BURST", "100000"),
    ("SYMBOLON_SERVER_MAX_CONNECTIONS_PER_PEER", "4096"),
    ("SYMBOLON_LOG_LEVEL", "warn"),
];

/// A tenant with its owner's session.
#[derive(Clone)]
pub struct Member {
    pub tenant: Tenant,
    pub session: String,
}

impl Member {
    /// An address below the Org.
    pub fn uri(&self, rest: &str) -> String {
        format!("/orgs/{}{rest}", self.tenant.org.as_str())
    }
}

/// A database with tenants. The test itself only looks at it, so that a node can own it.
pub struct Site {
    pub engine: Engine,
    pub db: TestDb,
    pub members: Vec<Member>,
}

impl Site {
    /// Pro tenants, each with `links` linked players.
    pub async fn seed(engine: Engine, tenants: u64, links: u64) -> Site {
        let (test, members) = seed(engine, tenants, links).await;
        let mut db = only_db(test);
        db.db.close().await;
        db.db = Db::open_beside(db.options()).await.expect("a store for looking");
        Site { engine, db, members }
    }

    pub async fn node(&self) -> Node {
        self.node_with(&[]).await
    }

    pub async fn node_with(&self, more: &[(&str, &str)]) -> Node {
        start_node(&self.db, more).await
    }

    /// At the address of one that is gone, or that others were told of before it starts.
    pub async fn node_at(&self, address: SocketAddr, more: &[(&str, &str)]) -> Node {
        let environment: Vec<_> = GENEROUS.iter().chain(more).copied().collect();
        let db = &self.db;
        Node::start_at(address, BINARY, db.directory(), &db.url_or_path(), &environment).await
    }

    /// With a folder of its own, as on another machine.
    pub async fn node_in(&self, folder: &Path, more: &[(&str, &str)]) -> Node {
        let environment: Vec<_> = GENEROUS.iter().chain(more).copied().collect();
        Node::start_with(BINARY, folder, &self.db.url_or_path(), &environment).await
    }

    pub fn shell(&self) -> Shell {
        Shell::at(self.db.directory(), &self.db.url_or_path())
    }

    /// The command that an operator would run must find nothing wrong.
    pub fn doctor(&self) {
        let ran = self.shell().run(&["doctor"]);
        assert_eq!(
            (ran.code, ran.out.trim()),
            (Some(0), "all invariants hold"),
            "{}",
            ran.err
        );
    }

    pub async fn finish(self) {
        self.doctor();
        self.db.finish().await;
    }
}

/// The tenants, with an application that still owns the database. Its clock tells the real time, because real
/// nodes judge the sessions it starts.
pub async fn seed(engine: Engine, tenants: u64, links: u64) -> (TestApp, Vec<Member>) {
    let test = TestApp::start_with(engine, |limits| *limits = generous(), |_| {}).await;
    test.clock.set_ms(SystemClock.now_ms());
    let mut members = Vec::new();
    for number in 1..=tenants {
        let tenant = test.tenant(number, Tier::Pro).await;
        link_all(&test.app, &tenant, links).await;
        let session = test.session(&tenant.owner).await;
        members.push(Member { tenant, session });
    }
    test.settle().await;
    (test, members)
}

pub async fn start_node(db: &TestDb, more: &[(&str, &str)]) -> Node {
    let environment: Vec<_> = GENEROUS.iter().chain(more).copied().collect();
    Node::start_with(BINARY, db.directory(), &db.url_or_path(), &environment).await
}

fn only_db(test: TestApp) -> TestDb {
    let TestApp { db, .. } = test;
    db
}

pub async fn pause_ms(ms: u64) {
    tokio::time::sleep(Duration::from_millis(ms)).await;
}
