//! Memory that several parties share while they send something.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use domain::share;

/// Room is taken in steps of so many bytes: what comes byte by byte does not ask for each of them.
pub(super) const STEP_BYTES: usize = 16 * 1024;

/// Room for what is kept of all bodies. One party may have a tenth of what the others have left of it, so that nobody
/// fills it alone. One lock for all: it is held for a few additions.
pub struct Room<K> {
    steps: u32,
    taken: Arc<Mutex<Taken<K>>>,
}

struct Taken<K> {
    by_all: u32,
    by_each: HashMap<K, u32>,
}

/// What one body took; it is free again when this is dropped.
pub struct Kept<K: Copy + Eq + Hash> {
    most: u32,
    taken: Arc<Mutex<Taken<K>>>,
    whose: K,
    bytes: usize,
    steps: u32,
}

impl<K: Copy + Eq + Hash> Room<K> {
    /// Room for so many steps.
    pub(super) fn new(steps: u32) -> Self {
        let taken = Taken {
            by_all: 0,
            by_each: HashMap::new(),
        };
        Self {
            steps,
            taken: Arc::new(Mutex::new(taken)),
        }
    }

    /// For one body, of which nothing has come yet.
    pub fn begin(&self, whose: K) -> Kept<K> {
        Kept {
            most: self.steps,
            taken: Arc::clone(&self.taken),
            whose,
            bytes: 0,
            steps: 0,
        }
    }

    /// Steps that are taken, and by how many parties.
    #[cfg(test)]
    pub(super) fn taken(&self) -> (u32, usize) {
        let taken = lock(&self.taken);
        (taken.by_all, taken.by_each.len())
    }
}

impl<K: Copy + Eq + Hash> Kept<K> {
    /// Whether there is room for this much more of the body.
    pub fn keep(&mut self, bytes: usize) -> bool {
        let bytes = self.bytes.saturating_add(bytes);
        let needed = u32::try_from(bytes.div_ceil(STEP_BYTES)).unwrap_or(u32::MAX);
        let more = needed.saturating_sub(self.steps);
        if more > 0 {
            let mut taken = lock(&self.taken);
            let own = taken.by_each.get(&self.whose).copied().unwrap_or(0);
            if own.saturating_add(more) > share::most(self.most, taken.by_all, own) {
                return false;
            }
            taken.by_all += more;
            *taken.by_each.entry(self.whose).or_default() += more;
            self.steps = needed;
        }
        self.bytes = bytes;
        true
    }
}

impl<K: Copy + Eq + Hash> Drop for Kept<K> {
    fn drop(&mut self) {
        let mut taken = lock(&self.taken);
        taken.by_all -= self.steps;
        if let Some(own) = taken.by_each.get_mut(&self.whose) {
            *own -= self.steps;
            if *own == 0 {
                taken.by_each.remove(&self.whose);
            }
        }
    }
}

fn lock<K>(taken: &Mutex<Taken<K>>) -> MutexGuard<'_, Taken<K>> {
    taken.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: usize = 1024 * 1024;

    fn room(mib: usize) -> Room<i64> {
        Room::new((mib * MIB / STEP_BYTES) as u32)
    }

    #[test]
    fn one_party_keeps_a_tenth_of_what_the_others_left() {
        let room = room(64);
        let (mut one, mut other) = (room.begin(1), room.begin(2));
        assert!(one.keep(6 * MIB));
        assert!(!one.keep(MIB) && !room.begin(1).keep(MIB), "a tenth of 64");
        assert!(other.keep(5 * MIB), "a tenth of the rest");
        assert!(!other.keep(MIB));
        drop(one);
        assert!(other.keep(MIB));
    }

    #[test]
    fn however_many_fill_it_the_next_one_has_room_and_the_whole_is_not_exceeded() {
        let room = room(64);
        let mut all = Vec::new();
        for whose in 0..40 {
            let mut kept = room.begin(whose);
            assert!(kept.keep(STEP_BYTES), "{whose}");
            while kept.keep(STEP_BYTES) {}
            all.push(kept);
        }
        assert!(room.taken().0 <= room.steps);
    }

    #[test]
    fn what_comes_byte_by_byte_takes_room_in_steps() {
        let room = room(64);
        let mut kept = room.begin(1);
        for _ in 0..STEP_BYTES {
            assert!(kept.keep(1));
        }
        assert_eq!(room.taken(), (1, 1));
        assert!(kept.keep(1));
        assert_eq!(room.taken(), (2, 1));
    }

    #[test]
    fn nothing_is_remembered_of_what_is_over() {
        let room = room(64);
        for whose in 0..100 {
            assert!(room.begin(whose).keep(MIB));
        }
        assert_eq!(room.taken(), (0, 0));
    }
}
