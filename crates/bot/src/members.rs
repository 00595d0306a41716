//! Members who came, went or were changed. The service is told which; it reads what they are like now.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::Serialize;
use tokio::sync::Notify;
use tokio::time::Instant;

use crate::backoff::Backoff;
use crate::service::Service;

/// How long they are gathered, unless there are many.
const GATHERED: Duration = Duration::from_millis(500);
const AT_ONCE: usize = 100;
/// Calls between two pauses: half of what the service takes from a bot.
const CALLS: usize = 25;
/// Beyond them the oldest are let go. The service looks at everybody once a night.
const MOST: usize = 10_000;
const LONGEST: Duration = Duration::from_secs(10);
/// So long a restart goes back to what the service was not told yet.
const HELD: Duration = Duration::from_secs(60);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    Joined,
    Left,
    Changed,
}

#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Told {
    id: String,
    change: Change,
}

/// Those that wait, each member of a guild once.
#[derive(Default)]
pub struct Members {
    waiting: Mutex<Waiting>,
    many: Notify,
}

#[derive(Default)]
struct Waiting {
    /// In the order in which they were first heard of.
    order: BTreeMap<u64, Heard>,
    places: HashMap<(u64, u64), u64>,
    next: u64,
    /// The first of those on their way.
    sending: Option<Heard>,
    /// That some were let go was said.
    warned: bool,
}

#[derive(Clone, Copy)]
struct Heard {
    guild: u64,
    user: u64,
    change: Change,
    /// Of the event in its session on the gateway; none when that session is over.
    sequence: Option<u64>,
    at: Instant,
}

/// Members of one guild, by their places in the order.
struct Batch {
    guild: u64,
    heard: BTreeMap<u64, Heard>,
}

impl Members {
    /// `sequence` is the number of the event in its session.
    pub fn add(&self, (guild, user): (u64, u64), change: Change, sequence: Option<u64>) {
        let mut waiting = self.lock();
        let place = waiting.next;
        waiting.next += 1;
        let heard = Heard {
            guild,
            user,
            change,
            sequence,
            at: Instant::now(),
        };
        waiting.put(place, heard, true);
        if waiting.order.len() >= AT_ONCE {
            self.many.notify_one();
        }
    }

    /// The first event of the session that the service was not told of, unless it has been away for too long.
    pub fn untold(&self) -> Option<u64> {
        let waiting = self.lock();
        let first = waiting
            .sending
            .or_else(|| waiting.order.values().next().copied())?;
        first.sequence.filter(|_| first.at.elapsed() <= HELD)
    }

    /// Another session began, with numbers of its own.
    pub fn begin_session(&self) {
        let mut waiting = self.lock();
        let waiting = &mut *waiting;
        for heard in waiting.order.values_mut().chain(&mut waiting.sending) {
            heard.sequence = None;
        }
    }

    /// Sends what has gathered, for as long as the process runs.
    pub async fn keep_sending(&self, service: &Service) {
        let mut backoff = Backoff::new(GATHERED, LONGEST);
        loop {
            tokio::select! {
                () = tokio::time::sleep(GATHERED) => {}
                () = self.many.notified() => {}
            }
            while !self.send_some(service).await {
                tokio::time::sleep(backoff.next()).await;
            }
            backoff.reset();
        }
    }

    pub async fn send_all(&self, service: &Service) {
        while self.send_some(service).await && !self.lock().order.is_empty() {}
    }

    /// False when the service does not take them now.
    async fn send_some(&self, service: &Service) -> bool {
        for _ in 0..CALLS {
            let Some(batch) = self.lock().take() else {
                return true;
            };
            let told: Vec<Told> = batch.heard.values().map(Told::from).collect();
            let arrived = service.tell_members(batch.guild, &told).await;
            self.lock().end(batch, arrived);
            if !arrived {
                return false;
            }
        }
        true
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiting {
    /// Somebody who waits already keeps their place. `is_newer` when this is the last that was heard of them.
    fn put(&mut self, place: u64, heard: Heard, is_newer: bool) {
        let known = self.places.get(&(heard.guild, heard.user)).copied();
        let other = known.and_then(|known| self.order.remove(&known));
        let (older, newer) = if is_newer {
            (other.unwrap_or(heard), heard)
        } else {
            (heard, other.unwrap_or(heard))
        };
        let change = newer.change;
        let place = known.map_or(place, |known| known.min(place));
        self.order.insert(place, Heard { change, ..older });
        self.places.insert((heard.guild, heard.user), place);
        if self.order.len() > MOST {
            self.let_go_of_oldest();
        }
    }

    fn let_go_of_oldest(&mut self) {
        if let Some((_, oldest)) = self.order.pop_first() {
            self.places.remove(&(oldest.guild, oldest.user));
        }
        if !std::mem::replace(&mut self.warned, true) {
            tracing::warn!(
                most = MOST,
                "the service is away and too many members have changed: what was heard first is let go"
            );
        }
    }

    /// The next of the guild that has waited longest.
    fn take(&mut self) -> Option<Batch> {
        let guild = self.order.values().next()?.guild;
        let of_guild = self.order.iter().filter(|(_, heard)| heard.guild == guild);
        let heard: BTreeMap<u64, Heard> = of_guild
            .take(AT_ONCE)
            .map(|(place, heard)| (*place, *heard))
            .collect();
        for (place, heard) in &heard {
            self.order.remove(place);
            self.places.remove(&(guild, heard.user));
        }
        self.sending = heard.values().next().copied();
        Some(Batch { guild, heard })
    }

    fn end(&mut self, batch: Batch, arrived: bool) {
        let is_same_session = self.sending.take().is_some_and(|first| first.sequence.is_some());
        if !arrived {
            for (place, mut heard) in batch.heard {
                heard.sequence = heard.sequence.filter(|_| is_same_session);
                self.put(place, heard, false);
            }
        }
        if self.order.is_empty() {
            self.warned = false;
        }
    }
}

impl From<&Heard> for Told {
    fn from(heard: &Heard) -> Self {
        Self {
            id: heard.user.to_string(),
            change: heard.change,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Change::{Changed, Joined, Left};
    use super::*;

    fn changes(batch: &Batch) -> Vec<(u64, Change)> {
        let heard = batch.heard.values();
        heard.map(|heard| (heard.user, heard.change)).collect()
    }

    #[test]
    fn a_member_is_told_of_once_with_the_latest_change() {
        let members = Members::default();
        for (user, change) in [(1, Joined), (2, Joined), (1, Changed), (1, Left)] {
            members.add((7, user), change, None);
        }
        members.add((8, 1), Changed, None);
        let first = members.lock().take().unwrap();
        assert_eq!((first.guild, changes(&first)), (7, vec![(1, Left), (2, Joined)]));
        let second = members.lock().take().unwrap();
        assert_eq!((second.guild, changes(&second)), (8, vec![(1, Changed)]));
        members.lock().end(first, true);
        members.lock().end(second, true);
        assert!(members.lock().take().is_none());
    }

    #[test]
    fn what_did_not_arrive_comes_first_and_what_was_heard_meanwhile_counts() {
        let members = Members::default();
        members.add((7, 1), Joined, None);
        members.add((7, 2), Joined, None);
        let first = members.lock().take().unwrap();
        members.add((7, 3), Joined, None);
        members.add((7, 2), Left, None);
        members.lock().end(first, false);
        let again = members.lock().take().unwrap();
        assert_eq!(changes(&again), [(1, Joined), (2, Left), (3, Joined)]);
    }

    #[test]
    fn the_first_event_that_was_not_told_of_is_known() {
        let members = Members::default();
        assert_eq!(members.untold(), None);
        for (user, sequence) in [(1, 10), (2, 11), (1, 12)] {
            members.add((7, user), Changed, Some(sequence));
        }
        assert_eq!(members.untold(), Some(10));
        let first = members.lock().take().unwrap();
        members.add((7, 1), Changed, Some(13));
        assert_eq!(members.untold(), Some(10), "on its way");
        members.lock().end(first, true);
        assert_eq!(members.untold(), Some(13));
        let second = members.lock().take().unwrap();
        members.begin_session();
        members.lock().end(second, false);
        assert_eq!(members.untold(), None, "numbers of another session");
        members.add((8, 1), Changed, Some(1));
        let first = members.lock().take().unwrap();
        members.lock().end(first, true);
        assert_eq!(members.untold(), Some(1));
        for heard in members.lock().order.values_mut() {
            heard.at = heard.at.checked_sub(HELD * 2).unwrap();
        }
        assert_eq!(members.untold(), None, "the service is away for long");
    }

    #[test]
    fn they_go_in_portions_and_the_oldest_are_let_go() {
        let members = Members::default();
        for user in 0..MOST as u64 + 50 {
            members.add((7, user), Changed, None);
        }
        let waiting = |members: &Members| {
            let waiting = members.lock();
            (waiting.order.len(), waiting.places.len(), waiting.warned)
        };
        assert_eq!(waiting(&members), (MOST, MOST, true));
        let first = members.lock().take().unwrap();
        assert_eq!((changes(&first).len(), changes(&first)[0].0), (AT_ONCE, 50));
        members.lock().end(first, true);
        assert_eq!(waiting(&members).0, MOST - AT_ONCE);
    }
}
