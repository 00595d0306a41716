//! A client that changes things and keeps a book of what it was told, to be compared with what is stored.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use testkit::{discord, steam, wait_until};

use super::race::Dice;
use super::site::Member;
use super::wire::{Answer, Wire};

/// Servers one client keeps; above it deletes.
const SERVERS: usize = 8;

#[derive(Clone, Debug, PartialEq)]
enum Change {
    Create,
    Delete(String),
    Regenerate(String),
    Remove(u64),
}

/// Changes that all clients together were told of.
#[derive(Clone, Default)]
pub struct Acknowledged(Arc<AtomicUsize>);

impl Acknowledged {
    pub fn count(&self) -> usize {
        self.0.load(SeqCst)
    }

    /// Waits until the clients were told of more than these, however long the machine takes for it.
    pub async fn more_than(&self, count: usize) {
        wait_until("the clients are told of changes", || async {
            self.count() > count
        })
        .await;
    }
}

/// What one client was told, and what it was waiting for when the connection broke.
pub struct Worker {
    member: Member,
    dice: Dice,
    links: u64,
    /// Server and its key.
    servers: BTreeMap<String, String>,
    removed: BTreeSet<u64>,
    pending: Option<Change>,
    acknowledged: Acknowledged,
    /// Answers that no client may get.
    pub odd: Vec<String>,
}

impl Worker {
    /// `links` players of the tenant are linked and may be removed.
    pub fn new(member: Member, links: u64, seed: u64, acknowledged: &Acknowledged) -> Self {
        let servers = [(
            member.tenant.server.as_str().to_owned(),
            member.tenant.key.clone(),
        )];
        Worker {
            member,
            dice: Dice::new(seed),
            links,
            servers: servers.into(),
            removed: BTreeSet::new(),
            pending: None,
            acknowledged: acknowledged.clone(),
            odd: Vec::new(),
        }
    }

    /// Works until the connection breaks.
    pub async fn work(mut self, address: SocketAddr) -> Worker {
        let Ok(mut wire) = Wire::open(address).await else {
            return self;
        };
        loop {
            let change = self.choose();
            self.pending = Some(change.clone());
            let Ok(answer) = self.ask(&mut wire, &change).await else {
                return self;
            };
            self.pending = None;
            self.note(change, &answer);
        }
    }

    fn choose(&mut self) -> Change {
        let left = self.links - self.removed.len() as u64;
        let chosen = self.dice.roll(self.servers.len() as u64) as usize;
        let server = self.servers.keys().nth(chosen).cloned().unwrap_or_default();
        match self.dice.roll(4) {
            0 if left > 0 => Change::Remove(self.removed.len() as u64),
            1 => Change::Regenerate(server),
            2 if self.servers.len() > 1 => Change::Delete(server),
            _ if self.servers.len() >= SERVERS => Change::Delete(server),
            _ => Change::Create,
        }
    }

    async fn ask(&self, wire: &mut Wire, change: &Change) -> std::io::Result<Answer> {
        let (member, session) = (&self.member, &self.member.session);
        match change {
            Change::Create => {
                let body = format!(
                    r#"{{"guild_id":"{}","name":"Made"}}"#,
                    member.tenant.guild.as_str()
                );
                wire.person(session, "POST", &member.uri("/servers"), &body).await
            }
            Change::Delete(id) => {
                wire.person(session, "DELETE", &member.uri(&format!("/servers/{id}")), "")
                    .await
            }
            Change::Regenerate(id) => {
                let uri = member.uri(&format!("/servers/{id}/key/regenerate"));
                wire.person(session, "POST", &uri, "").await
            }
            Change::Remove(player) => {
                let key = self.servers.values().next().map_or("", String::as_str);
                let query = format!("action=remove&id={}", discord(*player).as_str());
                wire.plugin(key, &query).await
            }
        }
    }

    fn note(&mut self, change: Change, answer: &Answer) {
        let told = answer.json();
        match (change, answer.status) {
            (Change::Create, 201) | (Change::Regenerate(_), 200) => {
                let text = |name: &str| told[name].as_str().unwrap_or_default().to_owned();
                self.servers.insert(text("server_id"), text("key"));
            }
            (Change::Delete(id), 204) => drop(self.servers.remove(&id)),
            (Change::Remove(player), 200) => drop(self.removed.insert(player)),
            (change, _) => return self.odd.push(format!("{change:?}: {answer:?}")),
        }
        self.acknowledged.0.fetch_add(1, SeqCst);
    }

    /// Compares the book with the service. `strict`: what was not acknowledged must not have happened either.
    pub async fn compare(&mut self, address: SocketAddr, strict: bool) {
        let mut wire = Wire::open(address).await.expect("a connection");
        let pending = self.pending.take();
        self.compare_servers(&mut wire, pending.as_ref(), strict).await;
        self.compare_keys(&mut wire, pending.as_ref(), strict).await;
        self.compare_links(&mut wire, pending.as_ref(), strict).await;
    }

    async fn compare_servers(&mut self, wire: &mut Wire, pending: Option<&Change>, strict: bool) {
        let session = self.member.session.clone();
        let answer = wire
            .person(&session, "GET", &self.member.uri("/servers"), "")
            .await
            .expect("an answer");
        assert_eq!(answer.status, 200, "{answer:?}");
        let told = answer.json();
        let stored: BTreeSet<String> = told["servers"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|server| server["id"].as_str().map(str::to_owned))
            .collect();
        for id in self.servers.keys().cloned().collect::<Vec<_>>() {
            if stored.contains(&id) {
                continue;
            }
            let unknown = !strict && pending == Some(&Change::Delete(id.clone()));
            assert!(unknown, "the acknowledged Server {id} is gone ({pending:?})");
            self.servers.remove(&id);
        }
        let extra: Vec<_> = stored
            .iter()
            .filter(|id| !self.servers.contains_key(*id))
            .collect();
        let allowed = usize::from(!strict && pending == Some(&Change::Create));
        assert!(
            extra.len() <= allowed,
            "Servers nobody was told of, or whose end was acknowledged: {extra:?}"
        );
        for id in extra {
            let uri = self.member.uri(&format!("/servers/{id}"));
            let answer = wire
                .person(&session, "DELETE", &uri, "")
                .await
                .expect("an answer");
            assert_eq!(answer.status, 204, "{answer:?}");
        }
    }

    async fn compare_keys(&mut self, wire: &mut Wire, pending: Option<&Change>, strict: bool) {
        for (id, key) in self.servers.clone() {
            let answer = wire.plugin(&key, "action=count").await.expect("an answer");
            if answer.status == 200 {
                let total = self.links - self.removed.len() as u64;
                let counted = answer.json()["Total"] == total;
                let one_more = answer.json()["Total"] == total.saturating_sub(1);
                let unknown = !strict && matches!(pending, Some(Change::Remove(_)));
                assert!(
                    counted || (unknown && one_more),
                    "{total} links expected: {answer:?}"
                );
                continue;
            }
            let unknown = !strict && pending == Some(&Change::Regenerate(id.clone()));
            assert!(
                unknown,
                "the acknowledged key of {id} is refused ({pending:?}): {answer:?}"
            );
            let again = self
                .ask(wire, &Change::Regenerate(id.clone()))
                .await
                .expect("an answer");
            self.note(Change::Regenerate(id), &again);
        }
    }

    async fn compare_links(&mut self, wire: &mut Wire, pending: Option<&Change>, strict: bool) {
        let key = self.servers.values().next().expect("a Server").clone();
        // The newest removals and the first link that is left: older ones were compared in earlier rounds.
        let newest: Vec<u64> = self.removed.iter().rev().take(40).copied().collect();
        for player in newest {
            let answer = find(wire, &key, player).await;
            assert_eq!(
                answer.status, 404,
                "the acknowledged removal of {player} is lost: {answer:?}"
            );
        }
        let next = self.removed.len() as u64;
        if next == self.links {
            return;
        }
        let answer = find(wire, &key, next).await;
        let unknown = !strict && pending == Some(&Change::Remove(next));
        assert!(
            answer.status == 200 || (unknown && answer.status == 404),
            "link {next}: {answer:?}"
        );
        if answer.status == 404 {
            self.removed.insert(next);
        }
    }
}

async fn find(wire: &mut Wire, key: &str, player: u64) -> Answer {
    let query = format!("action=findBySteam&id={}", steam(player).as_str());
    wire.plugin(key, &query).await.expect("an answer")
}
