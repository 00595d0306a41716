//! Account ids of Discord and Steam: decimal text, never a number, because JSON numbers lose digits.

use std::ops::RangeInclusive;

use crate::id::IdError;
use crate::text::{InlineText, text_traits};

/// Individual accounts of Steam's public universe; every other number of this length is Discord's.
const STEAM_RANGE: RangeInclusive<u64> = 76_561_197_960_265_728..=76_561_202_255_233_023;
const DISCORD_DIGITS: RangeInclusive<usize> = 17..=20;

/// A Discord account, role, channel or server id.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DiscordId(InlineText<20>);

impl DiscordId {
    /// Accepts only the canonical decimal text; a number in Steam's range is refused.
    pub fn parse(text: &str) -> Result<Self, IdError> {
        let number = decimal(text).ok_or(IdError::Discord)?;
        if STEAM_RANGE.contains(&number) {
            return Err(IdError::SteamInsteadOfDiscord);
        }
        if !DISCORD_DIGITS.contains(&text.len()) {
            return Err(IdError::Discord);
        }
        InlineText::new(text).map(Self).ok_or(IdError::Discord)
    }

    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

text_traits!(DiscordId, "a Discord id as a string");

/// A SteamID64 of a person's account.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SteamId {
    text: InlineText<17>,
    account: SteamAccount,
}

/// What tells one personal account from another; the rest of a SteamID64 is the same for all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SteamAccount(u32);

impl SteamAccount {
    pub fn of(id: &str) -> Option<Self> {
        let number = decimal(id).filter(|number| STEAM_RANGE.contains(number))?;
        u32::try_from(number - STEAM_RANGE.start()).ok().map(Self)
    }

    /// The SteamID64 in full.
    pub fn id(self) -> String {
        (STEAM_RANGE.start() + u64::from(self.0)).to_string()
    }

    pub fn number(self) -> u32 {
        self.0
    }
}

impl SteamId {
    /// Accepts only the canonical decimal text in the range of personal accounts.
    pub fn parse(text: &str) -> Result<Self, IdError> {
        let account = SteamAccount::of(text).ok_or(IdError::Steam)?;
        let text = InlineText::new(text).ok_or(IdError::Steam)?;
        Ok(Self { text, account })
    }

    pub fn as_str(&self) -> &str {
        self.text.as_str()
    }

    /// Four bytes that stand for the whole id, where many are compared.
    pub fn account(&self) -> SteamAccount {
        self.account
    }
}

text_traits!(SteamId, "a SteamID64 as a string");

/// An id of either platform, told apart by its number alone.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EitherId {
    Discord(DiscordId),
    Steam(SteamId),
}

impl EitherId {
    pub fn parse(text: &str) -> Result<Self, IdError> {
        if let Ok(steam) = SteamId::parse(text) {
            return Ok(Self::Steam(steam));
        }
        DiscordId::parse(text)
            .map(Self::Discord)
            .map_err(|_| IdError::Neither)
    }

    pub fn as_str(&self) -> &str {
        match self {
            Self::Discord(id) => id.as_str(),
            Self::Steam(id) => id.as_str(),
        }
    }
}

/// The number, if the text is its only spelling: digits alone and no leading zero.
fn decimal(text: &str) -> Option<u64> {
    if text.is_empty() || text.starts_with('0') {
        return None;
    }
    text.bytes().try_fold(0_u64, |number, byte| {
        let digit = byte.wrapping_sub(b'0');
        (digit <= 9)
            .then(|| number.checked_mul(10)?.checked_add(u64::from(digit)))
            .flatten()
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_account_number_stands_for_its_whole_id() {
        for id in ["76561197960265728", "76561198000000123", "76561202255233023"] {
            assert_eq!(SteamAccount::of(id).unwrap().id(), id);
            assert_eq!(SteamId::parse(id).unwrap().account().id(), id);
        }
        for id in ["76561197960265727", "76561202255233024", "", "x"] {
            assert_eq!(SteamAccount::of(id), None, "{id}");
        }
    }

    #[test]
    fn steam_ids_end_exactly_at_both_borders() {
        assert!(SteamId::parse("76561197960265727").is_err());
        assert!(SteamId::parse("76561197960265728").is_ok());
        assert!(SteamId::parse("76561202255233023").is_ok());
        assert!(SteamId::parse("76561202255233024").is_err());
    }

    #[test]
    fn a_steam_id_is_never_taken_for_a_discord_id() {
        assert_eq!(
            DiscordId::parse("76561198000000000"),
            Err(IdError::SteamInsteadOfDiscord)
        );
        assert!(DiscordId::parse("76561197960265727").is_ok());
        assert!(DiscordId::parse("76561202255233024").is_ok());
    }

    #[test]
    fn discord_ids_have_17_to_20_digits_and_fit_64_bits() {
        assert!(DiscordId::parse("9999999999999999").is_err());
        assert!(DiscordId::parse("10000000000000000").is_ok());
        assert!(DiscordId::parse("18446744073709551615").is_ok());
        assert!(DiscordId::parse("18446744073709551616").is_err());
        assert!(DiscordId::parse("100000000000000000000").is_err());
    }

    #[test]
    fn other_spellings_of_a_number_are_refused() {
        for wrong in [
            "",
            "+76561198000000000",
            "-76561198000000000",
            "076561198000000000",
            " 76561198000000000",
            "76561198000000000\n",
            "7656119800000000O",
            "７６５６１１９８０００００００００",
            "7.6561198e16",
        ] {
            assert_eq!(EitherId::parse(wrong), Err(IdError::Neither), "{wrong}");
        }
    }

    #[test]
    fn json_numbers_are_refused() {
        assert!(serde_json::from_str::<SteamId>("76561198000000000").is_err());
        assert!(serde_json::from_str::<SteamId>("\"76561198000000000\"").is_ok());
    }

    proptest! {
        #[test]
        fn the_range_alone_decides_the_platform(number in 10_000_000_000_000_000_u64..) {
            let text = number.to_string();
            let id = EitherId::parse(&text).unwrap();
            prop_assert_eq!(id.as_str(), &text);
            let steam = matches!(id, EitherId::Steam(_));
            prop_assert_eq!(steam, STEAM_RANGE.contains(&number));
        }

        #[test]
        fn every_number_in_the_range_is_a_steam_id(number in STEAM_RANGE) {
            let text = number.to_string();
            prop_assert!(SteamId::parse(&text).is_ok());
            prop_assert!(DiscordId::parse(&text).is_err());
        }
    }
}
