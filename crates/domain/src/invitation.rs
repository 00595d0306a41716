//! Invitations to a team: the code in the address, and how long it works.

use std::fmt;

use zeroize::Zeroizing;

use crate::digest::HexDigest;
use crate::random::Random;
use crate::secret;
use crate::words::words;

/// Stored hashes depend on this text; changing it ends all invitations.
const INVITE_LABEL: &str = "symbolon invite v1";
const REGISTRATION_LABEL: &str = "symbolon registration v1";
const DAY_MS: i64 = 24 * 60 * 60_000;

words! {
    /// How long an invitation works.
    pub enum Expiry {
        OneDay = "1d",
        SevenDays = "7d",
        ThirtyDays = "30d",
        Never = "never",
    }
}

impl Expiry {
    pub const fn ends_at_ms(self, now_ms: i64) -> Option<i64> {
        match self {
            Self::OneDay => Some(now_ms + DAY_MS),
            Self::SevenDays => Some(now_ms + 7 * DAY_MS),
            Self::ThirtyDays => Some(now_ms + 30 * DAY_MS),
            Self::Never => None,
        }
    }
}

/// The secret part of an invitation's address or of a registration: 256 random bits, wiped on drop, never printed.
pub struct Code(Zeroizing<String>);

impl Code {
    pub fn generate(random: &dyn Random) -> Self {
        Self(secret::generate(random))
    }

    /// Accepts exactly the generated form.
    pub fn parse(text: &str) -> Option<Self> {
        secret::read(text).map(Self)
    }

    /// The secret text, for the address only.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// What an invitation is found by.
    pub fn invite_hash(&self) -> String {
        self.hash(INVITE_LABEL)
    }

    /// What a registration code is found by.
    pub fn registration_hash(&self) -> String {
        self.hash(REGISTRATION_LABEL)
    }

    fn hash(&self, label: &str) -> String {
        HexDigest::labelled(label, self.0.as_bytes()).as_str().to_owned()
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Code(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SeededRandom;

    #[test]
    fn a_code_reads_back_and_prints_nothing() {
        let code = Code::generate(&SeededRandom::new(7));
        let read = Code::parse(code.expose()).unwrap();
        assert_eq!(read.invite_hash(), code.invite_hash());
        assert_ne!(code.invite_hash(), code.registration_hash());
        assert_eq!(format!("{code:?}"), "Code(…)");
        assert!(Code::parse("short").is_none());
    }

    #[test]
    fn the_four_choices_of_an_expiry() {
        let ends: Vec<_> = Expiry::ALL.iter().map(|expiry| expiry.ends_at_ms(0)).collect();
        assert_eq!(
            ends,
            [Some(86_400_000), Some(604_800_000), Some(2_592_000_000), None]
        );
    }
}
