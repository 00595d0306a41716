//! Session tokens of signed-in people.

use std::fmt;

use zeroize::Zeroizing;

use crate::digest::HexDigest;
use crate::random::Random;
use crate::secret;

/// Stored hashes depend on this text; changing it signs everyone out.
const HASH_LABEL: &str = "symbolon session v1";

/// The text is not a session token; the cause is not told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a session token is 43 characters of URL-safe base64")]
pub struct MalformedToken;

/// The value of a session cookie: 256 random bits, wiped on drop, never printed.
pub struct SessionToken(Zeroizing<String>);

impl SessionToken {
    pub fn generate(random: &dyn Random) -> Self {
        Self(secret::generate(random))
    }

    /// Accepts exactly the generated form.
    pub fn parse(text: &str) -> Result<Self, MalformedToken> {
        secret::read(text).map(Self).ok_or(MalformedToken)
    }

    /// The secret text, for the cookie only.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// What is stored and looked up: 64 hex characters of a labelled SHA-256.
    pub fn hash(&self) -> String {
        HexDigest::labelled(HASH_LABEL, self.0.as_bytes())
            .as_str()
            .to_owned()
    }
}

impl fmt::Debug for SessionToken {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("SessionToken(…)")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::random::SeededRandom;

    #[test]
    fn printing_a_token_shows_nothing_of_it() {
        let token = SessionToken::generate(&SeededRandom::new(1));
        assert_eq!(format!("{token:?}"), "SessionToken(…)");
    }

    #[test]
    fn other_forms_are_refused() {
        let token = SessionToken::generate(&SeededRandom::new(1));
        let text = token.expose();
        for wrong in [
            "",
            &text[1..],
            &format!("{text}="),
            &format!("{text}A"),
            &format!(" {text}"),
            &"/".repeat(43),
            // The last character carries two bits that must be zero.
            &format!("{}B", &text[..42]),
        ] {
            assert!(SessionToken::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn huge_input_is_refused() {
        assert!(SessionToken::parse(&"A".repeat(100_000)).is_err());
    }

    proptest! {
        #[test]
        fn tokens_read_back_with_the_same_hash(seed: u64) {
            let token = SessionToken::generate(&SeededRandom::new(seed));
            prop_assert_eq!(token.expose().len(), 43);
            let read = SessionToken::parse(token.expose()).unwrap();
            prop_assert_eq!(read.hash(), token.hash());
            prop_assert_eq!(token.hash().len(), 64);
        }
    }
}
