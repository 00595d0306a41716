//! The provider's nonce: the moment of the sign-in, in UTC, and something that makes it unique.

const STAMP_CHARS: usize = "2026-01-01T00:00:00Z".len();
const MOST_CHARS: usize = 255;
/// How far the provider's clock and ours may differ, which is also how long a sign-in may take to come back.
const MOST_SKEW_MS: i64 = 300_000;

/// A nonce that was made just now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nonce {
    text: String,
    issued_at_ms: i64,
}

impl Nonce {
    /// Reads the nonce; nothing when it is malformed or further than five minutes from now.
    pub(super) fn parse(text: &str, now_ms: i64) -> Option<Self> {
        let stamp = text.get(..STAMP_CHARS)?;
        let issued_at_ms = milliseconds(stamp)?;
        let fresh = issued_at_ms.abs_diff(now_ms) <= MOST_SKEW_MS.unsigned_abs();
        (fresh && text.len() <= MOST_CHARS).then(|| Self {
            text: text.to_owned(),
            issued_at_ms,
        })
    }

    /// What is stored under a unique key.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// From then on the nonce is refused for its age, and its row can go. A minute more than needed, for nodes whose
    /// clocks differ.
    pub fn expires_at_ms(&self) -> i64 {
        self.issued_at_ms + MOST_SKEW_MS + 60_000
    }
}

/// The time of `YYYY-MM-DDThh:mm:ssZ`, to the letter.
fn milliseconds(stamp: &str) -> Option<i64> {
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
            assert_eq!(milliseconds(stamp), Some(seconds * 1_000), "{stamp}");
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
            assert_eq!(milliseconds(stamp), None, "{stamp}");
        }
    }

    #[test]
    fn a_nonce_is_good_for_five_minutes_to_either_side() {
        let nonce = |now_ms| Nonce::parse("2026-01-01T00:00:00Zabc+/=", now_ms);
        for (now_ms, good) in [
            (NOW, true),
            (NOW + 300_000, true),
            (NOW + 300_001, false),
            (NOW - 300_000, true),
            (NOW - 300_001, false),
            (i64::MAX, false),
            (i64::MIN, false),
        ] {
            assert_eq!(nonce(now_ms).is_some(), good, "{now_ms}");
        }
        let nonce = nonce(NOW).unwrap();
        assert_eq!(nonce.as_str(), "2026-01-01T00:00:00Zabc+/=");
        assert!(nonce.expires_at_ms() > NOW + 300_000);
        assert_eq!(
            Nonce::parse(&format!("2026-01-01T00:00:00Z{}", "x".repeat(236)), NOW),
            None
        );
        assert_eq!(Nonce::parse("2026-01-01", NOW), None);
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
        fn no_text_panics(text in ".{0,40}") {
            let _ = Nonce::parse(&text, NOW);
        }
    }
}
