//! What an Org's numbers are told by: days and months in UTC, and how many links of a month are left.

use std::collections::BTreeMap;
use std::fmt;

const DAY_MS: i64 = 24 * 60 * 60_000;
/// 9999-12-31.
const LAST_DAY: i64 = 2_932_896;
/// Days in one answer.
pub const MOST_DAYS: i64 = 366;
/// Days that are told where nobody says which.
const USUAL_DAYS: i64 = 30;
/// Months whose links are followed. The links of the first of them are all more than a year old.
pub const MONTHS: i64 = 14;
/// How long a link may have lasted, in days: what is counted of an end is the longest of these that it reached, or none.
pub const LIVED: [i64; 6] = [1, 7, 30, 90, 180, 365];

/// A day in UTC, counted from 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Day(pub i64);

/// A month in UTC, counted from 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Month(pub i64);

impl Day {
    pub const fn of(at_ms: i64) -> Self {
        Self(at_ms.div_euclid(DAY_MS))
    }

    /// Exactly as `2026-01-31`, of a day that there is, from 1970 on.
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        let has_form = bytes.len() == 10
            && bytes.iter().enumerate().all(|(place, byte)| match place {
                4 | 7 => *byte == b'-',
                _ => byte.is_ascii_digit(),
            });
        if !has_form {
            return None;
        }
        let number = |from: usize, to: usize| text.get(from..to)?.parse::<i64>().ok();
        let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
        if !(1..=12).contains(&month) || year < 1970 {
            return None;
        }
        let month = Month((year - 1970) * 12 + month - 1);
        let found = Self(month.first().0 + day - 1);
        (day > 0 && found.month() == month).then_some(found)
    }

    pub fn month(self) -> Month {
        let (year, month, _) = self.parts();
        Month((year - 1970) * 12 + month - 1)
    }

    /// Year, month and day of the month. Years begin in March here, so that the leap day is the last of one.
    fn parts(self) -> (i64, i64, i64) {
        let days = self.0 + 719_468;
        let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
        let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year + year / 4 - year / 100);
        let since_march = (5 * of_year + 2) / 153;
        let day = of_year - (153 * since_march + 2) / 5 + 1;
        let month = if since_march < 10 {
            since_march + 3
        } else {
            since_march - 9
        };
        (year + era * 400 + i64::from(month <= 2), month, day)
    }
}

impl Month {
    /// Its first day.
    pub const fn first(self) -> Day {
        let (year, month) = (1970 + self.0.div_euclid(12), self.0.rem_euclid(12) + 1);
        let year = if month <= 2 { year - 1 } else { year };
        let since_march = if month > 2 { month - 3 } else { month + 9 };
        let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
        let days = of_era * 365 + of_era / 4 - of_era / 100 + (153 * since_march + 2) / 5;
        Day(era * 146_097 + days - 719_468)
    }
}

impl fmt::Display for Day {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = self.parts();
        write!(out, "{year:04}-{month:02}-{day:02}")
    }
}

impl fmt::Display for Month {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, _) = self.first().parts();
        write!(out, "{year:04}-{month:02}")
    }
}

/// Days in a row, with the first and the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DayRange {
    pub from: Day,
    pub to: Day,
}

/// Why days cannot be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RangeError {
    #[error("must not be later than today, which is told in UTC")]
    Future,
    #[error("must not be after the last day")]
    Backwards,
    #[error("a year at a time: 366 days at most")]
    TooLong,
}

impl DayRange {
    /// The last 30 days up to the one that is named, or up to today.
    pub fn new(from: Option<Day>, to: Option<Day>, today: Day) -> Result<Self, RangeError> {
        let to = to.unwrap_or(today);
        if to > today || to.0 > LAST_DAY {
            return Err(RangeError::Future);
        }
        let from = from.unwrap_or(Day((to.0 - USUAL_DAYS + 1).max(0)));
        if from > to {
            return Err(RangeError::Backwards);
        }
        let range = Self { from, to };
        if range.len() > MOST_DAYS {
            return Err(RangeError::TooLong);
        }
        Ok(range)
    }

    /// How many days.
    pub const fn len(self) -> i64 {
        self.to.0 - self.from.0 + 1
    }

    /// There is always one.
    pub const fn is_empty(self) -> bool {
        false
    }

    /// One after the other.
    pub fn days(self) -> impl Iterator<Item = Day> {
        (self.from.0..=self.to.0).map(Day)
    }
}

/// The longest of the known times that a link lasted, in days; 0 for less than a day.
pub fn lived(linked_at_ms: i64, ended_at_ms: i64) -> i64 {
    let lasted_ms = crate::link::duration_ms(linked_at_ms, ended_at_ms);
    let reached = LIVED.iter().rev().find(|days| lasted_ms >= **days * DAY_MS);
    reached.copied().unwrap_or(0)
}

/// What became of the links of one month.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    pub month: Month,
    /// Links that began in it.
    pub linked: i64,
    /// For each of [`LIVED`], how many lasted so long. None while the youngest of them could not.
    pub left: [Option<i64>; 6],
}

/// Follows the links of the last months. `linked` are links by the day they began, `ended` those among them that
/// ended, by the same day and the time they lasted.
pub fn retention(
    linked: impl IntoIterator<Item = (Day, i64)>,
    ended: impl IntoIterator<Item = (Day, i64, i64)>,
    today: Day,
) -> Vec<Kept> {
    let mut began: BTreeMap<Month, i64> = BTreeMap::new();
    for (day, times) in linked {
        *began.entry(day.month()).or_default() += times;
    }
    let mut gone: BTreeMap<(Month, i64), i64> = BTreeMap::new();
    for (day, lived, times) in ended {
        *gone.entry((day.month(), lived)).or_default() += times;
    }
    let of_month = |month: Month| {
        let linked = began.get(&month).copied().unwrap_or(0);
        let left = LIVED.map(|days| {
            let before = gone.range((month, 0)..(month, days)).map(|(_, times)| times);
            let is_over = Month(month.0 + 1).first().0 + days <= today.0;
            is_over.then(|| linked - before.sum::<i64>())
        });
        Kept { month, linked, left }
    };
    months(today).map(of_month).collect()
}

/// The months that are followed, the oldest first.
pub fn months(today: Day) -> impl Iterator<Item = Month> {
    let last = today.month().0;
    (last - MONTHS + 1..=last).map(Month)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn day(text: &str) -> Day {
        Day::parse(text).unwrap()
    }

    #[test]
    fn days_are_those_of_the_calendar() {
        for (text, number) in [
            ("1970-01-01", 0),
            ("1970-03-01", 59),
            ("2000-02-29", 11_016),
            ("2026-11-18", 20_775),
            ("9999-12-31", LAST_DAY),
        ] {
            assert_eq!(day(text), Day(number));
            assert_eq!(Day(number).to_string(), text);
        }
        assert_eq!(Day::of(20_775 * DAY_MS - 1).to_string(), "2026-11-17");
        assert_eq!(day("2026-11-18").month().to_string(), "2026-11");
        assert_eq!(Month(0).first(), Day(0));
    }

    #[test]
    fn what_is_no_day_is_not_one() {
        for text in [
            "",
            "2026",
            "2026-1-1",
            "2026-02-29",
            "2026-04-31",
            "2026-13-01",
            "2026-00-10",
            "2026-01-00",
            "1969-12-31",
            "2026/01/01",
            "+026-01-01",
            "2026-01-01T00",
            "２０26-01-1",
            "2026-01-0\u{0}",
        ] {
            assert_eq!(Day::parse(text), None, "{text}");
        }
    }

    #[test]
    fn a_range_has_an_order_an_end_and_a_length() {
        let today = day("2026-11-18");
        let usual = DayRange::new(None, None, today).unwrap();
        assert_eq!(
            (usual.from, usual.to, usual.len()),
            (day("2026-10-20"), today, 30)
        );
        assert_eq!(usual.days().count(), 30);
        let one = DayRange::new(Some(today), Some(today), today).unwrap();
        assert_eq!(one.days().collect::<Vec<_>>(), [today]);
        let year = DayRange::new(Some(Day(today.0 - 365)), None, today).unwrap();
        assert_eq!(year.len(), MOST_DAYS);
        for (from, to, why) in [
            (None, Some(Day(today.0 + 1)), RangeError::Future),
            (Some(Day(today.0 + 1)), None, RangeError::Backwards),
            (Some(today), Some(Day(5)), RangeError::Backwards),
            (Some(Day(today.0 - 366)), None, RangeError::TooLong),
        ] {
            assert_eq!(DayRange::new(from, to, today), Err(why));
        }
        assert_eq!(DayRange::new(None, Some(Day(3)), today).unwrap().from, Day(0));
    }

    #[test]
    fn a_link_lived_as_long_as_the_longest_time_it_reached() {
        for (days, found) in [
            (0, 0),
            (1, 1),
            (6, 1),
            (7, 7),
            (89, 30),
            (364, 180),
            (365, 365),
            (9_999, 365),
        ] {
            assert_eq!(lived(5, 5 + days * DAY_MS), found);
        }
        assert_eq!(lived(0, DAY_MS - 1), 0);
        assert_eq!(lived(10, 5), 0);
    }

    #[test]
    fn a_month_is_told_once_its_youngest_link_could_have_lasted_so_long() {
        let today = day("2026-11-18");
        let linked = [(day("2026-10-01"), 3), (day("2026-10-31"), 2), (today, 4)];
        let ended = [
            (day("2026-10-01"), 0, 1),
            (day("2026-10-31"), 7, 1),
            (day("2026-10-31"), 1, 1),
        ];
        let kept = retention(linked, ended, today);
        assert_eq!(kept.len(), 14);
        assert_eq!(
            (kept[0].month.to_string(), kept[0].linked),
            ("2025-10".to_owned(), 0)
        );
        assert_eq!(kept[0].left, [Some(0); 6], "a year has passed");
        assert_eq!(kept[1].left[5], None);
        // The last link of October is 17 days old at least.
        assert_eq!(
            (kept[12].linked, kept[12].left),
            (5, [Some(4), Some(3), None, None, None, None])
        );
        assert_eq!((kept[13].linked, kept[13].left), (4, [None; 6]));
        let told = |today: &str| retention(linked, ended, day(today))[12].left[1];
        assert_eq!((told("2026-11-07"), told("2026-11-08")), (None, Some(3)));
    }

    proptest! {
        #[test]
        fn every_day_reads_back_and_follows_the_one_before(number in 1_i64..=LAST_DAY) {
            let one = Day(number);
            prop_assert_eq!(Day::parse(&one.to_string()), Some(one));
            prop_assert!(Day(number - 1).to_string() < one.to_string());
            let month = one.month();
            prop_assert!(month.first() <= one && one < Month(month.0 + 1).first());
        }

        #[test]
        fn what_is_left_never_grows_with_time_and_agrees_with_the_links(
            links in proptest::collection::vec((0_i64..400, proptest::option::of(0_i64..500)), 0..60),
        ) {
            let today = day("2026-11-18");
            let began = |ago: i64| (today.0 - ago) * DAY_MS + 1;
            let linked = links.iter().map(|(ago, _)| (Day(today.0 - ago), 1));
            let ended = links.iter().filter_map(|(ago, lasted)| {
                let lasted = (*lasted)?.min(*ago);
                Some((Day(today.0 - ago), lived(began(*ago), began(*ago) + lasted * DAY_MS), 1))
            });
            for kept in retention(linked, ended, today) {
                let of_month = |ago: i64| Day(today.0 - ago).month() == kept.month;
                for (days, left) in LIVED.iter().zip(kept.left) {
                    let lasted = links.iter().filter(|(ago, lasted)| {
                        of_month(*ago) && lasted.is_none_or(|lasted| lasted.min(*ago) >= *days)
                    });
                    prop_assert!(left.is_none_or(|left| left == lasted.count() as i64));
                }
                let told: Vec<i64> = kept.left.iter().copied().flatten().collect();
                prop_assert!(told.is_sorted_by(|one, next| one >= next));
                prop_assert!(told.iter().all(|left| (0..=kept.linked).contains(left)));
            }
        }
    }
}
