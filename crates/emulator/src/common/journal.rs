//! Who asked for what, and what the answer was.

use std::collections::{BTreeMap, VecDeque};

use serde::Serialize;

/// Calls are counted for ever, but only so many are remembered in full.
const REMEMBERED: usize = 1_000;

/// One request as it arrived.
#[derive(Clone, Debug, Serialize)]
pub struct Call {
    pub at_ms: i64,
    /// `METHOD /path/{template}`.
    pub route: String,
    pub path: String,
    pub query: String,
    pub authorization: String,
    /// What a change is to be called in Discord's audit log.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// Under which a change may be asked for again.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub idempotency_key: String,
    pub body: String,
    /// Missing while the answer is outstanding, and for good when there was none.
    pub status: Option<u16>,
}

#[derive(Default)]
pub struct Journal {
    counts: BTreeMap<String, u64>,
    /// By route and status.
    answers: BTreeMap<(String, u16), u64>,
    recent: VecDeque<(u64, Call)>,
    next: u64,
}

impl Journal {
    /// Notes a call; the number is for [`Journal::answered`].
    pub fn arrived(&mut self, call: Call) -> u64 {
        *self.counts.entry(call.route.clone()).or_default() += 1;
        let number = self.next;
        self.next += 1;
        if self.recent.len() == REMEMBERED {
            self.recent.pop_front();
        }
        self.recent.push_back((number, call));
        number
    }

    pub fn answered(&mut self, number: u64, route: &str, status: u16) {
        *self.answers.entry((route.to_owned(), status)).or_default() += 1;
        let found = self.recent.iter_mut().rev().find(|(own, _)| *own == number);
        if let Some((_, call)) = found {
            call.status = Some(status);
        }
    }

    pub fn counts(&self) -> &BTreeMap<String, u64> {
        &self.counts
    }

    /// How often a route was answered like that.
    pub fn answers(&self, route: &str, status: u16) -> u64 {
        self.answers
            .get(&(route.to_owned(), status))
            .copied()
            .unwrap_or_default()
    }

    pub fn statuses(&self) -> BTreeMap<u16, u64> {
        let mut statuses = BTreeMap::new();
        for ((_, status), count) in &self.answers {
            *statuses.entry(*status).or_default() += count;
        }
        statuses
    }

    pub fn recent(&self) -> impl Iterator<Item = &Call> {
        self.recent.iter().map(|(_, call)| call)
    }

    /// Hands out what is remembered in full. Counts go on.
    pub fn take_recent(&mut self) -> Vec<Call> {
        self.recent.drain(..).map(|(_, call)| call).collect()
    }

    pub fn clear(&mut self) {
        self.counts.clear();
        self.answers.clear();
        self.recent.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(route: &str) -> Call {
        Call {
            at_ms: 0,
            route: route.to_owned(),
            path: String::new(),
            query: String::new(),
            authorization: String::new(),
            reason: String::new(),
            idempotency_key: String::new(),
            body: String::new(),
            status: None,
        }
    }

    #[test]
    fn counts_go_on_when_old_calls_are_forgotten() {
        let mut journal = Journal::default();
        for _ in 0..=REMEMBERED {
            let number = journal.arrived(call("GET /a"));
            journal.answered(number, "GET /a", 200);
        }
        assert_eq!(journal.counts()["GET /a"], 1_001);
        assert_eq!(journal.answers("GET /a", 200), 1_001);
        assert_eq!(journal.answers("GET /a", 204), 0);
        assert_eq!(journal.recent().count(), REMEMBERED);
    }

    #[test]
    fn an_answer_is_noted_with_its_own_call() {
        let mut journal = Journal::default();
        let first = journal.arrived(call("GET /a"));
        journal.arrived(call("GET /b"));
        journal.answered(first, "GET /a", 204);
        let statuses: Vec<_> = journal.recent().map(|call| call.status).collect();
        assert_eq!(statuses, [Some(204), None]);
    }

    #[test]
    fn a_call_is_handed_out_once_and_stays_counted() {
        let mut journal = Journal::default();
        let number = journal.arrived(call("GET /a"));
        assert_eq!(journal.take_recent().len(), 1);
        assert!(journal.take_recent().is_empty());
        journal.answered(number, "GET /a", 200);
        assert_eq!(
            (journal.counts()["GET /a"], journal.answers("GET /a", 200)),
            (1, 1)
        );
    }

    #[test]
    fn nothing_is_left_after_clearing() {
        let mut journal = Journal::default();
        let number = journal.arrived(call("GET /a"));
        journal.answered(number, "GET /a", 200);
        assert_eq!(journal.statuses()[&200], 1);
        journal.clear();
        assert!(journal.counts().is_empty() && journal.statuses().is_empty());
        assert_eq!(journal.recent().count(), 0);
    }
}
