//! Secrets of one sign-in round trip: the state that ties it to a browser, and the proof that we began it.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use crate::digest::HexDigest;
use crate::random::Random;
use crate::secret;

/// Stored hashes depend on this text; changing it ends all sign-ins that are under way.
const STATE_LABEL: &str = "symbolon oauth state v1";

/// The text is not one of our own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a value of this sign-in")]
pub struct MalformedSecret;

/// The `state` of an authorization request: 256 random bits, wiped on drop, never printed.
pub struct State(Zeroizing<String>);

impl State {
    pub fn generate(random: &dyn Random) -> Self {
        Self(secret::generate(random))
    }

    /// Accepts exactly the generated form.
    pub fn parse(text: &str) -> Result<Self, MalformedSecret> {
        secret::read(text).map(Self).ok_or(MalformedSecret)
    }

    /// The text for the authorization request only.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// What is stored with the flow.
    pub fn hash(&self) -> String {
        HexDigest::labelled(STATE_LABEL, self.0.as_bytes())
            .as_str()
            .to_owned()
    }

    /// Compares with a stored hash, in a time that tells nothing about it.
    pub fn matches(&self, stored_hash: &str) -> bool {
        self.hash().as_bytes().ct_eq(stored_hash.as_bytes()).into()
    }
}

impl fmt::Debug for State {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("State(…)")
    }
}

/// The PKCE verifier of a sign-in: stays on the server, sealed while it waits, and goes out with the code.
pub struct PkceVerifier(Zeroizing<String>);

impl PkceVerifier {
    pub fn generate(random: &dyn Random) -> Self {
        Self(secret::generate(random))
    }

    /// Accepts exactly the generated form.
    pub fn parse(text: &str) -> Result<Self, MalformedSecret> {
        secret::read(text).map(Self).ok_or(MalformedSecret)
    }

    /// The secret text, for the token exchange and for sealing only.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// What the authorization request carries: the method S256.
    pub fn challenge(&self) -> String {
        URL_SAFE_NO_PAD.encode(Sha256::digest(self.0.as_bytes()))
    }
}

impl fmt::Debug for PkceVerifier {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("PkceVerifier(…)")
    }
}

/// The code that a provider sends a browser back with: not ours, and not trusted before the provider took it. Held to a
/// form in which it cannot be anything else, wiped on drop, never printed.
pub struct AuthorizationCode(Zeroizing<String>);

impl AuthorizationCode {
    const MAX_CHARS: usize = 256;

    /// Letters, digits and `-._~`, as many as a provider could mean.
    pub fn parse(text: &str) -> Result<Self, MalformedSecret> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
        if text.is_empty() || text.len() > Self::MAX_CHARS || !text.bytes().all(is_plain) {
            return Err(MalformedSecret);
        }
        Ok(Self(Zeroizing::new(text.to_owned())))
    }

    /// The text for the token exchange only.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for AuthorizationCode {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("AuthorizationCode(…)")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::random::SeededRandom;

    #[test]
    fn the_challenge_is_that_of_the_standards_example() {
        // RFC 7636, appendix B.
        let verifier = PkceVerifier::parse("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk").unwrap();
        assert_eq!(
            verifier.challenge(),
            "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
        );
    }

    #[test]
    fn printing_shows_nothing() {
        let random = SeededRandom::new(1);
        let (state, verifier) = (State::generate(&random), PkceVerifier::generate(&random));
        assert_eq!(format!("{state:?} {verifier:?}"), "State(…) PkceVerifier(…)");
        assert_ne!(state.expose(), verifier.expose());
    }

    #[test]
    fn only_its_own_hash_matches() {
        let random = SeededRandom::new(2);
        let (one, two) = (State::generate(&random), State::generate(&random));
        assert!(one.matches(&one.hash()));
        assert!(!one.matches(&two.hash()));
        assert!(!one.matches(""));
        assert!(!one.matches(one.expose()));
    }

    #[test]
    fn other_forms_are_refused() {
        for wrong in [
            "",
            "x",
            &"A".repeat(42),
            &"A".repeat(44),
            &"/".repeat(43),
            &"A".repeat(100_000),
        ] {
            assert!(State::parse(wrong).is_err() && PkceVerifier::parse(wrong).is_err());
        }
    }

    #[test]
    fn a_code_is_of_a_few_plain_signs() {
        for good in [
            "x",
            "NhhvTDYsFcdgNLnnLijcl7Ku7bEEeee",
            "a-b._~9",
            &"x".repeat(256),
        ] {
            assert_eq!(AuthorizationCode::parse(good).unwrap().expose(), good);
        }
        for wrong in [
            "",
            &"x".repeat(257),
            "a b",
            "a+b",
            "a&b",
            "a=b",
            "a%20",
            "a/b",
            "ä",
            "a\0",
            "a\n",
        ] {
            assert!(AuthorizationCode::parse(wrong).is_err(), "{wrong:?}");
        }
        let shown = format!("{:?}", AuthorizationCode::parse("secret").unwrap());
        assert_eq!(shown, "AuthorizationCode(…)");
    }

    proptest! {
        #[test]
        fn both_read_back_as_themselves(seed: u64) {
            let random = SeededRandom::new(seed);
            let (state, verifier) = (State::generate(&random), PkceVerifier::generate(&random));
            prop_assert!(State::parse(state.expose()).unwrap().matches(&state.hash()));
            let read = PkceVerifier::parse(verifier.expose()).unwrap();
            prop_assert_eq!(read.challenge(), verifier.challenge());
        }
    }
}
