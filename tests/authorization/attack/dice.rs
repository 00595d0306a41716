//! Chance that can be repeated: everything follows from one number.

pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % limit as u64) as usize
    }

    /// True in so many of a hundred cases.
    pub fn percent(&mut self, chance: usize) -> bool {
        self.below(100) < chance
    }

    pub fn one<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }

    /// One of what was learned, more often something new.
    pub fn learned<'a, T>(&mut self, of: &'a [T]) -> Option<&'a T> {
        let newest = of.len().min(6);
        match (newest, self.percent(60)) {
            (0, _) => None,
            (_, true) => Some(&of[of.len() - newest + self.below(newest)]),
            (_, false) => Some(self.one(of)),
        }
    }
}
