//! The values of an INSERT.

use std::io::Read;

use super::lexer::Lexer;
use crate::import::files::source::ReadError;
use crate::import::files::table::{Collector, MOST_COLUMNS, Value};

const EXPRESSION: Value = Value::Unreadable("is an expression, not a value");

impl<R: Read> Lexer<R> {
    /// A tuple in parentheses.
    pub fn tuple(&mut self) -> Result<Vec<Value>, ReadError> {
        self.blank()?;
        if !self.accept(b"(")? {
            return Err(self.error("an opening parenthesis is expected here"));
        }
        let mut values = Vec::new();
        self.blank()?;
        if self.accept(b")")? {
            return Ok(values);
        }
        loop {
            values.push(self.value()?);
            if values.len() > MOST_COLUMNS {
                return Err(self.error(format!("a row has more than {MOST_COLUMNS} values")));
            }
            if self.accept(b")")? {
                return Ok(values);
            }
            if !self.accept(b",")? {
                return Err(self.error("a comma or a closing parenthesis is expected here"));
            }
        }
    }

    /// One value, up to the comma or parenthesis behind it. An expression is passed over.
    fn value(&mut self) -> Result<Value, ReadError> {
        self.blank()?;
        let value = match self.peek()? {
            Some(b'\'' | b'"') => self.string()?,
            Some(b'+' | b'-' | b'.' | b'0'..=b'9') => self.number()?,
            Some(byte) if byte.is_ascii_alphabetic() || byte == b'_' => self.literal()?,
            Some(_) | None => EXPRESSION,
        };
        self.blank()?;
        if matches!(self.peek()?, Some(b',' | b')')) {
            return Ok(value);
        }
        self.skip_expression()?;
        Ok(EXPRESSION)
    }

    /// Up to the comma or parenthesis that ends what stands here.
    pub fn skip_expression(&mut self) -> Result<(), ReadError> {
        let mut depth = 0_usize;
        loop {
            if self.skip_quoted()? || self.comment()? {
                continue;
            }
            match self.peek()? {
                Some(b',' | b')') if depth == 0 => return Ok(()),
                Some(b'(') => depth += 1,
                Some(b')') => depth -= 1,
                Some(_) => {}
                None => return Err(self.error("the file ends inside a statement")),
            }
            self.bump()?;
        }
    }

    fn number(&mut self) -> Result<Value, ReadError> {
        let mut text = Collector::default();
        let mut before = b'e';
        while let Some(byte) = self.peek()? {
            // A sign belongs to the number at its beginning and behind the e of an exponent.
            let sign = matches!(byte, b'+' | b'-') && matches!(before, b'e' | b'E');
            if !(sign || byte.is_ascii_alphanumeric() || byte == b'.') {
                break;
            }
            text.push(byte);
            before = byte;
            self.bump()?;
        }
        Ok(match text.bytes() {
            [b'0', b'x' | b'X', digits @ ..] => from_hex(digits),
            [b'0', b'b' | b'B', digits @ ..] => from_bits(digits),
            _ => text.finish(),
        })
    }

    /// NULL, TRUE and FALSE, and the words that may stand in front of a string.
    fn literal(&mut self) -> Result<Value, ReadError> {
        let word = self.word()?;
        let quoted = self.peek()? == Some(b'\'');
        match word.as_str() {
            "NULL" => Ok(Value::Null),
            "TRUE" => Ok(Value::Text(b"1".to_vec())),
            "FALSE" => Ok(Value::Text(b"0".to_vec())),
            "X" if quoted => self.digits(from_hex),
            "B" if quoted => self.digits(from_bits),
            "N" if quoted => self.string(),
            // _binary 'abc' and _utf8mb4 'abc' name the encoding of what follows.
            _ if word.starts_with('_') => {
                self.blank()?;
                match self.peek()? {
                    Some(b'\'' | b'"') => self.string(),
                    Some(b'0') => self.number(),
                    Some(b'x' | b'X') if self.peek_at(1)? == Some(b'\'') => {
                        self.bump()?;
                        self.digits(from_hex)
                    }
                    Some(_) | None => Ok(EXPRESSION),
                }
            }
            _ => Ok(EXPRESSION),
        }
    }

    fn digits(&mut self, read: fn(&[u8]) -> Value) -> Result<Value, ReadError> {
        Ok(match self.string()? {
            Value::Text(digits) => read(&digits),
            other @ (Value::Null | Value::Unreadable(_)) => other,
        })
    }
}

fn from_hex(digits: &[u8]) -> Value {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    // MySQL reads an odd number of digits as if a 0 stood in front.
    let (odd, pairs) = digits.split_at(digits.len() % 2);
    let first = odd.iter().map(|low| digit(*low));
    let rest = pairs
        .chunks_exact(2)
        .map(|pair| Some(digit(pair[0])? * 16 + digit(pair[1])?));
    let bytes: Option<Vec<u8>> = first
        .chain(rest)
        .map(|byte| byte.and_then(|byte| u8::try_from(byte).ok()))
        .collect();
    bytes.map_or(Value::Unreadable("is not hexadecimal"), Value::Text)
}

/// A bit field as the number it stands for.
fn from_bits(digits: &[u8]) -> Value {
    let text = std::str::from_utf8(digits).unwrap_or_default();
    match u64::from_str_radix(text, 2) {
        Ok(number) => Value::Text(number.to_string().into_bytes()),
        Err(_) => Value::Unreadable("is not a bit field"),
    }
}
