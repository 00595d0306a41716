//! Times as other people's systems write them.

/// How long a time in UTC is.
pub(crate) const STAMP_CHARS: usize = "2026-01-01T00:00:00Z".len();
/// As HTTP writes them.
const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];

/// The time of an HTTP `Date`, such as `Thu, 01 Jan 2026 00:00:00 GMT`. The name of the day says nothing new.
pub(crate) fn http_ms(text: &str) -> Option<i64> {
    let (_, date) = text.strip_suffix(" GMT")?.split_once(", ")?;
    let mut parts = date.split(' ');
    let (day, month, year) = (parts.next()?, parts.next()?, parts.next()?);
    let time = parts.next().filter(|_| parts.next().is_none())?;
    let month = MONTHS.iter().position(|name| *name == month)? + 1;
    utc_ms(&format!("{year}-{month:02}-{day}T{time}Z"))
}

/// The time of `YYYY-MM-DDThh:mm:ssZ`, to the letter.
pub(crate) fn utc_ms(stamp: &str) -> Option<i64> {
    let bytes = stamp.as_bytes();
    let separators = [
        (4, b'-'),
        (7, b'-'),
        (10, b'T'),
        (13, b':'),
        (16, b':'),
        (19, b'Z'),
    ];
    if bytes.len() != STAMP_CHARS || separators.iter().any(|(at, sign)| bytes[*at] != *sign) {
        return None;
    }
    let number = |from: usize, to: usize| {
        let digits = bytes.get(from..to)?;
        let each = |sum: i64, byte: &u8| byte.is_ascii_digit().then(|| sum * 10 + i64::from(byte - b'0'));
        digits.iter().try_fold(0, each)
    };
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    let real = (1..=12).contains(&month)
        && (1..=days_in(year, month)).contains(&day)
        && hour < 24
        && minute < 60
        && second < 60;
    let seconds = ((days_since_1970(year, month, day) * 24 + hour) * 60 + minute) * 60 + second;
    real.then_some(seconds * 1_000)
}

fn days_in(year: i64, month: i64) -> i64 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if is_leap(year) => 29,
        2 => 28,
        _ => 31,
    }
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

/// Years are counted from March, so that the leap day is the last one.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let years = if month > 2 { year } else { year - 1 };
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    years * 365 + years.div_euclid(4) - years.div_euclid(100) + years.div_euclid(400) + day_of_year - 719_468
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// 1 January 2026, 00:00 UTC.
    const NOW: i64 = 1_767_225_600_000;

    #[test]
    fn stamps_are_read_as_utc() {
        for (stamp, seconds) in [
            ("1970-01-01T00:00:00Z", 0),
            ("2000-02-29T12:34:56Z", 951_827_696),
            ("2026-01-01T00:00:00Z", NOW / 1_000),
            ("2100-03-01T00:00:00Z", 4_107_542_400),
        ] {
            assert_eq!(utc_ms(stamp), Some(seconds * 1_000), "{stamp}");
        }
    }

    #[test]
    fn stamps_in_any_other_form_are_refused() {
        for stamp in [
            "2026-01-01T00:00:00",
            "2026-01-01T00:00:00z",
            "2026-01-01 00:00:00Z",
            "2026-1-01T00:00:00Z0",
            "2026-13-01T00:00:00Z",
            "2026-00-01T00:00:00Z",
            "2026-02-29T00:00:00Z",
            "2100-02-29T00:00:00Z",
            "2026-01-00T00:00:00Z",
            "2026-01-01T24:00:00Z",
            "2026-01-01T00:60:00Z",
            "2026-01-01T00:00:60Z",
            "+026-01-01T00:00:00Z",
            "2026-01-01T00:00:+0Z",
            "２026-01-01T00:00Z",
        ] {
            assert_eq!(utc_ms(stamp), None, "{stamp}");
        }
    }

    #[test]
    fn dates_of_answers_are_read_to_the_letter() {
        for (date, seconds) in [
            ("Thu, 01 Jan 2026 00:00:00 GMT", NOW / 1_000),
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777),
            ("Tue, 29 Feb 2000 12:34:56 GMT", 951_827_696),
        ] {
            assert_eq!(http_ms(date), Some(seconds * 1_000), "{date}");
        }
        for odd in [
            "",
            "Thu, 01 Jan 2026 00:00:00",
            "Thu, 01 Jan 2026 00:00:00 CET",
            "Thu, 1 Jan 2026 00:00:00 GMT",
            "Thu, 01 jan 2026 00:00:00 GMT",
            "Thu, 01 Jan 2026 00:00:00 00 GMT",
            "Thu, 31 Feb 2026 00:00:00 GMT",
            "Thursday, 01-Jan-26 00:00:00 GMT",
            "2026-01-01T00:00:00Z",
        ] {
            assert_eq!(http_ms(odd), None, "{odd}");
        }
    }

    proptest! {
        #[test]
        fn each_day_is_one_day_after_the_one_before(year in 1970..3000_i64, month in 1..=12_i64, day in 1..=31_i64) {
            prop_assume!(day <= days_in(year, month));
            let next = match (day < days_in(year, month), month) {
                (true, _) => (year, month, day + 1),
                (false, 12) => (year + 1, 1, 1),
                (false, _) => (year, month + 1, 1),
            };
            prop_assert_eq!(days_since_1970(next.0, next.1, next.2), days_since_1970(year, month, day) + 1);
        }

        #[test]
        fn no_date_panics(text in ".{0,40}") {
            let _ = http_ms(&text);
            let _ = http_ms(&format!("Thu, {text} GMT"));
        }
    }
}
