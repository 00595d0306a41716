//! Files of older systems that are being read. Their rows are in memory until all were read, so a node reads few at a time.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use storage::OrgScope;

/// Of all Orgs at the same time, on one node.
const AT_ONCE: usize = 3;
/// For so long after an Org began one it leaves the last place to others.
const LATELY_MS: i64 = 2 * 60_000;

/// Which Orgs have one. An Org has one at a time.
#[derive(Default)]
pub(crate) struct Uploads {
    taken: Arc<Mutex<Taken>>,
}

#[derive(Default)]
struct Taken {
    now: HashSet<i64>,
    lately: HashMap<i64, i64>,
}

/// The place of one file; it is free again when this is dropped.
pub struct UploadPlace {
    taken: Arc<Mutex<Taken>>,
    org: i64,
}

impl Uploads {
    /// Nothing when the Org has one already, or the node as many as it may have.
    pub(crate) fn begin(&self, scope: OrgScope, steady_ms: i64) -> Option<UploadPlace> {
        self.take(scope.num(), steady_ms)
    }

    fn take(&self, org: i64, steady_ms: i64) -> Option<UploadPlace> {
        let mut taken = locked(&self.taken);
        taken
            .lately
            .retain(|_, begun_ms| steady_ms - *begun_ms < LATELY_MS);
        let is_again = taken.lately.contains_key(&org);
        let most = if is_again { AT_ONCE - 1 } else { AT_ONCE };
        if taken.now.len() >= most || !taken.now.insert(org) {
            return None;
        }
        taken.lately.insert(org, steady_ms);
        Some(UploadPlace {
            taken: Arc::clone(&self.taken),
            org,
        })
    }
}

impl Drop for UploadPlace {
    fn drop(&mut self) {
        locked(&self.taken).now.remove(&self.org);
    }
}

fn locked(taken: &Mutex<Taken>) -> MutexGuard<'_, Taken> {
    taken.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_org_reads_one_file_at_a_time_and_a_node_a_few() {
        let uploads = Uploads::default();
        let one = uploads.take(1, 0);
        assert!(one.is_some() && uploads.take(1, 0).is_none());
        let (_two, _three) = (uploads.take(2, 0).unwrap(), uploads.take(3, 0).unwrap());
        assert!(uploads.take(4, 0).is_none());
        drop(one);
        assert!(uploads.take(4, 0).is_some());
    }

    #[test]
    fn whoever_sends_one_file_after_the_other_leaves_a_place_to_others() {
        let uploads = Uploads::default();
        for org in [1, 2, 3] {
            drop(uploads.take(org, 0));
        }
        let (_one, two) = (uploads.take(1, 1_000).unwrap(), uploads.take(2, 1_000).unwrap());
        assert!(uploads.take(3, 1_000).is_none());
        assert!(uploads.take(4, 1_000).is_some());
        drop(two);
        assert!(uploads.take(3, 1_000).is_some());
        // After a while nobody is held to it.
        let (_two, _three) = (
            uploads.take(2, LATELY_MS + 1_000).unwrap(),
            uploads.take(3, LATELY_MS + 1_000).unwrap(),
        );
    }
}
