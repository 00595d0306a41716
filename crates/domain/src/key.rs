//! API keys: the secret itself, what is stored of it, and what may be shown.

use std::borrow::Cow;
use std::fmt;
use std::hash::{Hash, Hasher};

use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

use crate::digest::{HexDigest, is_lower_hex, write_hex};
use crate::random::{Random, bytes};
use crate::text::{InlineText, ascii};
use crate::words::words;

const KEY_MARK: &str = "svc_live_";
const KEY_HEX: usize = 48;
const KEY_CHARS: usize = KEY_MARK.len() + KEY_HEX;
pub(crate) const BOT_SECRET_MARK: &str = "sbot_";
pub(crate) const BOT_SECRET_HEX: usize = 64;
const PREFIX_CHARS: usize = 12;
/// Stored hashes depend on this text; changing it locks every key out.
const HASH_LABEL: &str = "symbolon api key v1";

words! {
    /// Who made a key and who decides what it may do.
    pub enum KeyKind {
        /// Made together with its server, with a fixed allow-list.
        Plugin = "plugin",
        /// Made by a member, with a chosen allow-list.
        Custom = "custom",
        /// Made and rotated by the platform for its bots.
        Bot = "bot",
    }
}

/// The text is not an API key. Says the same for every cause, so that an attacker learns nothing from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an API key is \"svc_live_\" followed by 48 characters out of 0-9 and a-f")]
pub struct MalformedKey;

/// A whole key in memory: wiped on drop, cannot be cloned, printed or serialized by accident.
pub struct PlainKey(Zeroizing<[u8; KEY_CHARS]>);

impl PlainKey {
    /// A new key with 192 random bits.
    pub fn generate(random: &dyn Random) -> Self {
        let secret = Zeroizing::new(bytes::<{ KEY_HEX / 2 }>(random));
        let mut text = Zeroizing::new([0; KEY_CHARS]);
        let (mark, hex) = text.split_at_mut(KEY_MARK.len());
        mark.copy_from_slice(KEY_MARK.as_bytes());
        write_hex(&*secret, hex);
        Self(text)
    }

    /// Accepts exactly the generated form; upper case or surrounding space is refused.
    pub fn parse(text: &str) -> Result<Self, MalformedKey> {
        let hex = text.strip_prefix(KEY_MARK).ok_or(MalformedKey)?;
        if !hex.as_bytes().iter().all(is_lower_hex) {
            return Err(MalformedKey);
        }
        text.as_bytes()
            .try_into()
            .map(Zeroizing::new)
            .map(Self)
            .map_err(|_| MalformedKey)
    }

    /// The secret text. Only for handing it to its owner or sealing it.
    pub fn expose(&self) -> &str {
        ascii(&*self.0)
    }

    pub fn hash(&self) -> KeyHash {
        KeyHash::of(self)
    }

    pub fn prefix(&self) -> KeyPrefix {
        KeyPrefix(InlineText::joined(&self.expose()[..PREFIX_CHARS], ""))
    }
}

impl fmt::Debug for PlainKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "PlainKey({}…)", self.prefix().as_str())
    }
}

/// What keys are found by: 64 hex characters of a labelled SHA-256. Comparing two takes the same time wherever they differ.
#[derive(Clone)]
pub struct KeyHash(HexDigest);

impl KeyHash {
    pub fn of(key: &PlainKey) -> Self {
        Self(HexDigest::labelled(HASH_LABEL, &*key.0))
    }

    /// Reads a stored hash; nothing unless it is 64 lower-case hex characters.
    pub fn parse(text: &str) -> Option<Self> {
        HexDigest::parse(text).map(Self)
    }

    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

impl PartialEq for KeyHash {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_bytes().ct_eq(other.0.as_bytes()).into()
    }
}

impl Eq for KeyHash {}

impl Hash for KeyHash {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.as_bytes().hash(state);
    }
}

impl fmt::Debug for KeyHash {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "KeyHash({}…)", &self.as_str()[..PREFIX_CHARS])
    }
}

/// The first 12 characters of a key, the only part that may reach logs, audit rows and errors.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct KeyPrefix(InlineText<PREFIX_CHARS>);

impl KeyPrefix {
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

impl fmt::Display for KeyPrefix {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(self.as_str())
    }
}

impl fmt::Debug for KeyPrefix {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "KeyPrefix({})", self.as_str())
    }
}

/// Cuts every API key and bot secret in the text down to its first 12 characters and `…`.
/// Cut-off and upper-case copies are caught too, since most of a secret is as bad as all of it.
pub fn redact(text: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let mut copied = 0;
    let mut from = 0;
    while let Some((start, length)) = find_secret(text, from) {
        out.push_str(&text[copied..start + PREFIX_CHARS]);
        out.push('…');
        copied = start + length;
        from = copied;
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[copied..]);
    Cow::Owned(out)
}

/// Start and length of the first secret at or after `from` that is longer than what may be shown.
fn find_secret(text: &str, from: usize) -> Option<(usize, usize)> {
    let kinds = [(KEY_MARK, KEY_HEX), (BOT_SECRET_MARK, BOT_SECRET_HEX)];
    let of_kind = |(mark, hex_chars): (&str, usize)| {
        text[from..].match_indices(mark).find_map(|(offset, _)| {
            let start = from + offset;
            let hex = text[start + mark.len()..]
                .bytes()
                .take(hex_chars)
                .take_while(u8::is_ascii_hexdigit)
                .count();
            let length = mark.len() + hex;
            (length > PREFIX_CHARS).then_some((start, length))
        })
    };
    kinds.into_iter().filter_map(of_kind).min()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::random::{SeededRandom, SystemRandom};

    const SAMPLE: &str = "svc_live_0123456789abcdef0123456789abcdef0123456789abcdef";

    #[test]
    fn generated_keys_have_the_published_form_and_differ() {
        let (one, two) = (
            PlainKey::generate(&SystemRandom),
            PlainKey::generate(&SystemRandom),
        );
        assert_eq!(one.expose().len(), 57);
        assert!(PlainKey::parse(one.expose()).is_ok());
        assert_ne!(one.expose(), two.expose());
    }

    #[test]
    fn hex_digits_of_generated_keys_are_evenly_spread() {
        let mut seen = [0_u32; 16];
        for _ in 0..2_000 {
            let key = PlainKey::generate(&SystemRandom);
            for digit in key.expose()[KEY_MARK.len()..].chars() {
                seen[digit.to_digit(16).unwrap() as usize] += 1;
            }
        }
        let expected = 2_000.0 * 48.0 / 16.0;
        let chi_square: f64 = seen
            .iter()
            .map(|count| (f64::from(*count) - expected).powi(2) / expected)
            .sum();
        // 15 degrees of freedom; a fair source exceeds this about once in ten million runs.
        assert!(chi_square < 60.0, "{chi_square}");
    }

    #[test]
    fn anything_but_the_exact_form_is_refused() {
        for wrong in [
            "",
            "svc_live_",
            &SAMPLE[..56],
            &format!("{SAMPLE}0"),
            &format!(" {SAMPLE}"),
            &format!("{SAMPLE}\n"),
            &SAMPLE.to_uppercase(),
            &SAMPLE.replace('a', "A"),
            &SAMPLE.replace('a', "g"),
            &SAMPLE.replace("live", "test"),
            &SAMPLE.replace("ab", "é"),
        ] {
            assert_eq!(PlainKey::parse(wrong).err(), Some(MalformedKey), "{wrong}");
        }
    }

    #[test]
    fn printing_a_key_shows_its_prefix_only() {
        let key = PlainKey::parse(SAMPLE).unwrap();
        assert_eq!(format!("{key:?}"), "PlainKey(svc_live_012…)");
        assert_eq!(
            format!("{:#?}", Some(&key)),
            "Some(\n    PlainKey(svc_live_012…),\n)"
        );
        assert_eq!(key.prefix().as_str(), "svc_live_012");
    }

    #[test]
    fn the_stored_hash_of_a_key_never_changes() {
        let key = PlainKey::parse(SAMPLE).unwrap();
        assert_eq!(
            key.hash().as_str(),
            "808e4bc9d308db28ccb86ce24b47cddbd066eaee525098ead838bcfa41e57217"
        );
        assert_eq!(KeyHash::parse(key.hash().as_str()), Some(key.hash()));
    }

    #[test]
    fn a_stored_hash_of_another_form_is_refused() {
        let hash = PlainKey::parse(SAMPLE).unwrap().hash();
        assert_eq!(KeyHash::parse(&hash.as_str().to_uppercase()), None);
        assert_eq!(KeyHash::parse(&hash.as_str()[1..]), None);
    }

    #[test]
    fn keys_and_bot_secrets_are_cut_wherever_they_stand() {
        let bot = format!("sbot_{}", "ab".repeat(32));
        let text = format!("secret={SAMPLE}&x {bot}{SAMPLE}é");
        assert_eq!(
            redact(&text),
            "secret=svc_live_012…&x sbot_abababa…svc_live_012…é"
        );
    }

    #[test]
    fn cut_off_and_upper_case_copies_are_redacted_too() {
        assert_eq!(redact(&SAMPLE[..40]), "svc_live_012…");
        assert_eq!(redact("svc_live_ABCDEF"), "svc_live_ABC…");
        assert_eq!(redact("svc_live_svc_live_abcd"), "svc_live_svc_live_abc…");
    }

    #[test]
    fn text_without_secrets_is_not_copied() {
        for text in ["", "svc_live_", "svc_live_012…", "sbot_abc", "what is svc_live_?"] {
            assert!(matches!(redact(text), Cow::Borrowed(same) if same == text));
        }
    }

    proptest! {
        #[test]
        fn no_key_survives_redaction(before in ".{0,20}", after in ".{0,20}", seed: u64) {
            let key = PlainKey::generate(&SeededRandom::new(seed));
            let text = format!("{before}{}{after}", key.expose());
            let shown = redact(&text);
            prop_assert!(!shown.contains(&key.expose()[..=PREFIX_CHARS]));
            prop_assert!(shown.contains(key.prefix().as_str()));
            prop_assert!(shown.starts_with(&before) && shown.ends_with(&after));
        }

        #[test]
        fn redacting_twice_is_redacting_once(text in "((svc_live_|sbot_)[0-9a-f]{0,70}|.{0,5}){0,4}") {
            let once = redact(&text).into_owned();
            prop_assert_eq!(redact(&once), once.as_str());
        }

        #[test]
        fn different_keys_have_different_hashes(one: u64, two: u64) {
            prop_assume!(one != two);
            let hash = |seed| PlainKey::generate(&SeededRandom::new(seed)).hash();
            prop_assert_ne!(hash(one), hash(two));
            prop_assert_eq!(hash(one), hash(one));
        }
    }
}
