//! Times as the platforms write them.

use jiff::Timestamp;

/// `2026-01-01T00:00:00Z`, whole seconds.
pub fn seconds(at_ms: i64) -> String {
    Timestamp::from_second(at_ms.div_euclid(1_000))
        .unwrap_or(Timestamp::UNIX_EPOCH)
        .to_string()
}

/// `2026-01-01T00:00:00.000000+00:00`, as Discord does.
pub fn micros(at_ms: i64) -> String {
    Timestamp::from_millisecond(at_ms)
        .unwrap_or(Timestamp::UNIX_EPOCH)
        .strftime("%Y-%m-%dT%H:%M:%S%.6f+00:00")
        .to_string()
}

/// `Thu, 01 Jan 2026 00:00:00 GMT`, as in the heads of answers.
pub fn http(at_ms: i64) -> String {
    Timestamp::from_second(at_ms.div_euclid(1_000))
        .unwrap_or(Timestamp::UNIX_EPOCH)
        .strftime("%a, %d %b %Y %H:%M:%S GMT")
        .to_string()
}

/// The time in a text such as `2026-01-01T00:00:00Z`.
pub fn parse_ms(text: &str) -> Option<i64> {
    text.parse::<Timestamp>().ok().map(Timestamp::as_millisecond)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_forms_are_written_in_utc() {
        assert_eq!(seconds(1_767_225_600_999), "2026-01-01T00:00:00Z");
        assert_eq!(micros(1_767_225_600_123), "2026-01-01T00:00:00.123000+00:00");
        assert_eq!(http(1_767_225_600_999), "Thu, 01 Jan 2026 00:00:00 GMT");
    }

    #[test]
    fn what_was_written_can_be_read() {
        assert_eq!(parse_ms(&seconds(1_767_225_600_999)), Some(1_767_225_600_000));
        assert_eq!(parse_ms(&micros(1_767_225_600_123)), Some(1_767_225_600_123));
        assert_eq!(parse_ms("yesterday"), None);
    }
}
