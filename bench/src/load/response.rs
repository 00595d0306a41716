//! Just enough HTTP/1.1 to read an answer: status and length of the body.

use std::ops::Range;

/// Answers to the measured calls are far smaller.
const MAX_ANSWER_BYTES: usize = 16 * 1024;

/// The one answer of ours that has no length, because it has no body.
const NO_CONTENT: u16 = 204;

#[derive(Debug, PartialEq, Eq)]
pub struct Parsed {
    pub status: u16,
    pub body: Range<usize>,
}

/// The bytes are not an answer we can read.
#[derive(Debug, PartialEq, Eq)]
pub struct Unreadable;

/// Collects the bytes of one answer at a time.
pub struct Inbox {
    bytes: Box<[u8; MAX_ANSWER_BYTES]>,
    filled: usize,
}

impl Inbox {
    pub fn new() -> Self {
        Self {
            bytes: Box::new([0; MAX_ANSWER_BYTES]),
            filled: 0,
        }
    }

    pub fn clear(&mut self) {
        self.filled = 0;
    }

    /// Where the next bytes go.
    pub fn space(&mut self) -> &mut [u8] {
        &mut self.bytes[self.filled..]
    }

    /// Takes note of `count` new bytes and returns the answer once it is complete.
    pub fn advance(&mut self, count: usize) -> Result<Option<Parsed>, Unreadable> {
        self.filled += count;
        match parse(&self.bytes[..self.filled])? {
            // We never ask for the next answer before this one is read.
            Some(answer) if answer.body.end < self.filled => Err(Unreadable),
            None if count == 0 || self.filled == MAX_ANSWER_BYTES => Err(Unreadable),
            answer => Ok(answer),
        }
    }

    pub fn body(&self, answer: &Parsed) -> &[u8] {
        &self.bytes[answer.body.clone()]
    }
}

/// Nothing while bytes are missing.
fn parse(bytes: &[u8]) -> Result<Option<Parsed>, Unreadable> {
    let mut status = None;
    let mut length = None;
    let mut at = 0;
    while let Some(end) = bytes[at..].iter().position(|byte| *byte == b'\n') {
        let line = bytes[at..at + end].strip_suffix(b"\r").ok_or(Unreadable)?;
        at += end + 1;
        if status.is_none() {
            let code = line.strip_prefix(b"HTTP/1.1 ").and_then(|rest| rest.get(..3));
            status = Some(number(code.ok_or(Unreadable)?)?);
        } else if line.is_empty() {
            let status = status.ok_or(Unreadable)?;
            let length = length.or((status == NO_CONTENT).then_some(0));
            let body = at..at + usize::from(length.ok_or(Unreadable)?);
            return Ok((body.end <= bytes.len()).then_some(Parsed { status, body }));
        } else if let Some(value) = header(line, b"content-length:") {
            length = Some(number(value.trim_ascii())?);
        }
    }
    Ok(None)
}

fn header<'a>(line: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    let (found, value) = line.split_at_checked(name.len())?;
    found.eq_ignore_ascii_case(name).then_some(value)
}

fn number(digits: &[u8]) -> Result<u16, Unreadable> {
    std::str::from_utf8(digits)
        .ok()
        .and_then(|text| text.parse().ok())
        .ok_or(Unreadable)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANSWER: &[u8] =
        b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nContent-Length: 4\r\n\r\n\"42\"";

    #[test]
    fn an_answer_is_read_however_it_is_cut() {
        for cut in 0..ANSWER.len() {
            assert_eq!(parse(&ANSWER[..cut]), Ok(None), "{cut}");
        }
        let whole = parse(ANSWER).unwrap().unwrap();
        assert_eq!((whole.status, &ANSWER[whole.body]), (200, b"\"42\"".as_slice()));
    }

    #[test]
    fn an_answer_without_content_needs_no_length() {
        let answer = b"HTTP/1.1 204 No Content\r\n\r\n";
        let whole = parse(answer).unwrap().unwrap();
        assert_eq!((whole.status, whole.body.len()), (204, 0));
    }

    #[test]
    fn what_is_not_an_answer_with_a_length_is_refused() {
        for wrong in [
            b"HTTP/1.0 200 OK\r\ncontent-length: 0\r\n\r\n".as_slice(),
            b"HTTP/1.1 2\r\n\r\n",
            b"HTTP/1.1 200 OK\r\n\r\n",
            b"HTTP/1.1 200 OK\ncontent-length: 0\n\n",
            b"HTTP/1.1 200 OK\r\ncontent-length: x\r\n\r\n",
        ] {
            assert_eq!(parse(wrong), Err(Unreadable));
        }
    }

    #[test]
    fn more_than_was_asked_for_or_an_early_end_is_refused() {
        let mut inbox = Inbox::new();
        inbox.space()[..ANSWER.len()].copy_from_slice(ANSWER);
        assert_eq!(inbox.advance(ANSWER.len() + 1), Err(Unreadable));
        inbox.clear();
        assert_eq!(inbox.advance(10), Ok(None));
        assert_eq!(inbox.advance(0), Err(Unreadable));
    }
}
