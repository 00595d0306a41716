//! Whose page somebody of a team looked at in the last hour, so that it is written down once.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use domain::id::AccountId;

const HOUR_MS: i64 = 60 * 60_000;
/// Beyond it, what is over is forgotten, and then everything.
const MOST: usize = 50_000;

/// Times are those of the steady clock.
#[derive(Default)]
pub struct Views {
    noted: Mutex<HashMap<(AccountId, i64), i64>>,
}

impl Views {
    pub(crate) fn is_noted(&self, viewer: &AccountId, person_num: i64, steady_ms: i64) -> bool {
        let noted = self.noted.lock().unwrap_or_else(PoisonError::into_inner);
        let at_ms = noted.get(&(viewer.clone(), person_num));
        at_ms.is_some_and(|at_ms| steady_ms - at_ms < HOUR_MS)
    }

    pub(crate) fn note(&self, viewer: AccountId, person_num: i64, steady_ms: i64) {
        let mut noted = self.noted.lock().unwrap_or_else(PoisonError::into_inner);
        if noted.len() >= MOST {
            noted.retain(|_, at_ms| steady_ms - *at_ms < HOUR_MS);
        }
        if noted.len() >= MOST {
            noted.clear();
        }
        noted.insert((viewer, person_num), steady_ms);
    }
}

#[cfg(test)]
mod tests {
    use domain::random::SeededRandom;

    use super::*;

    #[test]
    fn a_look_is_remembered_for_an_hour_by_viewer_and_person() {
        let (views, random) = (Views::default(), SeededRandom::new(1));
        let [one, other] = [1, 2].map(|at| AccountId::generate(at, &random));
        views.note(one.clone(), 7, 0);
        assert!(views.is_noted(&one, 7, HOUR_MS - 1));
        assert!(!views.is_noted(&one, 7, HOUR_MS));
        assert!(!views.is_noted(&one, 8, 0));
        assert!(!views.is_noted(&other, 7, 0));
    }

    #[test]
    fn many_looks_stay_within_their_memory() {
        let (views, viewer) = (Views::default(), AccountId::generate(1, &SeededRandom::new(1)));
        for person in 0..2 * MOST as i64 {
            views.note(viewer.clone(), person, 0);
        }
        assert!(views.noted.lock().unwrap().len() <= MOST);
    }
}
