//! How the calls that a service allows us in a day are shared out.

use std::collections::HashMap;

use crate::share;

const DAY_MS: i64 = 24 * 60 * 60_000;

/// What a call is for, and on behalf of which Org.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// A person waits for the answer.
    Verify { org_num: i64 },
    /// Somebody changes a setting of the Org. Comes out of the same part as polls.
    Settings { org_num: i64 },
    /// A game server's poll. Has half of the day's calls at most.
    Bulk { org_num: i64 },
}

/// Calls made on one day, by the Org they were made for.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Spending {
    pub verify: HashMap<i64, u32>,
    pub bulk: HashMap<i64, u32>,
}

impl Spending {
    fn add(&mut self, purpose: Purpose, calls: u32) {
        let (part, org_num) = match purpose {
            Purpose::Verify { org_num } => (&mut self.verify, org_num),
            Purpose::Settings { org_num } | Purpose::Bulk { org_num } => (&mut self.bulk, org_num),
        };
        add_to(part, org_num, calls);
    }

    fn add_all(&mut self, other: &Spending) {
        for (org_num, calls) in &other.verify {
            add_to(&mut self.verify, *org_num, *calls);
        }
        for (org_num, calls) in &other.bulk {
            add_to(&mut self.bulk, *org_num, *calls);
        }
    }

    pub fn is_empty(&self) -> bool {
        self.verify.is_empty() && self.bulk.is_empty()
    }
}

fn add_to(part: &mut HashMap<i64, u32>, org_num: i64, calls: u32) {
    let count = part.entry(org_num).or_default();
    *count = count.saturating_add(calls);
}

fn sum(part: &HashMap<i64, u32>) -> u32 {
    part.values().fold(0, |sum, calls| sum.saturating_add(*calls))
}

/// The calls of one day, in UTC, over all processes that write down what they spent and read what the others did.
///
/// Half of the calls is kept for people. Of either half the first part goes to whoever comes first; of the rest an Org
/// gets a small share, so that no Org can use up the day of the others. Settings have that small share only.
#[derive(Clone, Debug)]
pub struct DailyQuota {
    limit: u32,
    day: i64,
    /// What is known to be spent today, by us and by others.
    spent: Spending,
    verify_spent: u32,
    bulk_spent: u32,
    /// Our own calls that are not written down yet.
    unwritten: Spending,
}

impl DailyQuota {
    pub fn new(limit: u32) -> Self {
        Self {
            limit,
            day: i64::MIN,
            spent: Spending::default(),
            verify_spent: 0,
            bulk_spent: 0,
            unwritten: Spending::default(),
        }
    }

    /// The day that a time belongs to.
    pub fn day_of(now_ms: i64) -> i64 {
        now_ms.div_euclid(DAY_MS)
    }

    /// Time until the next day begins.
    pub fn resets_in_ms(now_ms: i64) -> i64 {
        DAY_MS - now_ms.rem_euclid(DAY_MS)
    }

    /// Takes one call, or says that there is none for this purpose today.
    pub fn take(&mut self, purpose: Purpose, now_ms: i64) -> bool {
        self.begin(Self::day_of(now_ms));
        if !self.allows(purpose) {
            return false;
        }
        self.spent.add(purpose, 1);
        self.unwritten.add(purpose, 1);
        match purpose {
            Purpose::Verify { .. } => self.verify_spent += 1,
            Purpose::Settings { .. } | Purpose::Bulk { .. } => self.bulk_spent += 1,
        }
        true
    }

    /// Calls of this day so far, and how many it has.
    pub fn used(&self, now_ms: i64) -> (u32, u32) {
        let is_today = self.day == Self::day_of(now_ms);
        let spent = self.verify_spent.saturating_add(self.bulk_spent);
        (if is_today { spent } else { 0 }, self.limit)
    }

    /// Calls since the last time this was asked, with their day, to be written down. They stay spent here.
    pub fn drain(&mut self) -> Option<(i64, Spending)> {
        let unwritten = std::mem::take(&mut self.unwritten);
        (!unwritten.is_empty()).then_some((self.day, unwritten))
    }

    /// Takes back what could not be written down.
    pub fn restore(&mut self, day: i64, unwritten: &Spending) {
        if day == self.day {
            self.unwritten.add_all(unwritten);
        }
    }

    /// Learns what all processes have written down for a day.
    pub fn learn(&mut self, day: i64, written: Spending) {
        self.begin(day);
        if day != self.day {
            return;
        }
        self.spent = written;
        self.spent.add_all(&self.unwritten);
        self.verify_spent = sum(&self.spent.verify);
        self.bulk_spent = sum(&self.spent.bulk);
    }

    fn allows(&self, purpose: Purpose) -> bool {
        let spent = self.verify_spent.saturating_add(self.bulk_spent);
        let bulk_limit = self.limit / 2;
        let of_org = |part: &HashMap<i64, u32>, org_num| part.get(&org_num).copied().unwrap_or(0);
        let allowed = match purpose {
            Purpose::Verify { org_num } => {
                let own = of_org(&self.spent.verify, org_num);
                self.verify_spent < self.limit / 4 || share::may_take(self.limit, spent, own)
            }
            Purpose::Settings { org_num } => {
                share::may_take(bulk_limit, self.bulk_spent, of_org(&self.spent.bulk, org_num))
            }
            Purpose::Bulk { org_num } => {
                let own = of_org(&self.spent.bulk, org_num);
                self.bulk_spent < bulk_limit / 2 || own < bulk_limit / 8
            }
        };
        let within_part = match purpose {
            Purpose::Verify { .. } => true,
            Purpose::Settings { .. } | Purpose::Bulk { .. } => self.bulk_spent < bulk_limit,
        };
        allowed && within_part && spent < self.limit
    }

    /// A clock that was set back does not give yesterday's calls again. What was not written down of a day that is over
    /// is of no use to anybody.
    fn begin(&mut self, day: i64) {
        if day > self.day {
            let limit = self.limit;
            *self = Self {
                day,
                ..Self::new(limit)
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TODAY: i64 = 20_000;
    const NOON: i64 = TODAY * DAY_MS + DAY_MS / 2;

    const PEOPLE: Purpose = Purpose::Verify { org_num: 1 };

    fn taken(quota: &mut DailyQuota, purpose: Purpose, tries: u32) -> u32 {
        (0..tries).filter(|_| quota.take(purpose, NOON)).count() as u32
    }

    /// People of as many Orgs as there are calls.
    fn people(quota: &mut DailyQuota, tries: u32) -> u32 {
        (0..tries)
            .filter(|number| {
                let org_num = i64::from(*number);
                quota.take(Purpose::Verify { org_num }, NOON)
            })
            .count() as u32
    }

    #[test]
    fn the_day_stops_at_its_limit() {
        let mut quota = DailyQuota::new(90_000);
        assert_eq!(people(&mut quota, 100_000), 90_000);
    }

    #[test]
    fn the_visitors_of_one_org_leave_the_others_something() {
        let mut quota = DailyQuota::new(90_000);
        assert_eq!(taken(&mut quota, PEOPLE, 100_000), 22_500);
        for org_num in 2..12 {
            assert!(taken(&mut quota, Purpose::Verify { org_num }, 1_000) == 1_000);
        }
    }

    #[test]
    fn a_form_of_settings_has_a_tenth_of_what_polls_have_left() {
        let mut quota = DailyQuota::new(90_000);
        assert_eq!(
            taken(&mut quota, Purpose::Settings { org_num: 1 }, 100_000),
            4_500
        );
        assert_eq!(
            taken(&mut quota, Purpose::Settings { org_num: 2 }, 100_000),
            4_050
        );
        assert_eq!(taken(&mut quota, Purpose::Bulk { org_num: 3 }, 1_000), 1_000);
    }

    #[test]
    fn polls_leave_half_to_people_whoever_comes_first() {
        let mut quota = DailyQuota::new(90_000);
        let polls: u32 = (0..50)
            .map(|org_num| taken(&mut quota, Purpose::Bulk { org_num }, 5_000))
            .sum();
        assert_eq!(polls, 45_000);
        assert_eq!(people(&mut quota, 100_000), 45_000);
    }

    #[test]
    fn one_busy_org_leaves_polls_to_the_others() {
        let mut quota = DailyQuota::new(90_000);
        assert_eq!(taken(&mut quota, Purpose::Bulk { org_num: 1 }, 100_000), 22_500);
        for org_num in 2..6 {
            assert_eq!(taken(&mut quota, Purpose::Bulk { org_num }, 10_000), 5_625);
        }
        assert_eq!(taken(&mut quota, Purpose::Bulk { org_num: 7 }, 10), 0);
    }

    #[test]
    fn a_new_day_begins_at_midnight_utc_and_only_forward() {
        let mut quota = DailyQuota::new(1);
        assert!(quota.take(PEOPLE, NOON));
        let midnight = NOON + DailyQuota::resets_in_ms(NOON);
        assert!(!quota.take(PEOPLE, midnight - 1));
        assert!(quota.take(PEOPLE, midnight));
        assert!(!quota.take(PEOPLE, NOON));
        assert!(!quota.take(PEOPLE, midnight));
    }

    #[test]
    fn processes_that_tell_each_other_share_one_limit() {
        let (mut one, mut two) = (DailyQuota::new(100), DailyQuota::new(100));
        assert_eq!(people(&mut one, 30), 30);
        assert_eq!(taken(&mut one, Purpose::Bulk { org_num: 1 }, 10), 10);
        let (day, mut written) = one.drain().unwrap();
        assert_eq!(
            (day, written.verify.len(), &written.bulk),
            (TODAY, 30, &HashMap::from([(1, 10)]))
        );
        assert_eq!(one.drain(), None, "told once");
        assert_eq!(people(&mut two, 20), 20);
        two.learn(day, written.clone());
        assert_eq!(people(&mut two, 100), 40, "30, 10 and 20 were spent");
        written.add_all(&two.drain().unwrap().1);
        one.learn(day, written);
        assert_eq!(people(&mut one, 100), 0);
    }

    #[test]
    fn what_could_not_be_written_is_told_again() {
        let mut quota = DailyQuota::new(100);
        taken(&mut quota, PEOPLE, 3);
        let (day, lost) = quota.drain().unwrap();
        quota.restore(day - 1, &lost);
        assert_eq!(quota.drain(), None, "that day is over");
        quota.restore(day, &lost);
        taken(&mut quota, PEOPLE, 1);
        assert_eq!(quota.drain().unwrap().1.verify, HashMap::from([(1, 4)]));
        quota.learn(
            day - 1,
            Spending {
                verify: HashMap::from([(1, 100)]),
                ..Spending::default()
            },
        );
        assert!(quota.take(PEOPLE, NOON), "yesterday does not count");
    }

    proptest! {
        #[test]
        fn no_order_of_calls_passes_the_limits(
            limit in 0..200_u32,
            calls in prop::collection::vec((0..3_u8, 0..5_i64), 0..400),
        ) {
            let mut quota = DailyQuota::new(limit);
            let (mut all, mut polls) = (0, 0);
            for (kind, org_num) in calls {
                let purpose = [Purpose::Verify { org_num }, Purpose::Settings { org_num }, Purpose::Bulk { org_num }][usize::from(kind)];
                if quota.take(purpose, NOON) {
                    all += 1;
                    polls += u32::from(kind > 0);
                }
            }
            prop_assert!(all <= limit && polls <= limit / 2);
        }
    }
}
