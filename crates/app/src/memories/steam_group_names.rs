//! Names of Steam groups that people paste into the settings, remembered for a while.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use domain::steam_group::GroupId;
use futures_util::future::{BoxFuture, Shared};
use platform::Unanswered;
use quick_cache::sync::Cache;

/// Names that are remembered.
const MOST: usize = 1_000;
/// A group keeps its number; somebody may take its name over, though.
const FOUND_MS: i64 = 60 * 60_000;
/// A name that stands for nothing may be given any moment.
const UNKNOWN_MS: i64 = 60_000;

#[derive(Clone, Copy)]
struct ResolvedName {
    group: Option<GroupId>,
    /// Of the steady clock.
    asked_at_ms: i64,
}

impl ResolvedName {
    fn is_fresh(&self, steady_ms: i64) -> bool {
        let lasts_ms = if self.group.is_some() {
            FOUND_MS
        } else {
            UNKNOWN_MS
        };
        steady_ms - self.asked_at_ms < lasts_ms
    }
}

pub(crate) type Answer = Result<Option<GroupId>, Unanswered>;
pub(crate) type Answering = Shared<BoxFuture<'static, Answer>>;

/// A question that Steam has not answered yet.
pub(crate) struct Asked {
    pub(crate) name: String,
    pub(crate) answering: Answering,
}

pub(crate) struct SteamGroupNames {
    known: Cache<String, ResolvedName>,
    /// By Org, which has one question out at a time. Never more than there are requests.
    asked: Mutex<HashMap<i64, Asked>>,
}

impl Default for SteamGroupNames {
    fn default() -> Self {
        Self {
            known: Cache::new(MOST),
            asked: Mutex::default(),
        }
    }
}

impl SteamGroupNames {
    pub(crate) fn find(&self, name: &str, steady_ms: i64) -> Option<Option<GroupId>> {
        let known = self.known.get(name)?;
        known.is_fresh(steady_ms).then_some(known.group)
    }

    pub(crate) fn asked(&self) -> MutexGuard<'_, HashMap<i64, Asked>> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn remember(&self, name: String, group: Option<GroupId>, steady_ms: i64) {
        let known = ResolvedName {
            group,
            asked_at_ms: steady_ms,
        };
        self.known.insert(name, known);
    }
}
