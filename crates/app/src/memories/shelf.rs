//! Builds of the plugin: the list, and the files that were asked for lately.

use std::sync::{Arc, PoisonError, RwLock};

use domain::plugin_build::Build;
use quick_cache::Weighter;
use quick_cache::sync::Cache;

/// Files that are kept in memory, together. Readers share one copy, however slowly they read.
const KEPT_BYTES: u64 = 64 * 1024 * 1024;
/// About as many as there are room for.
const KEPT_FILES: usize = 16;

/// The list and the files that were asked for lately.
pub(crate) struct Shelf {
    /// None before it was read.
    list: RwLock<Option<Arc<[Build]>>>,
    files: Cache<String, Arc<[u8]>, BySize>,
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

    /// A file by its digest. Of all who ask for one that is not here, one reads it.
    pub(crate) async fn file<E>(
        &self,
        sha256: &str,
        read: impl Future<Output = Result<Arc<[u8]>, E>>,
    ) -> Result<Arc<[u8]>, E> {
        self.files.get_or_insert_async(sha256, read).await
    }
}
