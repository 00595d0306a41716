//! Discord's ids: a time, a counter, and never a JSON number.

use std::fmt;
use std::str::FromStr;

use domain::platform_id::DiscordId;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The first millisecond of 2015.
const EPOCH_MS: i64 = 1_420_070_400_000;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Snowflake(pub u64);

impl Snowflake {
    /// The id of something made at this time; the counter keeps those of one millisecond apart.
    pub fn made_at(at_ms: i64, counter: u64) -> Self {
        let time = at_ms.saturating_sub(EPOCH_MS).max(0).unsigned_abs();
        Self((time << 22) | (counter & 0x3F_FFFF))
    }
}

impl fmt::Display for Snowflake {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

/// A text that is not the decimal form of an id.
#[derive(Debug)]
pub struct NotSnowflake;

impl fmt::Display for NotSnowflake {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("not a Discord id in decimal")
    }
}

impl FromStr for Snowflake {
    type Err = NotSnowflake;

    fn from_str(text: &str) -> Result<Self, NotSnowflake> {
        let number = text.parse::<u64>().map_err(|_| NotSnowflake)?;
        let canonical =
            number > 0 && text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('0');
        canonical.then_some(Self(number)).ok_or(NotSnowflake)
    }
}

impl From<&DiscordId> for Snowflake {
    fn from(id: &DiscordId) -> Self {
        // Its type promises 17 to 20 digits that fit.
        Self(id.as_str().parse().unwrap_or_default())
    }
}

impl Serialize for Snowflake {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Snowflake {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse()
            .map_err(|error| D::Error::custom(format!("`{text}` is {error}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_grow_with_time_and_are_text() {
        let (early, late) = (
            Snowflake::made_at(1_767_225_600_000, 9),
            Snowflake::made_at(1_767_225_600_001, 0),
        );
        assert!(early < late);
        assert_eq!(serde_json::to_string(&early).unwrap(), "\"1456074443980800009\"");
        assert_eq!(
            serde_json::from_str::<Snowflake>("\"1456074443980800009\"").unwrap(),
            early
        );
        assert!(serde_json::from_str::<Snowflake>("1456074443980800009").is_err());
    }

    #[test]
    fn other_texts_are_refused() {
        for wrong in ["", "0", "01", "+1", "x", "18446744073709551616"] {
            assert!(wrong.parse::<Snowflake>().is_err(), "{wrong}");
        }
    }
}
