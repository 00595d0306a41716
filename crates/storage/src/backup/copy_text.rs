//! PostgreSQL's text format for COPY: a line per row, a tab between columns.

use rusqlite::types::ValueRef;

/// What the format or the database behind it cannot hold.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Misfit {
    Nul,
    /// Neither an integer nor valid text.
    Kind,
}

/// Appends one column.
pub(super) fn push_value(line: &mut Vec<u8>, value: ValueRef<'_>) -> Result<(), Misfit> {
    match value {
        ValueRef::Null => line.extend_from_slice(b"\\N"),
        ValueRef::Integer(number) => line.extend_from_slice(number.to_string().as_bytes()),
        ValueRef::Text(bytes) => push_text(line, std::str::from_utf8(bytes).map_err(|_| Misfit::Kind)?)?,
        ValueRef::Real(_) | ValueRef::Blob(_) => return Err(Misfit::Kind),
    }
    Ok(())
}

fn push_text(line: &mut Vec<u8>, text: &str) -> Result<(), Misfit> {
    for byte in text.bytes() {
        match byte {
            0 => return Err(Misfit::Nul),
            b'\\' => line.extend_from_slice(b"\\\\"),
            b'\t' => line.extend_from_slice(b"\\t"),
            b'\n' => line.extend_from_slice(b"\\n"),
            b'\r' => line.extend_from_slice(b"\\r"),
            other => line.push(other),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(value: ValueRef<'_>) -> Result<String, Misfit> {
        let mut line = Vec::new();
        push_value(&mut line, value)?;
        Ok(String::from_utf8(line).unwrap())
    }

    #[test]
    fn what_the_format_gives_a_meaning_is_escaped() {
        for (text, wanted) in [
            ("", ""),
            ("plain ü 🦀 \u{7f} '\" ", "plain ü 🦀 \u{7f} '\" "),
            ("a\tb\nc\rd\\e", "a\\tb\\nc\\rd\\\\e"),
            ("\\N", "\\\\N"),
            ("\\.", "\\\\."),
        ] {
            assert_eq!(written(ValueRef::Text(text.as_bytes())).unwrap(), wanted);
        }
        assert_eq!(written(ValueRef::Null).unwrap(), "\\N");
        assert_eq!(
            written(ValueRef::Integer(i64::MIN)).unwrap(),
            "-9223372036854775808"
        );
    }

    #[test]
    fn what_postgresql_cannot_hold_is_refused() {
        assert_eq!(written(ValueRef::Text(b"a\0b")), Err(Misfit::Nul));
        assert_eq!(written(ValueRef::Text(b"\xff")), Err(Misfit::Kind));
        assert_eq!(written(ValueRef::Blob(b"a")), Err(Misfit::Kind));
        assert_eq!(written(ValueRef::Real(1.0)), Err(Misfit::Kind));
    }
}
