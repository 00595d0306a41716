//! What is to be delivered, and what became of it.

use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant};

use serde::Serialize;

/// The last so many that are over are remembered.
const REMEMBERED: usize = 1_000;
/// How long to wait after each failure, in seconds of the clock; then always the last.
const WAITS: [i64; 6] = [300, 1_800, 7_200, 18_000, 36_000, 43_200];
/// After three days nobody tries again.
const GIVE_UP: i64 = 3 * 86_400;

/// One event on its way to one endpoint.
#[derive(Clone, Debug, Serialize)]
pub struct Delivery {
    #[serde(skip)]
    number: u64,
    pub event: String,
    pub endpoint: String,
    pub state: Progress,
    pub attempts: u32,
    /// The answer to the last try; missing if there was none.
    pub last_status: Option<u16>,
    /// Why the last try brought no answer.
    pub last_problem: Option<String>,
    /// How long the last answer took.
    pub took_ms: Option<u64>,
    /// When the first try was due, and when the next is.
    pub first_ms: i64,
    pub due_ms: i64,
    /// Said twice by a fault, or again by a person: not what the event waits for.
    pub extra: bool,
    /// No fault hits it.
    #[serde(skip)]
    pub spared: bool,
}

impl Delivery {
    pub fn number(&self) -> u64 {
        self.number
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Progress {
    Waiting,
    UnderWay,
    /// Kept back to be sent in another order.
    Held,
    Delivered,
    Failed,
    /// Lost on purpose; nobody tries again.
    Dropped,
}

#[derive(Default)]
pub struct Outbox {
    waiting: BTreeMap<(i64, u64), Delivery>,
    held: Vec<Delivery>,
    held_until: Option<Instant>,
    under_way: BTreeMap<u64, Delivery>,
    over: VecDeque<Delivery>,
    made: u64,
}

impl Outbox {
    pub fn add(&mut self, event: &str, endpoint: &str, now_ms: i64, extra: bool) {
        self.made += 1;
        let delivery = Delivery {
            number: self.made,
            event: event.to_owned(),
            endpoint: endpoint.to_owned(),
            state: Progress::Waiting,
            attempts: 0,
            last_status: None,
            last_problem: None,
            took_ms: None,
            first_ms: now_ms,
            due_ms: now_ms,
            extra,
            spared: false,
        };
        self.waiting.insert((now_ms, self.made), delivery);
    }

    /// The same again, which no fault hits.
    pub fn add_twin(&mut self, delivery: &Delivery, now_ms: i64) {
        self.add(&delivery.event, &delivery.endpoint, now_ms, true);
        if let Some(twin) = self.waiting.get_mut(&(now_ms, self.made)) {
            twin.spared = true;
        }
    }

    /// The next one that is due.
    pub fn take_due(&mut self, now_ms: i64) -> Option<Delivery> {
        let first = self.waiting.first_entry()?;
        (first.key().0 <= now_ms).then(|| first.remove())
    }

    pub fn hold(&mut self, mut delivery: Delivery, hold: Duration) {
        delivery.state = Progress::Held;
        self.held.push(delivery);
        self.held_until.get_or_insert_with(|| Instant::now() + hold);
    }

    /// True when what is held is to go: because it waited long enough, or because nothing more comes.
    pub fn is_hold_over(&self, complete: bool) -> bool {
        self.held_until
            .is_some_and(|until| complete || until <= Instant::now())
    }

    /// What is held goes at once, if nothing else moves.
    pub fn hurry(&mut self, now_ms: i64) {
        if self.held_until.is_some() && self.under_way.is_empty() && !self.is_due(now_ms) {
            self.held_until = Some(Instant::now());
        }
    }

    /// Everything that was held, in the order in which it came.
    pub fn release(&mut self) -> Vec<Delivery> {
        self.held_until = None;
        std::mem::take(&mut self.held)
    }

    pub fn depart(&mut self, mut delivery: Delivery) -> Delivery {
        delivery.state = Progress::UnderWay;
        delivery.attempts += 1;
        self.under_way.insert(delivery.number, delivery.clone());
        delivery
    }

    /// A delivery that needs no more tries.
    pub fn finish(&mut self, mut delivery: Delivery, state: Progress) {
        self.under_way.remove(&delivery.number);
        delivery.state = state;
        if self.over.len() == REMEMBERED {
            self.over.pop_front();
        }
        self.over.push_back(delivery);
    }

    /// Plans another try; gives the delivery back when three days are over.
    pub fn retry(&mut self, mut delivery: Delivery, now_ms: i64) -> Option<Delivery> {
        let failures = usize::try_from(delivery.attempts.saturating_sub(1)).unwrap_or(usize::MAX);
        let wait = WAITS.get(failures).or(WAITS.last()).copied().unwrap_or_default();
        let due_ms = now_ms + wait * 1_000;
        if due_ms - delivery.first_ms > GIVE_UP * 1_000 {
            return Some(delivery);
        }
        self.under_way.remove(&delivery.number);
        delivery.state = Progress::Waiting;
        delivery.due_ms = due_ms;
        self.waiting.insert((due_ms, delivery.number), delivery);
        None
    }

    /// Nothing is due, held or under way.
    pub fn is_settled(&self, now_ms: i64) -> bool {
        !self.is_due(now_ms) && self.held.is_empty() && self.under_way.is_empty()
    }

    fn is_due(&self, now_ms: i64) -> bool {
        let first = self.waiting.first_key_value();
        first.is_some_and(|(key, _)| key.0 <= now_ms)
    }

    /// What an endpoint that is gone will never get.
    pub fn forget_endpoint(&mut self, endpoint: &str) -> Vec<Delivery> {
        let gone = self
            .waiting
            .extract_if(.., |_, delivery| delivery.endpoint == endpoint);
        gone.map(|(_, delivery)| delivery).collect()
    }

    /// All that is known, the oldest first.
    pub fn all(&self) -> impl Iterator<Item = &Delivery> {
        self.over
            .iter()
            .chain(self.under_way.values())
            .chain(&self.held)
            .chain(self.waiting.values())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_and_end_after_three_days() {
        let mut outbox = Outbox::default();
        outbox.add("evt_1", "we_1", 0, false);
        let (mut now_ms, mut waits) = (0, Vec::new());
        while let Some(delivery) = outbox.take_due(now_ms) {
            let delivery = outbox.depart(delivery);
            if let Some(delivery) = outbox.retry(delivery, now_ms) {
                outbox.finish(delivery, Progress::Failed);
                break;
            }
            let next = outbox.all().last().expect("a delivery").due_ms;
            waits.push(next - now_ms);
            now_ms = next;
        }
        assert!(waits.is_sorted() && waits.len() > 6, "{waits:?}");
        assert!(now_ms <= GIVE_UP * 1_000 && now_ms > (GIVE_UP - 43_200) * 1_000);
        assert!(outbox.is_settled(i64::MAX));
        assert_eq!(outbox.all().last().expect("a delivery").state, Progress::Failed);
    }
}
