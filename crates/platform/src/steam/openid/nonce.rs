//! The provider's nonce: the moment of the sign-in, in UTC, and something that makes it unique.

use crate::dates::{STAMP_CHARS, utc_ms};

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
        let issued_at_ms = utc_ms(stamp)?;
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// 1 January 2026, 00:00 UTC.
    const NOW: i64 = 1_767_225_600_000;

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
        fn no_text_panics(text in ".{0,40}") {
            let _ = Nonce::parse(&text, NOW);
        }
    }
}
