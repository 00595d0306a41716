//! Exports and dry runs under way. Each reads for long, so an Org has a few of them at a time.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use storage::OrgScope;

/// Of one Org at the same time, on one node.
const AT_ONCE: u32 = 2;

/// How many each Org has under way.
#[derive(Default)]
pub(crate) struct Exports {
    running: Arc<Mutex<HashMap<i64, u32>>>,
}

/// The place of one export; it is free again when this is dropped.
pub struct ExportPlace {
    running: Arc<Mutex<HashMap<i64, u32>>>,
    org: i64,
}

impl Exports {
    /// Nothing when the Org has as many as it may have.
    pub(crate) fn begin(&self, scope: OrgScope) -> Option<ExportPlace> {
        let org = scope.num();
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        let count = running.entry(org).or_default();
        if *count >= AT_ONCE {
            return None;
        }
        *count += 1;
        Some(ExportPlace {
            running: Arc::clone(&self.running),
            org,
        })
    }
}

impl Drop for ExportPlace {
    fn drop(&mut self) {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = running.get_mut(&self.org) {
            *count -= 1;
            if *count == 0 {
                running.remove(&self.org);
            }
        }
    }
}
