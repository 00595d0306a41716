//! No tenant may fill the write queue alone.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::DbError;

/// One Org may hold a quarter of the queue; its bulk work must not keep other tenants out.
const TENANT_SHARE: usize = 4;

type Waiting = Arc<Mutex<HashMap<i64, usize>>>;

pub(super) struct Shares {
    waiting: Waiting,
    limit: usize,
}

impl Shares {
    pub(super) fn of(capacity: usize) -> Self {
        Self {
            waiting: Waiting::default(),
            limit: (capacity / TENANT_SHARE).max(1),
        }
    }

    /// A place for one unit of work, or a refusal when its Org has too many already.
    pub(super) fn take(&self, tenant: Option<i64>) -> Result<Place, DbError> {
        if let Some(tenant) = tenant {
            let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            let count = waiting.entry(tenant).or_insert(0);
            if *count >= self.limit {
                return Err(DbError::Overloaded);
            }
            *count += 1;
        }
        Ok(Place {
            waiting: Arc::clone(&self.waiting),
            tenant,
        })
    }
}

/// Counts against an Org's share until the unit is answered.
pub(super) struct Place {
    waiting: Waiting,
    tenant: Option<i64>,
}

impl Drop for Place {
    fn drop(&mut self) {
        let Some(tenant) = self.tenant else { return };
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = waiting.get_mut(&tenant) {
            *count -= 1;
            if *count == 0 {
                waiting.remove(&tenant);
            }
        }
    }
}
