//! The secret that a program shows in `Authorization`.

use http::HeaderValue;

/// What follows `Bearer`. A header of another scheme, as proxies with a password of their own send it, or an empty one
/// carries nothing for us.
pub fn bearer(value: &HeaderValue) -> Option<&[u8]> {
    let text = value.as_bytes().trim_ascii();
    let end = text
        .iter()
        .position(u8::is_ascii_whitespace)
        .unwrap_or(text.len());
    let (scheme, key) = text.split_at(end);
    scheme.eq_ignore_ascii_case(b"Bearer").then_some(key)
}
