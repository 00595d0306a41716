//! Failures on their way to the error log: grouped in memory, written in batches.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Mutex, PoisonError};

use prometheus_client::metrics::counter::Counter;
use storage::records::error_log::{Group, KEPT_REQUEST_IDS};
use storage::{NoOrg, Tx, Work};

use crate::error::AppError;

/// Groups held between two writes; further ones are counted and dropped.
const MAX_GROUPS: usize = 1_000;

/// One group for each code, route, Org and minute. `background` writes them every few seconds.
#[derive(Default)]
pub struct ErrorLog {
    groups: Mutex<HashMap<GroupKey, Group>>,
    dropped: Counter,
}

#[derive(PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct GroupKey {
    code: &'static str,
    route: &'static str,
    org_num: i64,
    minute: i64,
}

/// One failed request, as the boundary saw it.
pub struct Failure<'a> {
    /// Its row gives code and status; its detail is kept where it helps.
    pub error: &'a AppError,
    /// The route's template, never the path that was asked for.
    pub route: &'static str,
    /// 0 when no Org is known.
    pub org_num: i64,
    /// The newest few of a group are kept.
    pub request_id: &'a str,
    /// The wall clock's time: people look for the minute.
    pub now_ms: i64,
}

impl ErrorLog {
    /// Counts it. Called on the way out of a failed request, so it waits for nothing but a short lock.
    pub fn note(&self, failure: &Failure<'_>) {
        let key = GroupKey {
            code: failure.error.code(),
            route: failure.route,
            org_num: failure.org_num,
            minute: failure.now_ms.div_euclid(60_000),
        };
        let mut groups = self.groups.lock().unwrap_or_else(PoisonError::into_inner);
        if groups.len() >= MAX_GROUPS && !groups.contains_key(&key) {
            self.dropped.inc();
            return;
        }
        let group = match groups.entry(key) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(empty) => {
                let group = new_group(empty.key(), failure.error.status());
                empty.insert(group)
            }
        };
        group.count += 1;
        if group.detail.is_empty() && failure.error.tells_detail() {
            group.detail = failure.error.internal_detail();
        }
        if group.request_ids.len() == KEPT_REQUEST_IDS {
            group.request_ids.remove(0);
        }
        group.request_ids.push(failure.request_id.to_owned());
    }

    /// Groups that wait to be written.
    pub fn waiting(&self) -> usize {
        self.groups.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Groups dropped because too many were waiting.
    pub fn dropped(&self) -> u64 {
        self.dropped.get()
    }

    /// In the order of their rows, which every node writes in the same one.
    pub(crate) fn drain(&self) -> Vec<(GroupKey, Group)> {
        let mut groups = self.groups.lock().unwrap_or_else(PoisonError::into_inner);
        let mut drained: Vec<_> = groups.drain().collect();
        drained.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        drained
    }

    /// Puts groups back that could not be written, as far as there is room.
    pub(crate) fn restore(&self, unwritten: Vec<(GroupKey, Group)>) {
        let mut groups = self.groups.lock().unwrap_or_else(PoisonError::into_inner);
        for (key, lost) in unwritten {
            let full = groups.len() >= MAX_GROUPS;
            match groups.entry(key) {
                Entry::Occupied(mut known) => {
                    let group = known.get_mut();
                    group.count += lost.count;
                    if group.detail.is_empty() {
                        group.detail = lost.detail;
                    }
                    let newer = std::mem::replace(&mut group.request_ids, lost.request_ids);
                    group.request_ids.extend(newer);
                    let surplus = group.request_ids.len().saturating_sub(KEPT_REQUEST_IDS);
                    group.request_ids.drain(..surplus);
                }
                Entry::Vacant(_) if full => {
                    self.dropped.inc();
                }
                Entry::Vacant(empty) => drop(empty.insert(lost)),
            }
        }
    }
}

fn new_group(key: &GroupKey, status: u16) -> Group {
    Group {
        code: key.code.to_owned(),
        route: key.route.to_owned(),
        org_num: key.org_num,
        minute: key.minute,
        status: i64::from(status),
        count: 0,
        request_ids: Vec::new(),
        detail: String::new(),
    }
}

pub(crate) struct WriteGroups(pub Vec<Group>);

impl Work for WriteGroups {
    type For = NoOrg;
    type Output = ();
    type Error = AppError;
    const NAME: &'static str = "write_error_log";

    async fn run(&self, tx: &mut Tx<'_>, _: &NoOrg) -> Result<(), AppError> {
        for group in &self.0 {
            storage::records::error_log::record(tx, group).await?;
        }
        Ok(())
    }
}
