//! The words of a MySQL dump: blanks and comments, names, strings.

use std::io::Read;

use crate::import::files::source::{ReadError, Source};
use crate::import::files::table::{Collector, Value};

const MOST_NAME_BYTES: usize = 256;

pub struct Lexer<R> {
    source: Source<R>,
}

impl<R: Read> Lexer<R> {
    pub fn new(reader: R) -> Self {
        Self {
            source: Source::new(reader),
        }
    }

    pub fn line(&self) -> u64 {
        self.source.line()
    }

    pub fn error(&self, problem: impl Into<String>) -> ReadError {
        self.source.error(problem)
    }

    pub fn peek(&mut self) -> Result<Option<u8>, ReadError> {
        self.source.peek()
    }

    pub fn peek_at(&mut self, ahead: usize) -> Result<Option<u8>, ReadError> {
        self.source.peek_at(ahead)
    }

    pub fn bump(&mut self) -> Result<Option<u8>, ReadError> {
        self.source.bump()
    }

    /// Passes over this text if it comes next.
    pub fn accept(&mut self, text: &[u8]) -> Result<bool, ReadError> {
        let found = self.source.is_at(text)?;
        if found {
            self.source.skip(text.len())?;
        }
        Ok(found)
    }

    pub fn is_at(&mut self, text: &[u8]) -> Result<bool, ReadError> {
        self.source.is_at(text)
    }

    /// Passes over white space and comments. Comments that only some versions run count as comments.
    pub fn blank(&mut self) -> Result<(), ReadError> {
        loop {
            match self.source.peek()? {
                Some(byte) if byte.is_ascii_whitespace() => drop(self.source.bump()?),
                Some(_) if self.comment()? => {}
                Some(_) | None => return Ok(()),
            }
        }
    }

    /// Passes over one comment; false when none begins here.
    pub fn comment(&mut self) -> Result<bool, ReadError> {
        let begin = self.line();
        if self.source.is_at(b"/*")? {
            self.source.skip(2)?;
            while !self.accept(b"*/")? {
                if self.source.bump()?.is_none() {
                    return Err(unclosed(begin, "comment"));
                }
            }
            return Ok(true);
        }
        // Two dashes are a comment only in front of white space: 5--3 is a number.
        let dashes = self.source.is_at(b"--")?
            && self
                .source
                .peek_at(2)?
                .is_none_or(|byte| byte.is_ascii_whitespace() || byte.is_ascii_control());
        if !dashes && self.source.peek()? != Some(b'#') {
            return Ok(false);
        }
        while !matches!(self.source.peek()?, Some(b'\n') | None) {
            self.source.bump()?;
        }
        Ok(true)
    }

    /// A bare word in upper case; empty when none begins here.
    pub fn word(&mut self) -> Result<String, ReadError> {
        let mut word = String::new();
        while let Some(byte) = self.source.peek()?.filter(|byte| is_name(*byte)) {
            if word.len() < MOST_NAME_BYTES {
                // A keyword has ASCII letters only, so it does not matter how others come out.
                word.push(char::from(byte.to_ascii_uppercase()));
            }
            self.source.bump()?;
        }
        Ok(word)
    }

    /// A name, bare or in backticks or double quotes.
    pub fn name(&mut self) -> Result<String, ReadError> {
        self.blank()?;
        let quote = self.source.peek()?.filter(|byte| matches!(byte, b'`' | b'"'));
        let mut bytes = Vec::new();
        match quote {
            Some(quote) => self.quoted(quote, false, |byte| bytes.push(byte))?,
            None => {
                while let Some(byte) = self.source.peek()?.filter(|byte| is_name(*byte)) {
                    bytes.push(byte);
                    self.source.bump()?;
                }
            }
        }
        if bytes.is_empty() || bytes.len() > MOST_NAME_BYTES {
            return Err(self.error("a name is expected here"));
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// A name that may stand behind the name of its database; the database does not matter.
    pub fn qualified_name(&mut self) -> Result<String, ReadError> {
        let mut name = self.name()?;
        self.blank()?;
        while self.accept(b".")? {
            name = self.name()?;
            self.blank()?;
        }
        Ok(name)
    }

    /// A string in quotes, with those that stand directly behind it: MySQL reads 'a' 'b' as 'ab'.
    pub fn string(&mut self) -> Result<Value, ReadError> {
        let mut text = Collector::default();
        while let Some(quote @ (b'\'' | b'"')) = self.source.peek()? {
            self.quoted(quote, true, |byte| text.push(byte))?;
            self.blank()?;
        }
        Ok(text.finish())
    }

    /// Passes over something in quotes of any kind; false when no quote comes next.
    pub fn skip_quoted(&mut self) -> Result<bool, ReadError> {
        match self.source.peek()? {
            Some(quote @ (b'\'' | b'"' | b'`')) => {
                self.quoted(quote, quote != b'`', |_| {})?;
                Ok(true)
            }
            Some(_) | None => Ok(false),
        }
    }

    fn quoted(&mut self, quote: u8, escapes: bool, mut push: impl FnMut(u8)) -> Result<(), ReadError> {
        let begin = self.line();
        self.source.bump()?;
        loop {
            let byte = self.source.bump()?.ok_or_else(|| unclosed(begin, "quote"))?;
            if byte == b'\\' && escapes {
                let escaped = self.source.bump()?.ok_or_else(|| unclosed(begin, "quote"))?;
                unescape(escaped, &mut push);
            } else if byte != quote {
                push(byte);
            } else if self.source.peek()? == Some(quote) {
                self.source.bump()?;
                push(quote);
            } else {
                return Ok(());
            }
        }
    }
}

fn unclosed(line: u64, what: &str) -> ReadError {
    ReadError {
        line,
        problem: format!("this {what} is never closed"),
    }
}

/// A byte of a bare name; those above 127 belong to letters of other scripts.
pub fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | 0x80..)
}

fn unescape(escaped: u8, push: &mut impl FnMut(u8)) {
    match escaped {
        b'0' => push(0),
        b'b' => push(8),
        b'n' => push(b'\n'),
        b'r' => push(b'\r'),
        b't' => push(b'\t'),
        b'Z' => push(26),
        // These two keep their backslash: they matter to LIKE only.
        b'%' | b'_' => {
            push(b'\\');
            push(escaped);
        }
        other => push(other),
    }
}
