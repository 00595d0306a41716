//! The name that a caller gives to one request, by which its repetition is recognised.

use crate::digest::HexDigest;

const MOST_CHARS: usize = 255;
const KEY_LABEL: &str = "symbolon idempotency key v1";
const REQUEST_LABEL: &str = "symbolon idempotent request v1";

/// What was sent as `Idempotency-Key`. Only its digest is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdempotencyKey {
    hash: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("1 to 255 visible ASCII characters without spaces, sent once")]
pub struct MalformedIdempotencyKey;

impl IdempotencyKey {
    pub fn parse(text: &[u8]) -> Result<Self, MalformedIdempotencyKey> {
        if !(1..=MOST_CHARS).contains(&text.len()) || !text.iter().all(u8::is_ascii_graphic) {
            return Err(MalformedIdempotencyKey);
        }
        Ok(Self {
            hash: HexDigest::labelled(KEY_LABEL, text).as_str().to_owned(),
        })
    }

    pub fn hash(&self) -> &str {
        &self.hash
    }
}

/// The digest of a request, by which a repetition is told from another request under the same key.
pub fn request_hash(path: &str, body: &[u8]) -> String {
    // The length goes first, so that nothing can move from the path into the body.
    let content = [&(path.len() as u64).to_be_bytes(), path.as_bytes(), body].concat();
    HexDigest::labelled(REQUEST_LABEL, &content).as_str().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_bounded_visible_text() {
        for good in [
            &b"a"[..],
            b"8e03978e-40d5-43dd-bc93-6894a57f9324",
            b"\"quoted\"",
            &[b'x'; 255],
        ] {
            assert!(IdempotencyKey::parse(good).is_ok());
        }
        for bad in [&b""[..], b"a b", b"a\tb", b"\x7f", "ä".as_bytes(), &[b'x'; 256]] {
            assert_eq!(IdempotencyKey::parse(bad), Err(MalformedIdempotencyKey));
        }
    }

    #[test]
    fn what_is_kept_of_a_key_is_not_the_key() {
        let key = IdempotencyKey::parse(b"svc_live_secret").unwrap();
        assert!(!format!("{key:?}").contains("secret"));
        assert_eq!(key.hash().len(), 64);
    }

    #[test]
    fn requests_differ_by_path_and_body() {
        let all = [("/a", "b"), ("/ab", ""), ("/a", ""), ("/b", "b")];
        let mut hashes: Vec<String> = all
            .iter()
            .map(|(path, body)| request_hash(path, body.as_bytes()))
            .collect();
        hashes.sort();
        hashes.dedup();
        assert_eq!(hashes.len(), all.len());
    }
}
