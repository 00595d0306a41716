//! Bytes of a file with a look ahead and the number of the current line. A file is never held as a whole.

use std::io::Read;

const CHUNK_BYTES: usize = 64 * 1024;

/// Why a file could not be read to its end.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct ReadError {
    /// Counted from 1.
    pub line: u64,
    /// In words for a person.
    pub problem: String,
}

pub struct Source<R> {
    reader: R,
    buffer: Vec<u8>,
    at: usize,
    line: u64,
}

impl<R: Read> Source<R> {
    pub fn new(reader: R) -> Self {
        Self {
            reader,
            buffer: Vec::new(),
            at: 0,
            line: 1,
        }
    }

    /// The line of the next byte, counted from 1.
    pub fn line(&self) -> u64 {
        self.line
    }

    pub fn error(&self, problem: impl Into<String>) -> ReadError {
        ReadError {
            line: self.line,
            problem: problem.into(),
        }
    }

    /// The byte `ahead` places after the next one; none behind the end.
    pub fn peek_at(&mut self, ahead: usize) -> Result<Option<u8>, ReadError> {
        while self.buffer.len() - self.at <= ahead {
            if !self.fill()? {
                return Ok(None);
            }
        }
        Ok(self.buffer.get(self.at + ahead).copied())
    }

    pub fn peek(&mut self) -> Result<Option<u8>, ReadError> {
        self.peek_at(0)
    }

    pub fn bump(&mut self) -> Result<Option<u8>, ReadError> {
        let byte = self.peek()?;
        if let Some(byte) = byte {
            self.at += 1;
            self.line += u64::from(byte == b'\n');
        }
        Ok(byte)
    }

    /// Whether these bytes come next.
    pub fn is_at(&mut self, text: &[u8]) -> Result<bool, ReadError> {
        for (ahead, expected) in text.iter().enumerate() {
            if self.peek_at(ahead)? != Some(*expected) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    pub fn skip(&mut self, count: usize) -> Result<(), ReadError> {
        for _ in 0..count {
            self.bump()?;
        }
        Ok(())
    }

    fn fill(&mut self) -> Result<bool, ReadError> {
        self.buffer.drain(..self.at);
        self.at = 0;
        let filled = self.buffer.len();
        self.buffer.resize(filled + CHUNK_BYTES, 0);
        let read = loop {
            match self.reader.read(&mut self.buffer[filled..]) {
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                other => break other,
            }
        };
        let count = read.map_err(|error| self.error(format!("the file cannot be read: {error}")))?;
        self.buffer.truncate(filled + count);
        Ok(count > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A reader that gives one byte at a time, as a slow pipe does.
    pub struct Drip<'a>(pub &'a [u8]);

    impl Read for Drip<'_> {
        fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
            let count = self.0.len().min(out.len()).min(1);
            out[..count].copy_from_slice(&self.0[..count]);
            self.0 = &self.0[count..];
            Ok(count)
        }
    }

    #[test]
    fn lines_are_counted_and_looking_ahead_moves_nothing() {
        let mut source = Source::new(Drip(b"a\nbc"));
        assert_eq!(source.peek_at(3), Ok(Some(b'c')));
        assert_eq!(source.peek_at(4), Ok(None));
        assert_eq!((source.bump(), source.line()), (Ok(Some(b'a')), 1));
        assert_eq!((source.bump(), source.line()), (Ok(Some(b'\n')), 2));
        assert_eq!(source.is_at(b"bc"), Ok(true));
        assert_eq!(source.is_at(b"bcd"), Ok(false));
        assert_eq!(source.skip(2), Ok(()));
        assert_eq!(source.bump(), Ok(None));
    }
}
