//! Accounts that nobody plays with any more: when a link is dormant, and what becomes of it.

use serde::{Deserialize, Serialize};

/// One day.
pub const DAY_MS: i64 = 24 * 60 * 60_000;
/// Days without a sign of somebody, of those on which a game server of the Guild was heard from.
pub const DAYS: std::ops::RangeInclusive<i64> = 7..=365;
/// Days between the flag and the end, counted alike.
pub const GRACE_DAYS: std::ops::RangeInclusive<i64> = 1..=90;

/// What an Org wants done about dormant links.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CleanupRules {
    /// Nothing happens to anybody unless somebody asked for it.
    pub enabled: bool,
    pub days: i64,
    pub grace_days: i64,
}

impl Default for CleanupRules {
    fn default() -> Self {
        Self {
            enabled: false,
            days: 90,
            grace_days: 7,
        }
    }
}

/// Since when somebody has to have been away in one Guild. Days on which no game server there was heard from do not count:
/// nobody could have been seen on them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dormancy {
    /// Whoever was last there before this is dormant; none where too few days are known.
    dormant_before_ms: Option<i64>,
    /// Whoever was flagged before this had time enough.
    graced_before_ms: Option<i64>,
    /// Flags from before it was turned on are none.
    on_since_ms: i64,
}

/// What becomes of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Leave,
    Flag,
    /// They came back, or the rules are others now.
    Clear,
    End,
}

/// A link with the newest sign of its person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Signs {
    /// A verification, a visit to any game server of the Org, or a word of the team.
    pub last_ms: i64,
    pub flagged_at_ms: Option<i64>,
}

/// The day of a time, counted from 1970.
pub const fn day_of(at_ms: i64) -> i64 {
    at_ms.div_euclid(DAY_MS)
}

impl Dormancy {
    /// By the days that are over and on which a game server was heard from, the newest first.
    pub fn of(heard: &[i64], rules: &CleanupRules, on_since_ms: i64) -> Self {
        // As many days lie after the sign as the rules say when the first of that many does.
        let first_of = |count: i64| {
            let place = usize::try_from(count - 1).ok()?;
            heard.get(place).map(|day| day * DAY_MS)
        };
        Self {
            dormant_before_ms: first_of(rules.days).filter(|_| rules.enabled),
            graced_before_ms: first_of(rules.grace_days),
            on_since_ms,
        }
    }

    /// Who was last there before this is dormant; none where nobody can be.
    pub const fn dormant_before_ms(self) -> Option<i64> {
        self.dormant_before_ms
    }

    pub fn judge(self, signs: Signs) -> Verdict {
        let is_before = |at_ms: i64, bound: Option<i64>| bound.is_some_and(|bound| at_ms < bound);
        let is_dormant = is_before(signs.last_ms, self.dormant_before_ms);
        match (is_dormant, signs.flagged_at_ms) {
            (false, None) => Verdict::Leave,
            (false, Some(_)) => Verdict::Clear,
            (true, None) => Verdict::Flag,
            (true, Some(at_ms)) if at_ms < self.on_since_ms => Verdict::Flag,
            (true, Some(at_ms)) if is_before(at_ms, self.graced_before_ms) => Verdict::End,
            (true, Some(_)) => Verdict::Leave,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const RULES: CleanupRules = CleanupRules {
        enabled: true,
        days: 30,
        grace_days: 3,
    };

    fn signs(last_day: i64, flagged_day: Option<i64>) -> Signs {
        Signs {
            last_ms: last_day * DAY_MS + 5,
            flagged_at_ms: flagged_day.map(|day| day * DAY_MS + 5),
        }
    }

    fn every_day(from: i64, to: i64) -> Vec<i64> {
        (from..=to).rev().collect()
    }

    #[test]
    fn somebody_is_flagged_after_the_days_and_unlinked_after_the_grace() {
        let dormancy = Dormancy::of(&every_day(0, 100), &RULES, 0);
        assert_eq!(dormancy.judge(signs(71, None)), Verdict::Leave);
        assert_eq!(dormancy.judge(signs(70, None)), Verdict::Flag);
        assert_eq!(dormancy.judge(signs(70, Some(98))), Verdict::Leave);
        assert_eq!(dormancy.judge(signs(70, Some(97))), Verdict::End);
        assert_eq!(dormancy.judge(signs(99, Some(97))), Verdict::Clear);
    }

    #[test]
    fn days_on_which_no_game_server_was_heard_from_do_not_count() {
        let mut heard = every_day(0, 100);
        heard.retain(|day| day % 2 == 0);
        let dormancy = Dormancy::of(&heard, &RULES, 0);
        assert_eq!(dormancy.judge(signs(70, None)), Verdict::Leave);
        assert_eq!(dormancy.judge(signs(41, None)), Verdict::Flag);
        // A plugin that is new, or was silent all along, flags nobody.
        let new = Dormancy::of(&every_day(72, 100), &RULES, 0);
        assert_eq!(new.dormant_before_ms(), None);
        assert_eq!(new.judge(signs(0, None)), Verdict::Leave);
    }

    #[test]
    fn a_flag_from_before_it_was_turned_on_is_none() {
        let dormancy = Dormancy::of(&every_day(0, 100), &RULES, 50 * DAY_MS);
        assert_eq!(dormancy.judge(signs(10, Some(40))), Verdict::Flag);
        assert_eq!(dormancy.judge(signs(10, Some(60))), Verdict::End);
        assert_eq!(dormancy.judge(signs(90, Some(40))), Verdict::Clear);
    }

    #[test]
    fn who_turns_it_off_clears_every_flag_and_ends_nothing() {
        let off = CleanupRules {
            enabled: false,
            ..RULES
        };
        let dormancy = Dormancy::of(&every_day(0, 100), &off, 0);
        assert_eq!(dormancy.judge(signs(0, None)), Verdict::Leave);
        assert_eq!(dormancy.judge(signs(0, Some(1))), Verdict::Clear);
    }

    proptest! {
        #[test]
        fn nobody_is_touched_before_as_many_heard_days_have_passed(
            days in 1_i64..40,
            grace_days in 1_i64..10,
            heard in proptest::collection::btree_set(0_i64..120, 0..120),
            last in 0_i64..120,
            flagged in proptest::option::of(0_i64..120),
        ) {
            let newest_first: Vec<i64> = heard.iter().rev().copied().collect();
            let rules = CleanupRules { enabled: true, days, grace_days };
            let verdict = Dormancy::of(&newest_first, &rules, 0).judge(signs(last, flagged));
            let since = |day: i64| heard.range(day + 1..).count() as i64;
            let is_dormant = since(last) >= days;
            let is_over = flagged.is_some_and(|day| since(day) >= grace_days);
            let expected = match (is_dormant, flagged) {
                (false, None) => Verdict::Leave,
                (false, Some(_)) => Verdict::Clear,
                (true, None) => Verdict::Flag,
                (true, Some(_)) => if is_over { Verdict::End } else { Verdict::Leave },
            };
            prop_assert_eq!(verdict, expected);
        }
    }
}
