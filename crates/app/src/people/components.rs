//! Which accounts of an Org hang together, found in one pass over all its pairs.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use domain::trust::MOST_ACCOUNTS;

/// Sets of accounts that hang together. Ids are kept as eight bytes, so that a large Org takes little room; two that look
/// alike by chance make nobody's score wrong, since whoever is found here is looked at once more.
#[derive(Default)]
pub(crate) struct Components {
    places: HashMap<u64, u32>,
    parents: Vec<u32>,
    sizes: Vec<u32>,
}

impl Components {
    /// Two accounts that are or were linked.
    pub(crate) fn join(&mut self, one: &str, other: &str) {
        let (one, other) = (self.place(one), self.place(other));
        let (one, other) = (self.root(one), self.root(other));
        if one == other {
            return;
        }
        let (large, small) = if self.sizes[one] < self.sizes[other] {
            (other, one)
        } else {
            (one, other)
        };
        self.parents[small] = u32::try_from(large).unwrap_or(u32::MAX);
        self.sizes[large] += self.sizes[small];
    }

    /// An account that came back after it was erased is one with what remained of it. Told before any pair.
    pub(crate) fn alias(&mut self, id: &str, tombstone: &str) {
        let place = self.place(tombstone);
        self.places
            .insert(short(id), u32::try_from(place).unwrap_or(u32::MAX));
    }

    /// How many accounts hang together with one, up to the bound.
    pub(crate) fn accounts(&mut self, id: &str) -> i64 {
        let Some(place) = self.places.get(&short(id)).copied() else {
            return 0;
        };
        let root = self.root(place as usize);
        i64::from(self.sizes[root]).min(MOST_ACCOUNTS)
    }

    fn place(&mut self, id: &str) -> usize {
        let next = u32::try_from(self.parents.len()).unwrap_or(u32::MAX);
        let place = *self.places.entry(short(id)).or_insert(next);
        if place == next {
            self.parents.push(next);
            self.sizes.push(1);
        }
        place as usize
    }

    fn root(&mut self, mut place: usize) -> usize {
        while self.parents[place] as usize != place {
            let above = self.parents[place] as usize;
            self.parents[place] = self.parents[above];
            place = above;
        }
        place
    }
}

fn short(id: &str) -> u64 {
    id.parse().unwrap_or_else(|_| {
        let mut hasher = DefaultHasher::new();
        id.hash(&mut hasher);
        hasher.finish()
    })
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    #[test]
    fn accounts_hang_together_by_whatever_links_them() {
        let mut found = Components::default();
        for (discord, steam) in [("1", "a"), ("2", "a"), ("2", "b"), ("3", "c"), ("1", "a")] {
            found.join(discord, steam);
        }
        for id in ["1", "2", "a", "b"] {
            assert_eq!(found.accounts(id), 4, "{id}");
        }
        assert_eq!(
            (found.accounts("3"), found.accounts("c"), found.accounts("4")),
            (2, 2, 0)
        );
    }

    #[test]
    fn whoever_came_back_is_one_with_what_remained_of_them() {
        let mut found = Components::default();
        found.alias("1", "x:one");
        for (discord, steam) in [("x:one", "x:a"), ("2", "x:a"), ("1", "b")] {
            found.join(discord, steam);
        }
        assert_eq!(
            (found.accounts("1"), found.accounts("2"), found.accounts("b")),
            (4, 4, 4)
        );
    }

    #[test]
    fn nobody_counts_further_than_the_bound() {
        let mut found = Components::default();
        for number in 0..200_u32 {
            found.join(&number.to_string(), &format!("s{}", number / 2));
            found.join(&number.to_string(), &format!("s{}", number.div_ceil(2)));
        }
        assert_eq!(found.accounts("17"), MOST_ACCOUNTS);
    }

    #[test]
    fn it_finds_what_a_search_from_each_account_finds() {
        for seed in 0..50_u64 {
            let step: u64 = 6_364_136_223_846_793_005;
            let pairs: Vec<(String, String)> = (1..=40_u64)
                .map(|n| {
                    let dice = (seed + 1).wrapping_mul(step) ^ n.wrapping_mul(step.rotate_left(17));
                    (
                        format!("d{}", (dice >> 33) % 30),
                        format!("s{}", (dice >> 45) % 30),
                    )
                })
                .collect();
            let mut found = Components::default();
            let mut beside: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
            for (one, other) in &pairs {
                found.join(one, other);
                beside.entry(one).or_default().insert(other);
                beside.entry(other).or_default().insert(one);
            }
            for start in beside.keys() {
                let (mut seen, mut ahead) = (BTreeSet::from([*start]), vec![*start]);
                while let Some(id) = ahead.pop() {
                    ahead.extend(beside[id].iter().filter(|next| seen.insert(**next)));
                }
                assert_eq!(
                    found.accounts(start),
                    (seen.len() as i64).min(MOST_ACCOUNTS),
                    "{start} of {seed}"
                );
            }
        }
    }
}
