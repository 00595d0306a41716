//! Short ASCII text held inline, and the string traits shared by the validated text types.

use std::fmt;

use serde::de::{Deserializer, Error, Visitor};

/// At most `CAP` bytes of ASCII without a heap allocation.
/// Unused bytes stay zero, so equality and order are those of the text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct InlineText<const CAP: usize> {
    bytes: [u8; CAP],
    len: u8,
}

impl<const CAP: usize> InlineText<CAP> {
    /// Nothing when the text is not ASCII or does not fit.
    pub(crate) fn new(text: &str) -> Option<Self> {
        let len = u8::try_from(text.len()).ok()?;
        let mut bytes = [0; CAP];
        bytes.get_mut(..text.len())?.copy_from_slice(text.as_bytes());
        text.is_ascii().then_some(Self { bytes, len })
    }

    /// Both texts one after the other; what is beyond `CAP` bytes or not ASCII is left away.
    pub(crate) fn joined(first: &str, second: &str) -> Self {
        let mut bytes = [0; CAP];
        let mut len = 0;
        let source = first.bytes().chain(second.bytes()).filter(u8::is_ascii);
        for (slot, byte) in bytes.iter_mut().zip(source) {
            *slot = byte;
            len += 1;
        }
        Self { bytes, len }
    }

    pub(crate) fn as_str(&self) -> &str {
        self.bytes
            .get(..usize::from(self.len))
            .map(ascii)
            .unwrap_or_default()
    }
}

/// The text of bytes that were checked to be ASCII when they were stored.
pub(crate) fn ascii(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap_or_default()
}

/// Reads a string and hands it to `parse`, so that no value enters from outside unchecked.
pub(crate) fn deserialize_parsed<'de, D, T, E>(
    deserializer: D,
    expecting: &'static str,
    parse: fn(&str) -> Result<T, E>,
) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    E: fmt::Display,
{
    deserializer.deserialize_str(ParseVisitor { expecting, parse })
}

struct ParseVisitor<T, E> {
    expecting: &'static str,
    parse: fn(&str) -> Result<T, E>,
}

impl<T, E: fmt::Display> Visitor<'_> for ParseVisitor<T, E> {
    type Value = T;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.expecting)
    }

    fn visit_str<R: Error>(self, text: &str) -> Result<T, R> {
        (self.parse)(text).map_err(R::custom)
    }
}

/// Display, Debug and serde for a type that has `as_str` and a `parse` that can refuse.
macro_rules! text_traits {
    ($name:ident, $expecting:expr) => {
        impl std::fmt::Display for $name {
            fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                out.pad(self.as_str())
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(out, concat!(stringify!($name), "({})"), self.as_str())
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $crate::text::deserialize_parsed(deserializer, $expecting, Self::parse)
            }
        }
    };
}
pub(crate) use text_traits;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_does_not_fit_is_refused() {
        assert!(InlineText::<3>::new("abcd").is_none());
        assert_eq!(InlineText::<3>::new("abc").map(|t| t.as_str().len()), Some(3));
    }

    #[test]
    fn text_outside_ascii_is_refused() {
        assert!(InlineText::<8>::new("é").is_none());
    }

    #[test]
    fn order_is_the_order_of_the_text() {
        let text = |t| InlineText::<4>::new(t).unwrap();
        assert!(text("ab") < text("abc"));
        assert!(text("abc") < text("b"));
    }
}
