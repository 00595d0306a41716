//! Ids as Stripe makes them: a prefix that tells the kind, then letters and digits.

use domain::random::{self, SharedRandom};

const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const COUNTED: usize = 7;
const RANDOM: usize = 16;

/// Makes ids. Of two ids of one kind the younger is the greater, so that lists have an order within a second.
pub struct Ids {
    random: SharedRandom,
    made: u64,
}

impl Ids {
    pub fn new(random: SharedRandom) -> Self {
        Self { random, made: 0 }
    }

    /// `prefix` without the underscore.
    pub fn make(&mut self, prefix: &str) -> String {
        self.made += 1;
        let mut id = format!("{prefix}_1");
        let mut counted = [b'0'; COUNTED];
        let mut rest = self.made;
        for place in counted.iter_mut().rev() {
            *place = DIGITS[usize::try_from(rest % 62).unwrap_or_default()];
            rest /= 62;
        }
        id.extend(counted.iter().map(|digit| char::from(*digit)));
        id.push_str(&self.text::<RANDOM>());
        id
    }

    /// Random letters and digits, for secrets.
    pub fn text<const N: usize>(&self) -> String {
        let bytes: [u8; N] = random::bytes(&*self.random);
        let digits = bytes.iter().map(|byte| DIGITS[usize::from(*byte) % 62]);
        digits.map(char::from).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use domain::random::SeededRandom;

    use super::*;

    #[test]
    fn younger_ids_are_greater_and_the_seed_decides_them() {
        let make = |seed| {
            let mut ids = Ids::new(Arc::new(SeededRandom::new(seed)));
            (0..200).map(|_| ids.make("cus")).collect::<Vec<_>>()
        };
        assert!(make(1).is_sorted());
        assert_eq!(make(1), make(1));
        assert_ne!(make(1), make(2));
        assert!(make(1)[0].starts_with("cus_1") && make(1)[0].len() == 28);
    }
}
