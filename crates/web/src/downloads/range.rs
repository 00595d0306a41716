//! Parts of a file, as `Range` asks for them.

use std::ops::Range;

/// What a caller wants of a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    Whole,
    Part(Range<usize>),
    /// Nothing that the file has.
    Beyond,
}

/// Reads the header. One that asks for several parts at once, or that is not understood, is answered with the whole
/// file, which is right for everybody.
pub(super) fn wanted(header: &str, length: usize) -> Wanted {
    let parts = header
        .split_once('=')
        .filter(|(unit, parts)| unit.trim().eq_ignore_ascii_case("bytes") && !parts.contains(','))
        .and_then(|(_, part)| part.trim().split_once('-'));
    let Some((first, last)) = parts else {
        return Wanted::Whole;
    };
    let part = match (number(first), number(last)) {
        (Some(first), Some(last)) if first <= last => first..last.saturating_add(1).min(length),
        (Some(first), None) if last.is_empty() => first..length,
        // The end of the file.
        (None, Some(count)) if first.is_empty() => length.saturating_sub(count)..length,
        (Some(_) | None, Some(_) | None) => return Wanted::Whole,
    };
    if part.is_empty() {
        Wanted::Beyond
    } else {
        Wanted::Part(part)
    }
}

/// A number that is too large stands for the end of any file.
fn number(text: &str) -> Option<usize> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().unwrap_or(usize::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_what_was_asked_for_and_no_more_than_there_is() {
        for (header, part) in [
            ("bytes=0-0", 0..1),
            ("bytes=0-9", 0..10),
            ("bytes=2-4", 2..5),
            ("bytes=7-", 7..10),
            ("bytes=7-99999999999999999999999", 7..10),
            ("bytes=-3", 7..10),
            ("bytes=-99", 0..10),
            ("BYTES=1-1", 1..2),
        ] {
            assert_eq!(wanted(header, 10), Wanted::Part(part), "{header}");
        }
    }

    #[test]
    fn what_the_file_does_not_have_is_told() {
        for header in [
            "bytes=10-",
            "bytes=10-20",
            "bytes=-0",
            "bytes=99999999999999999999999-",
        ] {
            assert_eq!(wanted(header, 10), Wanted::Beyond, "{header}");
        }
    }

    #[test]
    fn whatever_is_not_understood_gets_the_whole_file() {
        for header in [
            "",
            "bytes",
            "bytes=",
            "bytes=-",
            "bytes=4-2",
            "bytes=0-1,3-4",
            "lines=0-1",
            "bytes=a-b",
            "bytes=+1-2",
        ] {
            assert_eq!(wanted(header, 10), Wanted::Whole, "{header}");
        }
    }
}
