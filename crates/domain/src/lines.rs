//! Which lines of a storm are written to the log: the first of a kind at once, then one in ten seconds.

use std::collections::HashMap;
use std::hash::Hash;

const EVERY_MS: i64 = 10_000;

/// Kinds are few and known beforehand: codes, templates of routes, names of steps. What a caller sends is never one.
#[derive(Debug)]
pub struct Lines<K> {
    said: HashMap<K, Line>,
}

#[derive(Debug)]
struct Line {
    said_ms: i64,
    left_out: u64,
}

impl<K> Default for Lines<K> {
    fn default() -> Self {
        Self { said: HashMap::new() }
    }
}

impl<K: Eq + Hash> Lines<K> {
    /// How many lines of this kind were left out since the last one, when it is time for the next; nothing before.
    /// `now_ms` is of a clock that never steps.
    pub fn turn(&mut self, kind: K, now_ms: i64) -> Option<u64> {
        let fresh = || Line {
            said_ms: now_ms - EVERY_MS,
            left_out: 0,
        };
        let line = self.said.entry(kind).or_insert_with(fresh);
        if now_ms - line.said_ms < EVERY_MS {
            line.left_out += 1;
            return None;
        }
        line.said_ms = now_ms;
        Some(std::mem::take(&mut line.left_out))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_is_told_at_once_and_then_every_ten_seconds_with_the_number_of_the_others() {
        let mut lines = Lines::default();
        assert_eq!(lines.turn("full", 5), Some(0));
        for now_ms in 6..1_006 {
            assert_eq!(lines.turn("full", now_ms), None);
        }
        assert_eq!(lines.turn("other", 7), Some(0), "each kind for itself");
        assert_eq!(lines.turn("full", 10_005), Some(1_000));
        assert_eq!(lines.turn("full", 10_006), None);
        assert_eq!(lines.turn("full", 90_000), Some(1));
    }
}
