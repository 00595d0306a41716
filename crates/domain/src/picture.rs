//! Pictures that are fetched from elsewhere and shown from our own address.

use sha2::{Digest, Sha256};

/// The largest picture that is kept.
pub const MAX_BYTES: usize = 128 * 1024;

/// What a picture is, by its first bytes. What a server says about it is not believed, and nothing that could hold a
/// script is among them.
pub fn content_type(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        _ => None,
    }
}

/// What a file is called by its content.
pub fn digest(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Whether a text is Discord's name for a picture: 32 hex digits, with a mark for those that move.
pub fn is_discord_hash(text: &str) -> bool {
    let digits = text.strip_prefix("a_").unwrap_or(text);
    digits.len() == 32
        && digits
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pictures_are_pictures() {
        assert_eq!(content_type(b"\x89PNG\r\n\x1a\nrest"), Some("image/png"));
        assert_eq!(content_type(b"\xff\xd8\xff\xe0"), Some("image/jpeg"));
        assert_eq!(content_type(b"GIF89a"), Some("image/gif"));
        assert_eq!(content_type(b"RIFF\0\0\0\0WEBPVP8 "), Some("image/webp"));
        for odd in [
            &b""[..],
            b"<svg onload=x>",
            b"<html>",
            b"RIFF\0\0\0\0WAVE",
            b"\x89PNG",
        ] {
            assert_eq!(content_type(odd), None, "{odd:?}");
        }
    }

    #[test]
    fn a_name_of_a_picture_leads_nowhere_else() {
        let hash = "0123456789abcdef".repeat(2);
        assert!(is_discord_hash(&hash) && is_discord_hash(&["a_", &hash].concat()));
        for odd in [
            "",
            "../../x",
            &hash[1..],
            &hash.to_uppercase(),
            &[&hash, "/"].concat(),
        ] {
            assert!(!is_discord_hash(odd), "{odd}");
        }
    }
}
