//! Bodies of callers with a key: how many are read at a time, and how much is kept of all of them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Bodies of one key that arrive at the same time.
const AT_ONCE: u32 = 8;
/// What is kept of all bodies, each until its call has ended.
const KEPT_BYTES: usize = 64 * 1024 * 1024;
/// What one Org may have of that, so that its many keys leave room for the others.
const KEPT_BYTES_OF_ORG: usize = KEPT_BYTES / 4;

#[derive(Default)]
pub struct Bodies {
    shared: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    arriving: HashMap<i64, u32>,
    kept_of_org: HashMap<i64, usize>,
    kept: usize,
}

/// The place of one body; what it took is free again when this is dropped.
pub struct BodyPlace {
    shared: Arc<Mutex<State>>,
    key: i64,
    org: i64,
    is_arriving: bool,
    kept: usize,
}

impl Bodies {
    /// Nothing when as many bodies of the key arrive as it may have.
    pub fn begin(&self, key: i64, org: i64) -> Option<BodyPlace> {
        let mut state = lock(&self.shared);
        let arriving = state.arriving.entry(key).or_default();
        if *arriving >= AT_ONCE {
            return None;
        }
        *arriving += 1;
        Some(BodyPlace {
            shared: Arc::clone(&self.shared),
            key,
            org,
            is_arriving: true,
            kept: 0,
        })
    }
}

impl BodyPlace {
    /// Whether there is room for this much more of the body.
    pub fn keep(&mut self, bytes: usize) -> bool {
        let mut state = lock(&self.shared);
        let kept = state.kept + bytes;
        let of_org = state.kept_of_org.get(&self.org).map_or(0, |kept| *kept) + bytes;
        if kept > KEPT_BYTES || of_org > KEPT_BYTES_OF_ORG {
            return false;
        }
        state.kept = kept;
        state.kept_of_org.insert(self.org, of_org);
        self.kept += bytes;
        true
    }

    /// The body is whole: the key may send the next one, while this one is kept.
    pub fn arrived(&mut self) {
        if std::mem::take(&mut self.is_arriving) {
            let mut state = lock(&self.shared);
            if let Some(arriving) = state.arriving.get_mut(&self.key) {
                *arriving -= 1;
                if *arriving == 0 {
                    state.arriving.remove(&self.key);
                }
            }
        }
    }
}

impl Drop for BodyPlace {
    fn drop(&mut self) {
        self.arrived();
        let mut state = lock(&self.shared);
        state.kept -= self.kept;
        if let Some(of_org) = state.kept_of_org.get_mut(&self.org) {
            *of_org -= self.kept;
            if *of_org == 0 {
                state.kept_of_org.remove(&self.org);
            }
        }
    }
}

fn lock(shared: &Mutex<State>) -> MutexGuard<'_, State> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: usize = 1024 * 1024;

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
    fn an_org_keeps_a_quarter_and_all_together_keep_the_whole() {
        let bodies = Bodies::default();
        let mut places: Vec<_> = (1..=5).filter_map(|org| bodies.begin(org, org)).collect();
        for place in &mut places[..4] {
            assert!(place.keep(16 * MIB));
            assert!(!place.keep(1));
        }
        assert!(!places[4].keep(1), "the whole is used");
        places.remove(0);
        assert!(places[3].keep(16 * MIB));
    }

    #[test]
    fn nothing_is_remembered_of_bodies_that_are_over() {
        let bodies = Bodies::default();
        for org in 0..100 {
            let mut place = bodies.begin(org, org).expect("a place");
            assert!(place.keep(MIB));
            place.arrived();
            place.arrived();
        }
        let state = lock(&bodies.shared);
        assert_eq!(
            (state.arriving.len(), state.kept_of_org.len(), state.kept),
            (0, 0, 0)
        );
    }
}
