//! Who waits in the write queue and since when. No tenant may fill it alone.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::DbError;
use crate::scope::OrgScope;

/// One Org may hold a quarter of the queue; its bulk work must not keep other tenants out.
const TENANT_SHARE: usize = 4;

#[derive(Default)]
struct Waiting {
    of_orgs: HashMap<OrgScope, usize>,
    /// In the order of arrival.
    since: BTreeMap<u64, Instant>,
    arrived: u64,
}

pub(super) struct Shares {
    waiting: Arc<Mutex<Waiting>>,
    limit: usize,
}

impl Shares {
    pub(super) fn of(capacity: usize) -> Self {
        Self {
            waiting: Arc::default(),
            limit: (capacity / TENANT_SHARE).max(1),
        }
    }

    /// A place for one unit of work, or a refusal when its Org has too many already.
    pub(super) fn take(&self, org: Option<OrgScope>) -> Result<Place, DbError> {
        let mut waiting = locked(&self.waiting);
        if let Some(org) = org {
            let count = waiting.of_orgs.entry(org).or_insert(0);
            if *count >= self.limit {
                return Err(DbError::Overloaded);
            }
            *count += 1;
        }
        let number = waiting.arrived;
        waiting.arrived += 1;
        waiting.since.insert(number, Instant::now());
        Ok(Place {
            waiting: Arc::clone(&self.waiting),
            org,
            number,
        })
    }

    /// Units of work that wait for their answer.
    pub(super) fn count(&self) -> usize {
        locked(&self.waiting).since.len()
    }

    /// How long the unit that came first has been waiting for its answer.
    pub(super) fn longest_wait(&self) -> Duration {
        let waiting = locked(&self.waiting);
        let first = waiting.since.first_key_value();
        first.map_or(Duration::ZERO, |(_, since)| since.elapsed())
    }
}

/// Counts against an Org's share until the unit is answered.
pub(super) struct Place {
    waiting: Arc<Mutex<Waiting>>,
    org: Option<OrgScope>,
    number: u64,
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut waiting = locked(&self.waiting);
        waiting.since.remove(&self.number);
        let Some(org) = self.org else { return };
        if let Some(count) = waiting.of_orgs.get_mut(&org) {
            *count -= 1;
            if *count == 0 {
                waiting.of_orgs.remove(&org);
            }
        }
    }
}

fn locked(waiting: &Mutex<Waiting>) -> MutexGuard<'_, Waiting> {
    waiting.lock().unwrap_or_else(PoisonError::into_inner)
}
