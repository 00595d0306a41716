//! How far a community can rely on a linked player, as a number from 0 to 100.

mod groups;
mod rules;

pub use groups::{GroupClass, Keyword, class_of};
pub use rules::{GroupRules, GroupRulesError, MOST_KEYWORDS, PillTone, Report};

use crate::words::words;

const PERCENT: u64 = 100;
/// Accounts beyond which nothing changes any more; nobody counts further.
pub const MOST_ACCOUNTS: i64 = 50;
/// What each link that somebody ended costs.
const CHURN_COSTS: u64 = 18;
/// Days until somebody's age counts in full.
const FULL_AGE_DAYS: u64 = 365;
/// What each account beyond one of each platform costs.
const ACCOUNT_COSTS: u64 = 30;
/// What no report counts.
const UNREPORTED: u64 = GroupClass::Default.weight();

words! {
    /// What a score means.
    pub enum TrustTier {
        Trusted = "Trusted",
        Normal = "Normal",
        Watch = "Watch",
        Risk = "Risk",
    }
}

/// The least score of each tier; below the last it is [`TrustTier::Risk`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Thresholds {
    pub trusted: u8,
    pub normal: u8,
    pub watch: u8,
}

impl Default for Thresholds {
    fn default() -> Self {
        Self {
            trusted: 90,
            normal: 70,
            watch: 40,
        }
    }
}

impl Thresholds {
    /// Each tier has scores of its own.
    pub const fn are_in_order(&self) -> bool {
        self.trusted <= 100 && self.trusted > self.normal && self.normal > self.watch && self.watch > 0
    }

    /// The least and the greatest score of a tier.
    pub const fn range(&self, tier: TrustTier) -> (u8, u8) {
        match tier {
            TrustTier::Trusted => (self.trusted, 100),
            TrustTier::Normal => (self.normal, self.trusted - 1),
            TrustTier::Watch => (self.watch, self.normal - 1),
            TrustTier::Risk => (0, self.watch - 1),
        }
    }

    pub fn tier(&self, score: u8) -> TrustTier {
        match score {
            score if score >= self.trusted => TrustTier::Trusted,
            score if score >= self.normal => TrustTier::Normal,
            score if score >= self.watch => TrustTier::Watch,
            _ => TrustTier::Risk,
        }
    }
}

/// What an Org knows of a linked identity.
#[derive(Debug, Clone, Default)]
pub struct Signals {
    /// Links of theirs that they, a plugin or a relink ended.
    pub churn: u32,
    /// The class of the best group on every Server that reported them.
    pub best_groups: Vec<GroupClass>,
    /// Whole days since their first link.
    pub days: u32,
    /// Accounts of both platforms that hang together by links, theirs included.
    pub accounts: u32,
}

/// A score and what it is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Score {
    pub total: u8,
    /// 35 of a hundred: how seldom they unlink.
    pub stability: u8,
    /// 25 of a hundred: what the game servers make of them.
    pub cross_server: u8,
    /// 20 of a hundred: how long they have been linked.
    pub age: u8,
    /// 20 of a hundred: how few accounts they have.
    pub multi: u8,
}

impl Signals {
    /// The parts are rounded to be shown; the total is made of the exact ones.
    pub fn score(&self) -> Score {
        let (weights, servers) = match self.best_groups.len() as u64 {
            0 => (UNREPORTED, 1),
            servers => (self.best_groups.iter().map(|class| class.weight()).sum(), servers),
        };
        let days = u64::from(self.days).min(FULL_AGE_DAYS);
        let stability = PERCENT.saturating_sub(CHURN_COSTS * u64::from(self.churn));
        let extra = u64::from(self.accounts.saturating_sub(2));
        let multi = PERCENT.saturating_sub(ACCOUNT_COSTS * extra);
        // Everything over the same denominator, so that nothing is lost before the one rounding.
        let whole = servers * FULL_AGE_DAYS;
        let sum = (35 * stability + 20 * multi) * whole
            + 25 * weights * FULL_AGE_DAYS
            + 20 * PERCENT * days * servers;
        Score {
            total: rounded(sum, PERCENT * whole),
            stability: rounded(stability, 1),
            cross_server: rounded(weights, servers),
            age: rounded(PERCENT * days, FULL_AGE_DAYS),
            multi: rounded(multi, 1),
        }
    }
}

/// To the nearest, a half up.
fn rounded(number: u64, by: u64) -> u8 {
    u8::try_from((2 * number + by) / (2 * by)).unwrap_or(u8::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn signals(churn: u32, best_groups: &[GroupClass], days: u32, accounts: u32) -> Signals {
        Signals {
            churn,
            best_groups: best_groups.to_vec(),
            days,
            accounts,
        }
    }

    fn any_signals() -> impl Strategy<Value = Signals> {
        let classes = prop::collection::vec(prop::sample::select(GroupClass::ALL), 0..6);
        (0..12_u32, classes, 0..2_000_u32, 0..8_u32)
            .prop_map(|(churn, classes, days, accounts)| signals(churn, &classes, days, accounts))
    }

    #[test]
    fn a_score_is_made_of_four_parts() {
        let new = signals(0, &[], 0, 2).score();
        assert_eq!(
            (new.stability, new.cross_server, new.age, new.multi),
            (100, 5, 0, 100)
        );
        assert_eq!(new.total, 56, "35 + 1.25 + 0 + 20");
        let best = signals(0, &[GroupClass::Owner], 365, 2).score();
        assert_eq!(best.total, 100);
        let worst = signals(6, &[GroupClass::Default], 0, 6).score();
        assert_eq!((worst.stability, worst.multi, worst.total), (0, 0, 1));
        let mixed = signals(
            1,
            &[GroupClass::Vip, GroupClass::Default, GroupClass::Default],
            73,
            3,
        )
        .score();
        assert_eq!(
            (mixed.stability, mixed.cross_server, mixed.age, mixed.multi),
            (82, 17, 20, 70)
        );
        assert_eq!(mixed.total, 51, "28.7 + 4.1666 + 4 + 14");
    }

    #[test]
    fn a_half_is_rounded_up_exactly() {
        let half = signals(0, &[GroupClass::Donator], 0, 3).score();
        assert_eq!(half.total, 57, "35 + 7.5 + 0 + 14 = 56.5");
    }

    #[test]
    fn tiers_begin_at_their_thresholds() {
        let tiers = Thresholds::default();
        for (score, tier) in [
            (100, TrustTier::Trusted),
            (90, TrustTier::Trusted),
            (89, TrustTier::Normal),
            (70, TrustTier::Normal),
            (69, TrustTier::Watch),
            (40, TrustTier::Watch),
            (39, TrustTier::Risk),
            (0, TrustTier::Risk),
        ] {
            assert_eq!(tiers.tier(score), tier, "{score}");
        }
    }

    #[test]
    fn every_score_is_in_the_range_of_its_tier_and_of_no_other() {
        let tiers = Thresholds::default();
        assert!(tiers.are_in_order());
        for score in 0..=100 {
            let within: Vec<TrustTier> = TrustTier::ALL
                .iter()
                .copied()
                .filter(|tier| (tiers.range(*tier).0..=tiers.range(*tier).1).contains(&score))
                .collect();
            assert_eq!(within, [tiers.tier(score)], "{score}");
        }
        let equal = Thresholds { normal: 90, ..tiers };
        assert!(!equal.are_in_order());
    }

    proptest! {
        #[test]
        fn the_total_is_the_weighted_sum_of_its_parts(signals in any_signals()) {
            let score = signals.score();
            let mean = match signals.best_groups.len() {
                0 => 5.0,
                count => signals.best_groups.iter().map(|class| class.weight() as f64).sum::<f64>() / count as f64,
            };
            let age = (f64::from(signals.days) / 3.65).min(100.0);
            let exact = 0.35 * f64::from(score.stability) + 0.25 * mean + 0.2 * age + 0.2 * f64::from(score.multi);
            prop_assert!((f64::from(score.total) - exact).abs() <= 0.5 + 1e-9, "{} of {exact}", score.total);
            prop_assert!(score.total <= 100 && score.cross_server <= 100 && score.age <= 100);
        }

        #[test]
        fn nobody_gains_by_churn_or_accounts_and_nobody_loses_by_time_or_standing(signals in any_signals()) {
            let total = signals.score().total;
            let with = |change: fn(&mut Signals)| {
                let mut other = signals.clone();
                change(&mut other);
                other.score().total
            };
            prop_assert!(with(|other| other.churn += 1) <= total);
            prop_assert!(with(|other| other.accounts += 1) <= total);
            prop_assert!(with(|other| other.days += 1) >= total);
            prop_assert!(with(|other| other.best_groups.iter_mut().for_each(|class| *class = GroupClass::Owner)) >= total);
        }
    }
}
