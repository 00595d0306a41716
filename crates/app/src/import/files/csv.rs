//! CSV with a header row: commas, semicolons or tabs, quotes doubled inside quotes, line breaks inside quotes.
//!
//! Stricter than others are: a quote that is never closed would make one value of the rest of the file, and the links in
//! it would be missing without a word.

use std::io::Read;
use std::rc::Rc;

use super::source::{ReadError, Source};
use super::table::{Collector, MOST_COLUMNS, RawRow, Value};

const SEPARATORS: [u8; 3] = [b',', b';', b'\t'];
const HEADER_BYTES: usize = 64 * 1024;

pub struct Csv<R> {
    source: Source<R>,
    separator: u8,
    columns: Rc<[String]>,
}

impl<R: Read> Csv<R> {
    /// Reads the header.
    pub fn open(reader: R) -> Result<Self, ReadError> {
        let mut source = Source::new(reader);
        if source.is_at(b"\xEF\xBB\xBF")? {
            source.skip(3)?;
        }
        let separator = likely_separator(&mut source)?;
        let mut csv = Self {
            source,
            separator,
            columns: Rc::from([]),
        };
        let Some((_, header)) = csv.record()? else {
            return Err(csv.source.error("there is no header row"));
        };
        let names = header.into_iter().map(|value| match value {
            Value::Text(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Value::Null | Value::Unreadable(_) => String::new(),
        });
        csv.columns = names.collect();
        Ok(csv)
    }

    pub fn columns(&self) -> &Rc<[String]> {
        &self.columns
    }

    pub fn next_row(&mut self) -> Result<Option<RawRow>, ReadError> {
        let columns = Rc::clone(&self.columns);
        Ok(self.record()?.map(|(line, values)| RawRow {
            columns,
            line,
            values,
        }))
    }

    /// The next record with the line it begins in; empty lines are passed over.
    fn record(&mut self) -> Result<Option<(u64, Vec<Value>)>, ReadError> {
        while let Some(b'\r' | b'\n') = self.source.peek()? {
            self.source.bump()?;
        }
        if self.source.peek()?.is_none() {
            return Ok(None);
        }
        let line = self.source.line();
        let mut values = Vec::new();
        loop {
            values.push(self.field()?);
            if values.len() > MOST_COLUMNS {
                return Err(self
                    .source
                    .error(format!("a row has more than {MOST_COLUMNS} columns")));
            }
            match self.source.bump()? {
                Some(byte) if byte == self.separator => {}
                Some(b'\n') | None => return Ok(Some((line, values))),
                Some(b'\r') if self.source.peek()? == Some(b'\n') => {
                    self.source.bump()?;
                    return Ok(Some((line, values)));
                }
                Some(b'\r') => return Ok(Some((line, values))),
                Some(_) => return Err(self.source.error("expected a separator after the closing quote")),
            }
        }
    }

    fn field(&mut self) -> Result<Value, ReadError> {
        if self.source.peek()? == Some(b'"') {
            return self.quoted();
        }
        let mut text = Collector::default();
        while let Some(byte) = self.source.peek()? {
            if byte == self.separator || byte == b'\n' || byte == b'\r' {
                break;
            }
            text.push(byte);
            self.source.bump()?;
        }
        Ok(match text.bytes() {
            b"NULL" | b"\\N" => Value::Null,
            _ => text.finish(),
        })
    }

    fn quoted(&mut self) -> Result<Value, ReadError> {
        let begin = self.source.line();
        self.source.bump()?;
        let mut text = Collector::default();
        loop {
            match self.source.bump()? {
                Some(b'"') if self.source.peek()? == Some(b'"') => {
                    self.source.bump()?;
                    text.push(b'"');
                }
                Some(b'"') => return Ok(text.finish()),
                Some(byte) => text.push(byte),
                None => {
                    return Err(ReadError {
                        line: begin,
                        problem: "this quote is never closed".to_owned(),
                    });
                }
            }
        }
    }
}

/// The separator that the header uses most, outside quotes.
fn likely_separator<R: Read>(source: &mut Source<R>) -> Result<u8, ReadError> {
    let mut counts = [0_usize; SEPARATORS.len()];
    let mut in_quotes = false;
    for ahead in 0..HEADER_BYTES {
        match source.peek_at(ahead)? {
            Some(b'"') => in_quotes = !in_quotes,
            Some(b'\n') if !in_quotes => break,
            Some(byte) if !in_quotes => {
                if let Some(which) = SEPARATORS.iter().position(|separator| *separator == byte) {
                    counts[which] += 1;
                }
            }
            Some(_) => {}
            None => break,
        }
    }
    let most = counts.iter().copied().max().unwrap_or(0);
    let which = counts.iter().position(|count| *count == most).unwrap_or(0);
    Ok(SEPARATORS[which])
}

#[cfg(test)]
mod tests {
    use ::csv::{QuoteStyle, Terminator};
    use proptest::prelude::*;

    use super::*;

    fn text(text: &str) -> Value {
        Value::Text(text.as_bytes().to_vec())
    }

    fn read(bytes: &[u8]) -> Result<Vec<(u64, Vec<Value>)>, ReadError> {
        let mut csv = Csv::open(bytes)?;
        let mut rows = Vec::new();
        while let Some(row) = csv.next_row()? {
            assert_eq!(row.columns, *csv.columns());
            rows.push((row.line, row.values));
        }
        Ok(rows)
    }

    #[test]
    fn a_header_names_the_columns_and_rows_know_their_line() {
        let file = b"\xEF\xBB\xBF\"a\",b\r\n1,\"x\r\ny\"\r\n\r\nNULL,\\N\r\n";
        let csv = Csv::open(&file[..]).unwrap();
        assert_eq!(csv.columns().to_vec(), ["a", "b"]);
        let rows = read(file).unwrap();
        assert_eq!(rows[0], (2, vec![text("1"), text("x\r\ny")]));
        assert_eq!(rows[1], (5, vec![Value::Null, Value::Null]));
        let quoted = read(b"a,b\nNULL,\"NULL\"\n").unwrap();
        assert_eq!(quoted[0].1, [Value::Null, text("NULL")]);
    }

    #[test]
    fn the_header_tells_the_separator() {
        for (file, second) in [
            ("a;b,c;d\n1;2;3", "2"),
            ("a\tb\n1\t2", "2"),
            ("a,\"b;;;;\"\n1,2", "2"),
        ] {
            assert_eq!(read(file.as_bytes()).unwrap()[0].1[1], text(second), "{file}");
        }
        assert_eq!(read(b"only\nvalue").unwrap()[0].1, [text("value")]);
    }

    #[test]
    fn broken_quotes_are_told_with_their_line() {
        let open = read(b"a,b\n1,2\n3,\"four\n5,6\n").unwrap_err();
        assert_eq!((open.line, open.problem.contains("never closed")), (3, true));
        assert_eq!(read(b"a,b\n1,\"2\"x\n").unwrap_err().line, 2);
        assert_eq!(
            read(b"").unwrap_err().to_string(),
            "line 1: there is no header row"
        );
    }

    #[test]
    fn a_huge_value_is_passed_over_and_the_row_goes_on() {
        let file = format!("a,b\n\"{}\",2\n", "x".repeat(100_000));
        assert_eq!(
            read(file.as_bytes()).unwrap()[0].1,
            [super::super::table::TOO_LONG, text("2")]
        );
    }

    /// What the csv crate makes of the rows.
    fn written(rows: &[Vec<Vec<u8>>], separator: u8, windows: bool, always_quoted: bool) -> Vec<u8> {
        let mut writer = ::csv::WriterBuilder::new()
            .delimiter(separator)
            .terminator(if windows {
                Terminator::CRLF
            } else {
                Terminator::Any(b'\n')
            })
            .quote_style(if always_quoted {
                QuoteStyle::Always
            } else {
                QuoteStyle::Necessary
            })
            .from_writer(Vec::new());
        writer.write_record(["one", "two", "three"]).unwrap();
        for row in rows {
            writer.write_record(row).unwrap();
        }
        writer.into_inner().unwrap()
    }

    proptest! {
        #[test]
        fn what_others_write_reads_back(
            rows in prop::collection::vec(prop::collection::vec(prop::collection::vec(any::<u8>(), 0..20), 3), 0..10),
            separator in prop::sample::select(&SEPARATORS[..]),
            windows: bool,
            always_quoted: bool,
        ) {
            let file = written(&rows, separator, windows, always_quoted);
            let read: Vec<Vec<Value>> = read(&file).unwrap().into_iter().map(|(_, values)| values).collect();
            let expected: Vec<Vec<Value>> =
                rows.into_iter().map(|row| row.into_iter().map(Value::Text).collect()).collect();
            prop_assert_eq!(read, expected);
        }

        #[test]
        fn any_bytes_end_in_rows_or_in_an_error(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            let lines = bytes.iter().filter(|byte| **byte == b'\n').count() as u64 + 1;
            match read(&bytes) {
                Ok(rows) => prop_assert!(rows.iter().all(|(line, _)| *line <= lines)),
                Err(error) => prop_assert!(error.line <= lines),
            }
        }
    }
}
