//! Bodies of callers with a key: how many are read at a time, and how much is kept of all of them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use domain::share;

/// Bodies of one key that arrive at the same time.
const AT_ONCE: u32 = 8;
/// Room is taken in steps of so many bytes: a body that comes byte by byte does not ask for each of them.
const STEP_BYTES: usize = 16 * 1024;
/// Steps that are kept of all bodies, each until its call has ended: 64 MiB. One Org may have a tenth of what the others
/// have left of that, so that its many keys leave room for them.
const STEPS: u32 = 64 * 1024 * 1024 / STEP_BYTES as u32;

/// One lock for all: it is held for a few additions.
#[derive(Default)]
pub(crate) struct Bodies {
    shared: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    arriving: HashMap<i64, u32>,
    steps_of_org: HashMap<i64, u32>,
    steps: u32,
}

/// The place of one body; what it took is free again when this is dropped.
pub(crate) struct BodyPlace {
    shared: Arc<Mutex<State>>,
    key: i64,
    org: i64,
    is_arriving: bool,
    bytes: usize,
    steps: u32,
}

impl Bodies {
    /// Nothing when as many bodies of the key arrive as it may have.
    pub(crate) fn begin(&self, key: i64, org: i64) -> Option<BodyPlace> {
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
            bytes: 0,
            steps: 0,
        })
    }
}

impl BodyPlace {
    /// Whether there is room for this much more of the body.
    pub(crate) fn keep(&mut self, bytes: usize) -> bool {
        let bytes = self.bytes.saturating_add(bytes);
        let needed = u32::try_from(bytes.div_ceil(STEP_BYTES)).unwrap_or(u32::MAX);
        let more = needed.saturating_sub(self.steps);
        if more > 0 {
            let mut state = lock(&self.shared);
            let own = state.steps_of_org.get(&self.org).copied().unwrap_or(0);
            if own.saturating_add(more) > share::most(STEPS, state.steps, own) {
                return false;
            }
            state.steps += more;
            *state.steps_of_org.entry(self.org).or_default() += more;
            self.steps = needed;
        }
        self.bytes = bytes;
        true
    }

    /// The body is whole: the key may send the next one, while this one is kept.
    pub(crate) fn arrived(&mut self) {
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
        state.steps -= self.steps;
        if let Some(of_org) = state.steps_of_org.get_mut(&self.org) {
            *of_org -= self.steps;
            if *of_org == 0 {
                state.steps_of_org.remove(&self.org);
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
    fn an_org_keeps_a_tenth_of_what_the_others_left() {
        let bodies = Bodies::default();
        let mut places: Vec<_> = (1..=2).filter_map(|org| bodies.begin(org, org)).collect();
        assert!(places[0].keep(6 * MIB));
        assert!(!places[0].keep(MIB), "a tenth of 64");
        assert!(places[1].keep(5 * MIB), "a tenth of the rest");
        assert!(!places[1].keep(MIB));
        places.remove(0);
        assert!(places[0].keep(MIB));
    }

    #[test]
    fn however_many_orgs_fill_it_the_next_one_has_room_and_the_whole_is_not_exceeded() {
        let bodies = Bodies::default();
        let mut places = Vec::new();
        for org in 0..40 {
            let mut place = bodies.begin(org, org).expect("a place");
            assert!(place.keep(STEP_BYTES), "Org {org}");
            while place.keep(STEP_BYTES) {}
            places.push(place);
        }
        assert!(lock(&bodies.shared).steps <= STEPS);
    }

    #[test]
    fn a_body_that_comes_byte_by_byte_takes_room_in_steps() {
        let bodies = Bodies::default();
        let mut place = bodies.begin(1, 1).expect("a place");
        for _ in 0..STEP_BYTES {
            assert!(place.keep(1));
        }
        assert_eq!(lock(&bodies.shared).steps, 1);
        assert!(place.keep(1));
        assert_eq!(lock(&bodies.shared).steps, 2);
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
            (state.arriving.len(), state.steps_of_org.len(), state.steps),
            (0, 0, 0)
        );
    }
}
