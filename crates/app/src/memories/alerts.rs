//! Failures that operators are to be told of, on their way to the table that all nodes share.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use domain::job::JobKind;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;

/// Codes at places that are held between two writes; further ones are counted and left out.
pub const MOST_WAITING: usize = 500;

/// Where something failed. All of these are known beforehand; what a caller sends is never one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Place {
    /// The template of a route.
    Route(&'static str),
    /// A kind of job.
    Job(&'static str),
    /// A task or a step in the background.
    Task(&'static str),
}

impl Place {
    /// A job, also one of a kind that this version does not know.
    pub(crate) fn of_job(kind: Option<JobKind>) -> Self {
        Self::Job(kind.map_or("unknown", JobKind::as_str))
    }
}

impl fmt::Display for Place {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, name) = match self {
            Self::Route(name) => ("route", name),
            Self::Job(name) => ("job", name),
            Self::Task(name) => ("task", name),
        };
        write!(out, "{kind} {name}")
    }
}

/// What became of failures and of the messages about them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AlertEnd {
    /// A message was sent.
    Sent,
    /// A message could not be sent and is tried again.
    Failed,
    /// A message was given up.
    Expired,
    /// It was told a short while ago and is only counted.
    Repeated,
    /// There were too many in an hour, so it is only counted.
    Held,
    /// Too many different ones came at once.
    LeftOut,
}

impl AlertEnd {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Sent,
        Self::Failed,
        Self::Expired,
        Self::Repeated,
        Self::Held,
        Self::LeftOut,
    ];

    /// Its name in metrics.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Sent => "sent",
            Self::Failed => "failed",
            Self::Expired => "expired",
            Self::Repeated => "repeated",
            Self::Held => "held",
            Self::LeftOut => "left_out",
        }
    }
}

/// How often something failed since the last write.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Waiting {
    pub(crate) count: i64,
    pub(crate) request_id: Option<String>,
}

type Key = (&'static str, Place);

/// `background` writes them every few seconds.
#[derive(Default)]
pub struct Alerts {
    waiting: Mutex<HashMap<Key, Waiting>>,
    pub(crate) outcomes: Family<[(&'static str, &'static str); 1], Counter>,
    /// Why the last message could not be sent.
    trouble: Mutex<Option<&'static str>>,
}

impl Alerts {
    /// Counts a failure. Called on the way out of a failed request, so it waits for nothing but a short lock.
    pub(crate) fn note(&self, code: &'static str, place: Place, request_id: Option<&str>) {
        let key = (code, place);
        let mut waiting = self.waiting();
        if waiting.len() >= MOST_WAITING && !waiting.contains_key(&key) {
            drop(waiting);
            self.count(AlertEnd::LeftOut, 1);
            return;
        }
        let one = waiting.entry(key).or_default();
        one.count += 1;
        // The first will do: one is enough to find the others in the error log.
        if one.request_id.is_none() {
            one.request_id = request_id.map(str::to_owned);
        }
    }

    /// How many different ones wait to be written.
    pub fn len(&self) -> usize {
        self.waiting().len()
    }

    /// Whether none does.
    pub fn is_empty(&self) -> bool {
        self.waiting().is_empty()
    }

    /// In the order of their rows, which every node writes in the same one.
    pub(crate) fn drain(&self) -> Vec<(Key, Waiting)> {
        let mut drained: Vec<_> = self.waiting().drain().collect();
        drained.sort_unstable_by_key(|(key, _)| *key);
        drained
    }

    /// Puts back what could not be written, as far as there is room.
    pub(crate) fn restore(&self, unwritten: Vec<(Key, Waiting)>) {
        let mut waiting = self.waiting();
        let mut left_out = 0;
        for (key, lost) in unwritten {
            if waiting.len() >= MOST_WAITING && !waiting.contains_key(&key) {
                left_out += 1;
                continue;
            }
            let one = waiting.entry(key).or_default();
            one.count += lost.count;
            one.request_id = lost.request_id.or(one.request_id.take());
        }
        drop(waiting);
        self.count(AlertEnd::LeftOut, left_out);
    }

    /// Counts what became of some.
    pub(crate) fn count(&self, end: AlertEnd, how_many: u64) {
        let labels = [("outcome", end.as_str())];
        self.outcomes.get_or_create_owned(&labels).inc_by(how_many);
    }

    /// How often that was what became of one.
    pub fn counted(&self, end: AlertEnd) -> u64 {
        let labels = [("outcome", end.as_str())];
        self.outcomes.get_or_create_owned(&labels).get()
    }

    /// Why messages do not arrive, if the last one did not.
    pub fn trouble(&self) -> Option<&'static str> {
        *self.trouble.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn set_trouble(&self, trouble: Option<&'static str>) {
        *self.trouble.lock().unwrap_or_else(PoisonError::into_inner) = trouble;
    }

    fn waiting(&self) -> MutexGuard<'_, HashMap<Key, Waiting>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_failures_are_one_entry_and_different_ones_are_bounded() {
        let alerts = Alerts::default();
        for _ in 0..1_000 {
            alerts.note("INTERNAL", Place::Route("/x"), Some("req_1"));
        }
        assert_eq!(alerts.len(), 1);
        for number in 0..2_000 {
            let name: &'static str = Box::leak(number.to_string().into_boxed_str());
            alerts.note("INTERNAL", Place::Task(name), None);
        }
        assert_eq!(alerts.len(), MOST_WAITING);
        assert_eq!(alerts.counted(AlertEnd::LeftOut), 2_001 - MOST_WAITING as u64);
        let drained = alerts.drain();
        assert!(alerts.is_empty() && drained.len() == MOST_WAITING);
        alerts.restore(drained.clone());
        alerts.restore(drained);
        assert_eq!(alerts.len(), MOST_WAITING, "what was put back twice is one entry");
    }
}
