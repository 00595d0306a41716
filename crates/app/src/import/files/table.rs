//! What both kinds of files come down to: rows of named columns.

use std::rc::Rc;

/// Longer values are not kept: no id, name or list of groups has so many bytes.
pub const MOST_VALUE_BYTES: usize = 16 * 1024;
pub const MOST_COLUMNS: usize = 1000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    Null,
    Text(Vec<u8>),
    /// Something that is no plain value, with the reason.
    Unreadable(&'static str),
}

pub const TOO_LONG: Value = Value::Unreadable("is too long");

/// One row as it stands in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawRow {
    pub columns: Rc<[String]>,
    pub line: u64,
    pub values: Vec<Value>,
}

/// Collects the bytes of a value up to the limit.
#[derive(Default)]
pub struct Collector {
    bytes: Vec<u8>,
    overflown: bool,
}

impl Collector {
    pub fn push(&mut self, byte: u8) {
        if self.bytes.len() < MOST_VALUE_BYTES {
            self.bytes.push(byte);
        } else {
            self.overflown = true;
        }
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub fn finish(self) -> Value {
        if self.overflown {
            TOO_LONG
        } else {
            Value::Text(self.bytes)
        }
    }
}
