//! What goes wrong next.

use std::collections::BTreeMap;

use domain::random::{self, Random};
use http::{HeaderName, HeaderValue, StatusCode};
use serde::{Deserialize, Serialize};

/// A fault for one route, or for all with `*`. With neither `times` nor `seconds` it stays until it is removed.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fault {
    /// `METHOD /path/{template}`, as in the counts of calls.
    pub route: String,
    pub fault: FaultKind,
    /// How many calls it hits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times: Option<u32>,
    /// How long it lasts on the shared clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<u32>,
    /// How many calls out of a hundred it hits; all by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub percent: Option<u8>,
    /// For `slow` and `garbage`: how long the answer takes in real time, unless faults are removed before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay_ms: Option<u64>,
    /// For `garbage`: the answer to give instead of noise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// More headers for `garbage` and the refusals.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    /// For `garbage`, too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultKind {
    /// 429 in the words of the platform.
    RateLimit,
    #[serde(rename = "error_500")]
    Error500,
    #[serde(rename = "error_403")]
    Error403,
    /// Takes the request and says nothing, until the caller gives up or faults are removed.
    Hang,
    /// The right answer, late.
    Slow,
    /// An answer that is none.
    Garbage,
    /// The connection is closed without an answer.
    Drop,
    /// What was asked for is done, and the connection is closed without an answer.
    Lost,
    /// Of the sender of webhooks: the same event twice.
    Duplicate,
    /// Of the sender of webhooks: events are held and go out in another order.
    Reorder,
}

/// The route of what a platform sends to others, for those that send.
pub const SENDER: &str = "POST {webhook}";

impl Fault {
    pub fn new(route: &str, fault: FaultKind) -> Self {
        Self {
            route: route.to_owned(),
            fault,
            times: None,
            seconds: None,
            percent: None,
            delay_ms: None,
            status: None,
            headers: BTreeMap::new(),
            body: None,
        }
    }

    /// The next call of this route is answered with this status and body.
    pub fn answer(route: &str, status: u16, body: &str) -> Self {
        let mut fault = Self::new(route, FaultKind::Garbage).times(1);
        fault.status = Some(status);
        fault.body = Some(body.to_owned());
        fault
    }

    pub fn times(mut self, times: u32) -> Self {
        self.times = Some(times);
        self
    }

    pub fn seconds(mut self, seconds: u32) -> Self {
        self.seconds = Some(seconds);
        self
    }

    /// Adds a header to an answer of this fault.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.insert(name.to_owned(), value.to_owned());
        self
    }

    fn is_for_senders(&self) -> bool {
        matches!(self.fault, FaultKind::Duplicate | FaultKind::Reorder)
    }

    /// Whether it is meant for this route. `*` is every route that can be called; what only a sender does is the sender's.
    pub(crate) fn hits(&self, route: &str) -> bool {
        self.route == route || (self.route == "*" && self.is_for_senders() == (route == SENDER))
    }

    /// What is wrong with the request for this fault, if anything.
    pub fn problem(&self, routes: &[String]) -> Option<String> {
        if self.route != "*" && !routes.contains(&self.route) {
            let known = routes.join("; ");
            return Some(format!("no route `{}`; use `*` or one of: {known}", self.route));
        }
        let sends = routes.iter().any(|route| route == SENDER);
        if self.is_for_senders() && !(sends && (self.route == SENDER || self.route == "*")) {
            return Some("duplicate and reorder are for a platform that sends webhooks".to_owned());
        }
        if self.times == Some(0) || self.seconds == Some(0) || self.delay_ms.is_some_and(|ms| ms > 600_000) {
            return Some("times and seconds start at 1, delay_ms ends at 600000".to_owned());
        }
        if self.percent.is_some_and(|percent| percent == 0 || percent > 100) {
            return Some("percent is between 1 and 100".to_owned());
        }
        if self
            .status
            .is_some_and(|status| StatusCode::from_u16(status).is_err() || status < 200)
        {
            return Some("status is between 200 and 999".to_owned());
        }
        let bad = self.headers.iter().find(|(name, value)| {
            name.parse::<HeaderName>().is_err() || HeaderValue::from_str(value).is_err()
        });
        bad.map(|(name, _)| format!("header `{name}` cannot be sent"))
    }
}

/// The faults that are waiting, in the order in which they were asked for.
#[derive(Default)]
pub struct FaultBook(Vec<Waiting>);

struct Waiting {
    fault: Fault,
    left: Option<u32>,
    until_ms: Option<i64>,
}

impl FaultBook {
    pub fn add(&mut self, fault: Fault, now_ms: i64) {
        self.0.push(Waiting {
            left: fault.times,
            until_ms: fault.seconds.map(|seconds| now_ms + i64::from(seconds) * 1_000),
            fault,
        });
    }

    /// The fault that hits this call. What is used up is gone afterwards.
    pub fn take(&mut self, route: &str, now_ms: i64, random: &dyn Random) -> Option<Fault> {
        self.0
            .retain(|waiting| waiting.until_ms.is_none_or(|until| now_ms < until));
        let hit = self.0.iter().position(|waiting| {
            let fault = &waiting.fault;
            fault.hits(route)
                && fault
                    .percent
                    .is_none_or(|percent| roll(random) < u16::from(percent))
        })?;
        let waiting = &mut self.0[hit];
        let fault = waiting.fault.clone();
        if let Some(left) = &mut waiting.left {
            *left -= 1;
            if *left == 0 {
                self.0.remove(hit);
            }
        }
        Some(fault)
    }

    pub fn waiting(&self) -> impl Iterator<Item = &Fault> {
        self.0.iter().map(|waiting| &waiting.fault)
    }

    pub fn clear(&mut self) {
        self.0.clear();
    }
}

/// A number from 0 to 99.
fn roll(random: &dyn Random) -> u16 {
    u16::from_le_bytes(random::bytes(random)) % 100
}

#[cfg(test)]
mod tests {
    use domain::random::SeededRandom;

    use super::*;

    fn hits(book: &mut FaultBook, route: &str, now_ms: i64) -> Option<FaultKind> {
        book.take(route, now_ms, &SeededRandom::new(1))
            .map(|fault| fault.fault)
    }

    #[test]
    fn a_fault_hits_its_route_as_often_as_it_says() {
        let mut book = FaultBook::default();
        book.add(Fault::new("GET /a", FaultKind::Drop).times(2), 0);
        assert_eq!(hits(&mut book, "GET /b", 0), None);
        assert_eq!(hits(&mut book, "GET /a", 0), Some(FaultKind::Drop));
        assert_eq!(hits(&mut book, "GET /a", 0), Some(FaultKind::Drop));
        assert_eq!(hits(&mut book, "GET /a", 0), None);
    }

    #[test]
    fn a_fault_with_a_time_ends_with_it() {
        let mut book = FaultBook::default();
        book.add(Fault::new("*", FaultKind::Error500).seconds(5), 1_000);
        assert_eq!(hits(&mut book, "GET /a", 5_999), Some(FaultKind::Error500));
        assert_eq!(hits(&mut book, "GET /a", 6_000), None);
        assert_eq!(book.waiting().count(), 0);
    }

    #[test]
    fn faults_come_in_the_order_they_were_asked_for() {
        let mut book = FaultBook::default();
        book.add(Fault::new("GET /a", FaultKind::Drop).times(1), 0);
        book.add(Fault::new("GET /a", FaultKind::Slow), 0);
        assert_eq!(hits(&mut book, "GET /a", 0), Some(FaultKind::Drop));
        assert_eq!(hits(&mut book, "GET /a", 0), Some(FaultKind::Slow));
        assert_eq!(hits(&mut book, "GET /a", 0), Some(FaultKind::Slow));
    }

    #[test]
    fn a_share_of_calls_is_hit_and_the_seed_decides_which() {
        let run = |seed| {
            let (mut book, random) = (FaultBook::default(), SeededRandom::new(seed));
            let mut fault = Fault::new("*", FaultKind::Drop);
            fault.percent = Some(30);
            book.add(fault, 0);
            (0..1_000)
                .map(|_| book.take("GET /a", 0, &random).is_some())
                .collect::<Vec<_>>()
        };
        let share = run(1).iter().filter(|hit| **hit).count();
        assert!((250..350).contains(&share), "{share}");
        assert_eq!(run(1), run(1));
        assert_ne!(run(1), run(2));
    }

    #[test]
    fn nonsense_is_refused() {
        let routes = ["GET /a".to_owned()];
        let problem = |change: fn(&mut Fault)| {
            let mut fault = Fault::new("GET /a", FaultKind::Garbage);
            change(&mut fault);
            fault.problem(&routes)
        };
        assert_eq!(problem(|_| {}), None);
        assert!(problem(|fault| fault.route = "GET /b".to_owned()).is_some());
        assert!(problem(|fault| fault.times = Some(0)).is_some());
        assert!(problem(|fault| fault.seconds = Some(0)).is_some());
        assert!(problem(|fault| fault.percent = Some(101)).is_some());
        assert!(problem(|fault| fault.status = Some(101)).is_some());
        assert!(problem(|fault| drop(fault.headers.insert("a b".to_owned(), String::new()))).is_some());
    }
}
