//! Builds of the plugin: the list, and the files that were asked for lately.

use std::sync::atomic::{AtomicI64, Ordering::Relaxed};
use std::sync::{Arc, PoisonError, RwLock};

use domain::plugin_build::Build;
use quick_cache::Weighter;
use quick_cache::sync::Cache;

/// Files that are kept in memory, together. Readers share one copy, however slowly they read.
const KEPT_BYTES: u64 = 64 * 1024 * 1024;
/// About as many as there are room for.
const KEPT_FILES: usize = 16;
const LOOK_EVERY_MS: i64 = 1_000;
const FAILED_FOR_MS: i64 = 3_000;

/// The list and the files that were asked for lately.
pub(crate) struct Shelf {
    /// None before it was read.
    list: RwLock<Option<Arc<[Build]>>>,
    files: Cache<String, Arc<[u8]>, BySize>,
    /// When the list was last read because somebody named a version that is not in it.
    looked_at_ms: AtomicI64,
    /// When a file last could not be read.
    failed_at_ms: AtomicI64,
}

#[derive(Clone)]
struct BySize;

impl Weighter<String, Arc<[u8]>> for BySize {
    fn weight(&self, _: &String, file: &Arc<[u8]>) -> u64 {
        file.len() as u64
    }
}

impl Default for Shelf {
    fn default() -> Self {
        Self {
            list: RwLock::default(),
            files: Cache::with_weighter(KEPT_FILES, KEPT_BYTES, BySize),
            looked_at_ms: AtomicI64::new(i64::MIN / 2),
            failed_at_ms: AtomicI64::new(i64::MIN / 2),
        }
    }
}

impl Shelf {
    pub(crate) fn known(&self) -> Option<Arc<[Build]>> {
        self.list.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn remember(&self, builds: Vec<Build>) -> Arc<[Build]> {
        let builds: Arc<[Build]> = builds.into();
        *self.list.write().unwrap_or_else(PoisonError::into_inner) = Some(builds.clone());
        builds
    }

    /// Whether the list may be read because of a version that is not in it: strangers name many.
    pub(crate) fn may_look(&self, now_ms: i64) -> bool {
        let before = self.looked_at_ms.load(Relaxed);
        let is_time = now_ms - before >= LOOK_EVERY_MS;
        let swapped = || {
            self.looked_at_ms
                .compare_exchange(before, now_ms, Relaxed, Relaxed)
        };
        is_time && swapped().is_ok()
    }

    pub(crate) fn note_failure(&self, now_ms: i64) {
        self.failed_at_ms.store(now_ms, Relaxed);
    }

    /// Whether files could not be read just now: those who waited behind a failure do not each wait for their own.
    pub(crate) fn failed_lately(&self, now_ms: i64) -> bool {
        now_ms - self.failed_at_ms.load(Relaxed) < FAILED_FOR_MS
    }

    /// A file by its digest. Of all who ask for one that is not here, one reads it.
    pub(crate) async fn file<E>(
        &self,
        sha256: &str,
        read: impl Future<Output = Result<Arc<[u8]>, E>>,
    ) -> Result<Arc<[u8]>, E> {
        self.files.get_or_insert_async(sha256, read).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strangers_have_the_list_read_once_a_second_at_most() {
        let shelf = Shelf::default();
        let looks = [0, 1, LOOK_EVERY_MS - 1, LOOK_EVERY_MS].map(|now_ms| shelf.may_look(now_ms));
        assert_eq!(looks, [true, false, false, true]);
    }

    #[test]
    fn whoever_waited_behind_a_failure_is_told_at_once_for_a_while() {
        let shelf = Shelf::default();
        assert!(!shelf.failed_lately(0));
        shelf.note_failure(5);
        let told = [5, FAILED_FOR_MS + 4, FAILED_FOR_MS + 5].map(|now_ms| shelf.failed_lately(now_ms));
        assert_eq!(told, [true, true, false]);
    }
}
