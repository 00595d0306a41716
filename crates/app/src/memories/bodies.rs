//! Bodies of callers with a key: how many are read at a time, and how much is kept of all of them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::room::{Kept, Room, STEP_BYTES};

/// Bodies of one key that arrive at the same time.
const AT_ONCE: u32 = 8;
/// What is kept of all bodies, each until its call has ended: 64 MiB, shared by the Orgs.
const STEPS: u32 = 64 * 1024 * 1024 / STEP_BYTES as u32;

pub(crate) struct Bodies {
    arriving: Arc<Mutex<HashMap<i64, u32>>>,
    /// By Org, so that its many keys leave room for others.
    room: Room<i64>,
}

impl Default for Bodies {
    fn default() -> Self {
        Self {
            arriving: Arc::default(),
            room: Room::new(STEPS),
        }
    }
}

/// The place of one body; what it took is free again when this is dropped.
pub(crate) struct BodyPlace {
    arriving: Arc<Mutex<HashMap<i64, u32>>>,
    key: i64,
    is_arriving: bool,
    kept: Kept<i64>,
}

impl Bodies {
    /// Nothing when as many bodies of the key arrive as it may have.
    pub(crate) fn begin(&self, key: i64, org: i64) -> Option<BodyPlace> {
        let mut all = lock(&self.arriving);
        let arriving = all.entry(key).or_default();
        if *arriving >= AT_ONCE {
            return None;
        }
        *arriving += 1;
        Some(BodyPlace {
            arriving: Arc::clone(&self.arriving),
            key,
            is_arriving: true,
            kept: self.room.begin(org),
        })
    }
}

impl BodyPlace {
    /// Whether there is room for this much more of the body.
    pub(crate) fn keep(&mut self, bytes: usize) -> bool {
        self.kept.keep(bytes)
    }

    /// The body is whole: the key may send the next one, while this one is kept.
    pub(crate) fn arrived(&mut self) {
        if std::mem::take(&mut self.is_arriving) {
            let mut all = lock(&self.arriving);
            if let Some(arriving) = all.get_mut(&self.key) {
                *arriving -= 1;
                if *arriving == 0 {
                    all.remove(&self.key);
                }
            }
        }
    }
}

impl Drop for BodyPlace {
    fn drop(&mut self) {
        self.arrived();
    }
}

fn lock(arriving: &Mutex<HashMap<i64, u32>>) -> MutexGuard<'_, HashMap<i64, u32>> {
    arriving.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_has_eight_bodies_arriving_and_any_number_kept() {
        let bodies = Bodies::default();
        let mut places: Vec<_> = (0..8).map_while(|_| bodies.begin(1, 1)).collect();
        assert_eq!(places.len(), 8);
        assert!(bodies.begin(1, 1).is_none());
        assert!(bodies.begin(2, 1).is_some());
        places[0].arrived();
        places.extend(bodies.begin(1, 1));
        assert_eq!(places.len(), 9);
        assert!(bodies.begin(1, 1).is_none());
    }

    #[test]
    fn nothing_is_remembered_of_bodies_that_are_over() {
        let bodies = Bodies::default();
        for org in 0..100 {
            let mut place = bodies.begin(org, org).expect("a place");
            assert!(place.keep(1024 * 1024));
            place.arrived();
            place.arrived();
        }
        assert!(lock(&bodies.arriving).is_empty());
        assert_eq!(bodies.room.taken(), (0, 0));
    }
}
