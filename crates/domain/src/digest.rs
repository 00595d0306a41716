//! SHA-256 with a purpose label, and lower-case hex without allocating.

use sha2::{Digest, Sha256};

use crate::text::ascii;

const HEX: &[u8; 16] = b"0123456789abcdef";

/// The 64 hex characters of one SHA-256 digest.
#[derive(Clone)]
pub(crate) struct HexDigest([u8; 64]);

impl HexDigest {
    /// Digest of `label`, a zero byte and `content`. The label keeps digests of one purpose useless for another.
    pub(crate) fn labelled(label: &str, content: &[u8]) -> Self {
        let mut hasher = Sha256::new();
        hasher.update(label.as_bytes());
        hasher.update([0]);
        hasher.update(content);
        let mut out = [0; 64];
        write_hex(&hasher.finalize(), &mut out);
        Self(out)
    }

    /// Nothing unless the text is exactly 64 lower-case hex characters.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let bytes: [u8; 64] = text.as_bytes().try_into().ok()?;
        bytes.iter().all(is_lower_hex).then_some(Self(bytes))
    }

    pub(crate) fn as_bytes(&self) -> &[u8; 64] {
        &self.0
    }

    pub(crate) fn as_str(&self) -> &str {
        ascii(&self.0)
    }
}

/// Writes two characters for each byte; what does not fit into `out` is left away.
pub(crate) fn write_hex(bytes: &[u8], out: &mut [u8]) {
    for (byte, pair) in bytes.iter().zip(out.chunks_exact_mut(2)) {
        pair.copy_from_slice(&[HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 0x0f)]]);
    }
}

pub(crate) fn is_lower_hex(byte: &u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'a'..=b'f')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hex_is_lower_case_and_keeps_leading_zeros() {
        let mut out = [0; 6];
        write_hex(&[0x00, 0x0f, 0xab], &mut out);
        assert_eq!(&out, b"000fab");
    }

    #[test]
    fn digest_is_plain_sha_256_of_label_zero_content() {
        // printf 'label\0content' | sha256sum
        assert_eq!(
            HexDigest::labelled("label", b"content").as_str(),
            "158305160bd3b0fdeb5b46cbff60b187d3c579e5e9357c94d500f5486cbf5877"
        );
    }

    #[test]
    fn labels_separate_purposes() {
        let one = HexDigest::labelled("one", b"same");
        let two = HexDigest::labelled("two", b"same");
        assert_ne!(one.as_str(), two.as_str());
    }
}
