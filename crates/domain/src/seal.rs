//! Secrets at rest: a ring of master keys, and boxes that open only in the place they were made for.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use chacha20poly1305::aead::{Aead, Payload};
use chacha20poly1305::{KeyInit, XChaCha20Poly1305, XNonce};
use hkdf::Hkdf;
use sha2::Sha256;
use zeroize::Zeroizing;

use crate::random::{Random, bytes};

const KEY_BYTES: usize = 32;
const NONCE_BYTES: usize = 24;
const SUB_KEY_LABEL: &[u8] = b"secret-box";
const FORMAT: &str = "v1";
const ACTIVE_WORD: &str = "active";
const KID_CHARS: usize = 32;

/// Why a key ring was refused. No text ever contains key material.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RingError {
    #[error(
        "line {line} of the key ring is not understood: write \"<kid> <base64 of 32 bytes>\" or \"active <kid>\""
    )]
    Line { line: usize },
    #[error(
        "line {line} of the key ring: a kid is 1 to 32 letters, digits, \"-\" or \"_\", and not the word \"active\""
    )]
    Kid { line: usize },
    #[error("line {line} of the key ring: the key is not standard base64 with padding")]
    Base64 { line: usize },
    #[error("line {line} of the key ring: the key has {found} bytes, exactly 32 are needed")]
    KeyLength { line: usize, found: usize },
    #[error("the key ring names the key \"{kid}\" twice")]
    DuplicateKid { kid: String },
    #[error("the key ring has more than one \"active\" line")]
    TwoActive,
    #[error("the key ring has no line \"active <kid>\"")]
    NoActive,
    #[error("the key ring has no key \"{kid}\"")]
    UnknownKid { kid: String },
    #[error("the key ring is empty: at least one key and an \"active\" line are needed")]
    Empty,
    #[error("the key \"{kid}\" is active and cannot be removed; make another one active first")]
    RemoveActive { kid: String },
}

/// Why a sealed text did not open.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SealError {
    #[error("the sealed text does not have the form v1.<kid>.<data>")]
    Malformed,
    #[error("the sealed text needs the key \"{kid}\", which is not in the key ring")]
    UnknownKid { kid: String },
    #[error("the sealed text was changed, moved to another place, or sealed with another key")]
    NotAuthentic,
}

/// Where a sealed text lives. It opens only with the same four values, so copying it to another row is noticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Aad<'a> {
    pub table: &'a str,
    pub column: &'a str,
    pub row: &'a str,
    pub version: i64,
}

impl Aad<'_> {
    /// Each text preceded by its length, so that no two places encode alike.
    fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        for part in [FORMAT, self.table, self.column, self.row] {
            out.extend_from_slice(&(part.len() as u64).to_be_bytes());
            out.extend_from_slice(part.as_bytes());
        }
        out.extend_from_slice(&self.version.to_be_bytes());
        out
    }
}

struct MasterKey {
    kid: String,
    secret: Zeroizing<[u8; KEY_BYTES]>,
    cipher: XChaCha20Poly1305,
}

impl MasterKey {
    fn new(kid: String, secret: Zeroizing<[u8; KEY_BYTES]>) -> Self {
        let mut sub_key = Zeroizing::new([0; KEY_BYTES]);
        let expanded = Hkdf::<Sha256>::new(None, &*secret).expand(SUB_KEY_LABEL, &mut *sub_key);
        if expanded.is_err() {
            // Only for outputs above 8 KiB; sealing under a zero key would be worse than ending here.
            std::process::abort();
        }
        let cipher = XChaCha20Poly1305::new((&*sub_key).into());
        Self { kid, secret, cipher }
    }

    fn generate(kid: String, random: &dyn Random) -> Self {
        Self::new(kid, Zeroizing::new(bytes(random)))
    }
}

/// The master keys of an instance. New secrets are sealed with the active key, old ones open with the key they name.
pub struct KeyRing {
    active: MasterKey,
    others: Vec<MasterKey>,
}

impl KeyRing {
    /// Reads lines `kid base64` and one line `active kid`; blank lines and lines beginning with `#` are skipped.
    pub fn parse(text: &str) -> Result<Self, RingError> {
        let mut keys: Vec<MasterKey> = Vec::new();
        let mut active = None;
        for (index, content) in text.lines().enumerate() {
            let line = index + 1;
            let content = content.trim();
            if content.is_empty() || content.starts_with('#') {
                continue;
            }
            let mut words = content.split_whitespace();
            let (Some(first), Some(second), None) = (words.next(), words.next(), words.next()) else {
                return Err(RingError::Line { line });
            };
            if first == ACTIVE_WORD {
                if active.replace(second.to_owned()).is_some() {
                    return Err(RingError::TwoActive);
                }
                continue;
            }
            let key = parse_key(line, first, second)?;
            if keys.iter().any(|known| known.kid == key.kid) {
                return Err(RingError::DuplicateKid { kid: key.kid });
            }
            keys.push(key);
        }
        if keys.is_empty() {
            return Err(RingError::Empty);
        }
        let kid = active.ok_or(RingError::NoActive)?;
        match keys.iter().position(|key| key.kid == kid) {
            Some(position) => Ok(Self {
                active: keys.remove(position),
                others: keys,
            }),
            None => Err(RingError::UnknownKid { kid }),
        }
    }

    /// A new ring with one key, `k1`.
    pub fn generate(random: &dyn Random) -> Self {
        Self {
            active: MasterKey::generate("k1".to_owned(), random),
            others: Vec::new(),
        }
    }

    /// The text that [`KeyRing::parse`] reads. It is the secret of the instance: write it to a private file only.
    pub fn to_text(&self) -> Zeroizing<String> {
        let mut out = Zeroizing::new(String::with_capacity(64 + 96 * (1 + self.others.len())));
        for key in self.keys() {
            let secret = Zeroizing::new(STANDARD.encode(key.secret.as_slice()));
            for part in [key.kid.as_str(), " ", &secret, "\n"] {
                out.push_str(part);
            }
        }
        for part in [ACTIVE_WORD, " ", &self.active.kid, "\n"] {
            out.push_str(part);
        }
        out
    }

    /// Adds a key under the next free number, makes it active and returns its kid. The old keys keep opening.
    pub fn add_active(&mut self, random: &dyn Random) -> String {
        let highest = self
            .kids()
            .filter_map(|kid| kid.strip_prefix('k')?.parse::<u32>().ok())
            .max();
        let kid = format!("k{}", u64::from(highest.unwrap_or(0)) + 1);
        let fresh = MasterKey::generate(kid.clone(), random);
        let old = std::mem::replace(&mut self.active, fresh);
        self.others.insert(0, old);
        kid
    }

    /// Drops a key that is not active. Whatever is still sealed with it is lost, so re-seal and count first.
    pub fn remove(&mut self, kid: &str) -> Result<(), RingError> {
        let kid = kid.to_owned();
        if self.active.kid == kid {
            return Err(RingError::RemoveActive { kid });
        }
        match self.others.iter().position(|key| key.kid == kid) {
            Some(position) => {
                self.others.remove(position);
                Ok(())
            }
            None => Err(RingError::UnknownKid { kid }),
        }
    }

    pub fn active_kid(&self) -> &str {
        &self.active.kid
    }

    /// All kids, the active one first.
    pub fn kids(&self) -> impl Iterator<Item = &str> {
        self.keys().map(|key| key.kid.as_str())
    }

    /// Seals with the active key as `v1.<kid>.<base64url>`. Two seals of the same text differ.
    pub fn seal(&self, random: &dyn Random, aad: &Aad<'_>, plain: &[u8]) -> String {
        let nonce = bytes::<NONCE_BYTES>(random);
        let payload = Payload {
            msg: plain,
            aad: &aad.encode(),
        };
        let Ok(ciphertext) = self.active.cipher.encrypt(&XNonce::from(nonce), payload) else {
            // Only for texts above 256 GiB, which do not fit into a row anyway.
            std::process::abort();
        };
        let data = [nonce.as_slice(), &ciphertext].concat();
        let kid = &self.active.kid;
        format!("{FORMAT}.{kid}.{}", URL_SAFE_NO_PAD.encode(data))
    }

    /// The sealed bytes, wiped on drop. Any change of text, place or key is an error.
    pub fn open(&self, aad: &Aad<'_>, sealed: &str) -> Result<Zeroizing<Vec<u8>>, SealError> {
        let (kid, data) = split(sealed).ok_or(SealError::Malformed)?;
        let key = self
            .keys()
            .find(|key| key.kid == kid)
            .ok_or_else(|| SealError::UnknownKid { kid: kid.to_owned() })?;
        let data = URL_SAFE_NO_PAD.decode(data).map_err(|_| SealError::Malformed)?;
        let (nonce, ciphertext) = data
            .split_first_chunk::<NONCE_BYTES>()
            .ok_or(SealError::Malformed)?;
        let payload = Payload {
            msg: ciphertext,
            aad: &aad.encode(),
        };
        key.cipher
            .decrypt(&XNonce::from(*nonce), payload)
            .map(Zeroizing::new)
            .map_err(|_| SealError::NotAuthentic)
    }

    /// The kid a sealed text names, without opening it; nothing when the form is wrong.
    pub fn kid_of(sealed: &str) -> Option<&str> {
        split(sealed).map(|(kid, _)| kid)
    }

    fn keys(&self) -> impl Iterator<Item = &MasterKey> {
        std::iter::once(&self.active).chain(&self.others)
    }
}

impl fmt::Debug for KeyRing {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("KeyRing")
            .field("active", &self.active.kid)
            .field("kids", &self.kids().collect::<Vec<_>>())
            .finish()
    }
}

fn parse_key(line: usize, kid: &str, encoded: &str) -> Result<MasterKey, RingError> {
    if !is_kid(kid) {
        return Err(RingError::Kid { line });
    }
    let secret = STANDARD
        .decode(encoded)
        .map(Zeroizing::new)
        .map_err(|_| RingError::Base64 { line })?;
    let found = secret.len();
    let exact =
        <[u8; KEY_BYTES]>::try_from(secret.as_slice()).map_err(|_| RingError::KeyLength { line, found })?;
    Ok(MasterKey::new(kid.to_owned(), Zeroizing::new(exact)))
}

fn is_kid(text: &str) -> bool {
    (1..=KID_CHARS).contains(&text.len())
        && text != ACTIVE_WORD
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
}

fn split(sealed: &str) -> Option<(&str, &str)> {
    let rest = sealed.strip_prefix(FORMAT)?.strip_prefix('.')?;
    let (kid, data) = rest.split_once('.')?;
    is_kid(kid).then_some((kid, data))
}

#[cfg(test)]
#[path = "seal_tests.rs"]
mod tests;
