//! When a period ends.

use jiff::civil::DateTime;
use jiff::tz::Offset;
use jiff::{Span, Timestamp};

use crate::stripe::state::{Interval, Recurring};

/// The end of the period that begins at `start`. Periods are counted from the anchor, so that one that began on the
/// 31st ends on the 31st wherever there is one.
pub fn end(anchor: i64, start: i64, recurring: Recurring) -> i64 {
    let (day, count) = (86_400, i64::from(recurring.interval_count.max(1)));
    let fixed = match recurring.interval {
        Interval::Day => day * count,
        Interval::Week => 7 * day * count,
        Interval::Month | Interval::Year => return end_by_calendar(anchor, start, recurring.interval, count),
    };
    anchor + fixed * ((start - anchor).div_euclid(fixed) + 1)
}

fn end_by_calendar(anchor: i64, start: i64, interval: Interval, count: i64) -> i64 {
    let months = if interval == Interval::Year {
        12 * count
    } else {
        count
    };
    // A little before the answer: no month is longer than 31 days.
    let mut periods = (start - anchor).div_euclid(31 * 86_400 * months).max(0);
    loop {
        let end = later(anchor, months * periods);
        if end > start {
            return end;
        }
        periods += 1;
    }
}

/// So many months later; on the last day of a month that is too short. A time beyond the calendar never comes.
fn later(from: i64, months: i64) -> i64 {
    let moved = || -> Option<i64> {
        let begun: DateTime = Offset::UTC.to_datetime(Timestamp::from_second(from).ok()?);
        let ended = begun.checked_add(Span::new().try_months(months).ok()?).ok()?;
        Some(Offset::UTC.to_timestamp(ended).ok()?.as_second())
    };
    moved().unwrap_or(i64::MAX / 2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::common::dates;

    fn ends(anchor: &str, interval: Interval, interval_count: u16, times: usize) -> Vec<String> {
        let seconds = |text: &str| dates::parse_ms(text).expect("a time") / 1_000;
        let recurring = Recurring {
            interval,
            interval_count,
        };
        let anchor = seconds(anchor);
        let mut start = anchor;
        let ends = (0..times).map(|_| {
            start = end(anchor, start, recurring);
            dates::seconds(start * 1_000)[..10].to_owned()
        });
        ends.collect()
    }

    #[test]
    fn short_months_do_not_move_the_day() {
        let months = ends("2026-01-31T12:00:00Z", Interval::Month, 1, 4);
        assert_eq!(months, ["2026-02-28", "2026-03-31", "2026-04-30", "2026-05-31"]);
        let years = ends("2028-02-29T12:00:00Z", Interval::Year, 1, 4);
        assert_eq!(years, ["2029-02-28", "2030-02-28", "2031-02-28", "2032-02-29"]);
        assert_eq!(
            ends("2026-01-01T00:00:00Z", Interval::Week, 2, 2),
            ["2026-01-15", "2026-01-29"]
        );
    }

    #[test]
    fn far_periods_are_found() {
        let recurring = Recurring {
            interval: Interval::Month,
            interval_count: 1,
        };
        assert!(end(0, 4_000_000_000, recurring) > 4_000_000_000);
        assert_eq!(end(0, i64::MAX / 4, recurring), i64::MAX / 2);
    }
}
