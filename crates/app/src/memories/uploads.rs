//! Files of older systems that are being read. Their rows are in memory until all were read, so a node reads few at a time.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use storage::OrgScope;

/// Of all Orgs at the same time, on one node.
const AT_ONCE: usize = 2;

/// Which Orgs have one. An Org has one at a time.
#[derive(Default)]
pub(crate) struct Uploads {
    whose: Arc<Mutex<HashSet<i64>>>,
}

/// The place of one file; it is free again when this is dropped.
pub struct UploadPlace {
    whose: Arc<Mutex<HashSet<i64>>>,
    org: i64,
}

impl Uploads {
    /// Nothing when the Org has one already, or the node as many as it may have.
    pub(crate) fn begin(&self, scope: OrgScope) -> Option<UploadPlace> {
        let org = scope.num();
        let mut whose = self.whose.lock().unwrap_or_else(PoisonError::into_inner);
        if whose.len() >= AT_ONCE || !whose.insert(org) {
            return None;
        }
        Some(UploadPlace {
            whose: Arc::clone(&self.whose),
            org,
        })
    }
}

impl Drop for UploadPlace {
    fn drop(&mut self) {
        let mut whose = self.whose.lock().unwrap_or_else(PoisonError::into_inner);
        whose.remove(&self.org);
    }
}
