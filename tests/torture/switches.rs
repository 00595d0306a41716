//! Two nodes on one database: whatever is switched off on one is off on both with the answer.

use app::identity::sessions;
use domain::permission::{Permission, PermissionSet};
use domain::token::SessionToken;
use testkit::{Engine, Node, TestApp, rounds};

use super::race::report;
use super::rotations::open_all;
use super::site::{Member, seed, start_node};
use super::wire::Wire;

struct Pair {
    test: TestApp,
    member: Member,
    nodes: Vec<Node>,
    wires: Vec<Wire>,
}

impl Pair {
    async fn start() -> Pair {
        let (test, mut members) = seed(Engine::Postgres, 1, 1).await;
        let nodes = vec![start_node(&test.db, &[]).await, start_node(&test.db, &[]).await];
        let wires = open_all(&nodes).await;
        Pair {
            test,
            member: members.remove(0),
            nodes,
            wires,
        }
    }

    /// Changes something on the node whose turn it is.
    async fn change(&mut self, turn: usize, method: &str, rest: &str, body: &str) -> String {
        let uri = self
            .member
            .uri(&format!("/servers/{}{rest}", self.member.tenant.server.as_str()));
        let nodes = self.wires.len();
        let answer = self.wires[turn % nodes]
            .person(&self.member.session, method, &uri, body)
            .await;
        let answer = answer.expect("an answer");
        assert!(matches!(answer.status, 200 | 204), "{answer:?}");
        answer.json()["key"].as_str().unwrap_or_default().to_owned()
    }

    /// What every node answers to the key.
    async fn plugin(&mut self, key: &str) -> Vec<String> {
        let mut answers = Vec::new();
        for wire in &mut self.wires {
            let answer = wire.plugin(key, "action=count").await.expect("an answer");
            answers.push(format!(
                "{} {}",
                answer.status,
                answer.json()["code"].as_str().unwrap_or("-")
            ));
        }
        answers
    }

    /// What every node answers to a session that looks at the Servers.
    async fn look(&mut self, session: &str) -> Vec<u16> {
        let uri = self.member.uri("/servers");
        let mut statuses = Vec::new();
        for wire in &mut self.wires {
            statuses.push(
                wire.person(session, "GET", &uri, "")
                    .await
                    .expect("an answer")
                    .status,
            );
        }
        statuses
    }

    async fn finish(self, what: &str) {
        report(Engine::Postgres, &format!("{what} on 2 nodes, 0 stale answers"));
        drop((self.nodes, self.wires));
        self.test.finish().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_revoked_key_is_refused_by_every_node_until_it_is_regenerated() {
    let mut pair = Pair::start().await;
    let mut key = pair.member.tenant.key.clone();
    let turns = rounds(40, 2_000);
    for turn in 0..turns {
        pair.change(turn, "POST", "/key/revoke", "").await;
        assert_eq!(
            pair.plugin(&key).await,
            ["403 KEY_REVOKED", "403 KEY_REVOKED"],
            "turn {turn}"
        );
        let new = pair.change(turn + 1, "POST", "/key/regenerate", "").await;
        assert_eq!(pair.plugin(&new).await, ["200 -", "200 -"], "turn {turn}");
        assert_eq!(
            pair.plugin(&key).await,
            ["401 UNAUTHORIZED", "401 UNAUTHORIZED"],
            "turn {turn}"
        );
        key = new;
    }
    pair.finish(&format!("revoke and regenerate: {turns} turns"))
        .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_is_switched_off_is_refused_by_every_node() {
    let mut pair = Pair::start().await;
    let key = pair.member.tenant.key.clone();
    let turns = rounds(40, 2_000);
    for turn in 0..turns {
        pair.change(turn, "PATCH", "", r#"{"active":false}"#).await;
        assert_eq!(
            pair.plugin(&key).await,
            ["403 SERVER_INACTIVE", "403 SERVER_INACTIVE"],
            "turn {turn}"
        );
        pair.change(turn + 1, "PATCH", "", r#"{"active":true}"#).await;
        assert_eq!(pair.plugin(&key).await, ["200 -", "200 -"], "turn {turn}");
    }
    pair.finish(&format!("deactivate and activate: {turns} turns"))
        .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_permission_that_is_taken_away_is_gone_on_every_node() {
    let mut pair = Pair::start().await;
    let tenant = pair.member.tenant.clone();
    let session = pair.test.member(&tenant, 77, &[Permission::ServersView]).await;
    let account = pair.test.account(77).await;
    let turns = rounds(40, 2_000);
    for turn in 0..turns {
        pair.test
            .set_permissions(&tenant, &account, PermissionSet::default())
            .await;
        assert_eq!(pair.look(&session).await, [403, 403], "turn {turn}");
        let view = [Permission::ServersView].into_iter().collect();
        pair.test.set_permissions(&tenant, &account, view).await;
        assert_eq!(pair.look(&session).await, [200, 200], "turn {turn}");
    }
    pair.finish(&format!("permission taken and given: {turns} turns"))
        .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_that_was_ended_is_refused_by_every_node() {
    let mut pair = Pair::start().await;
    let owner = pair.member.tenant.owner.clone();
    let turns = rounds(40, 2_000);
    for turn in 0..turns {
        let session = pair.test.session(&owner).await;
        assert_eq!(pair.look(&session).await, [200, 200], "turn {turn}");
        let token = SessionToken::parse(&session).expect("a token");
        sessions::end(&pair.test.app, &token)
            .await
            .expect("the session ends");
        assert_eq!(pair.look(&session).await, [401, 401], "turn {turn}");
    }
    pair.finish(&format!("session ended: {turns} turns")).await;
}
