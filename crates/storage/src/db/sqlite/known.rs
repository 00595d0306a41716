//! Keys that were read in the present transaction of one reader.

use std::collections::HashMap;

use domain::key::KeyHash;

use crate::keys::ResolvedKey;

/// More than a busy machine serves between two commits; beyond it keys are read again.
const MOST: usize = 4096;

/// Emptied whenever the transaction ends. Within one, the database cannot change, so these cannot be out of date.
#[derive(Default)]
pub struct KnownKeys(HashMap<KeyHash, ResolvedKey>);

impl KnownKeys {
    pub fn get(&self, hash: &KeyHash) -> Option<&ResolvedKey> {
        self.0.get(hash)
    }

    /// Remembers a key that was read just now, and gives it back.
    pub fn keep(&mut self, hash: &KeyHash, key: ResolvedKey) -> ResolvedKey {
        if self.0.len() < MOST {
            self.0.insert(hash.clone(), key.clone());
        }
        key
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}
