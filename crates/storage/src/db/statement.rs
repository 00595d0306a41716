//! SQL texts. Each is written once, in PostgreSQL's spelling, and rewritten for SQLite while compiling.

use crate::dialect;

/// One SQL text in the spelling of both databases. Made only by [`statements!`], so that every text is in the catalogue.
#[derive(Debug)]
pub struct Statement {
    name: &'static str,
    postgres: &'static str,
    sqlite: &'static str,
}

impl Statement {
    pub(crate) const fn new(name: &'static str, postgres: &'static str, sqlite: &'static str) -> Self {
        Self {
            name,
            postgres,
            sqlite,
        }
    }

    /// The constant's name, for test failures and slow-query lines.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// With `$1` parameters and locks.
    pub fn postgres(&self) -> &'static str {
        self.postgres
    }

    /// With `?1` parameters and no locks.
    pub fn sqlite(&self) -> &'static str {
        self.sqlite
    }
}

/// Rewrites a text for SQLite without changing its length: see [`dialect`].
pub(crate) const fn for_sqlite<const N: usize>(text: &str) -> [u8; N] {
    dialect::for_sqlite(text)
}

/// Where the columns of a row stand in a text.
const COLUMNS: &[u8] = b"{columns}";

/// The length of a text in which the columns stand in their place.
pub(crate) const fn filled_len(text: &str, columns: &str) -> usize {
    match place_of_columns(text) {
        Some(_) => text.len() - COLUMNS.len() + columns.len(),
        None => text.len(),
    }
}

/// Puts the columns in their place. A statement has it if and only if it names a row that has columns.
pub(crate) const fn fill<const N: usize>(text: &str, columns: &str) -> [u8; N] {
    let (text_bytes, columns) = (text.as_bytes(), columns.as_bytes());
    let place = place_of_columns(text);
    assert!(
        place.is_some() != columns.is_empty(),
        "a row and its columns come together"
    );
    let mut filled = [0; N];
    let (mut from, mut at) = (0, 0);
    while at < N {
        if let Some(place) = place
            && from == place
        {
            let mut next = 0;
            while next < columns.len() {
                filled[at] = columns[next];
                (next, at) = (next + 1, at + 1);
            }
            from += COLUMNS.len();
            continue;
        }
        filled[at] = text_bytes[from];
        (from, at) = (from + 1, at + 1);
    }
    filled
}

const fn place_of_columns(text: &str) -> Option<usize> {
    let text = text.as_bytes();
    let mut at = 0;
    while at + COLUMNS.len() <= text.len() {
        let mut matched = 0;
        while matched < COLUMNS.len() && text[at + matched] == COLUMNS[matched] {
            matched += 1;
        }
        if matched == COLUMNS.len() {
            return Some(at);
        }
        at += 1;
    }
    None
}

/// Text that was put together while compiling.
pub(crate) const fn text_of(bytes: &[u8]) -> &str {
    match core::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(_) => "",
    }
}

/// Declares the SQL of one file and its part of the catalogue. A statement that gives a row back names its type, and
/// `{columns}` in it stands for [`FromRow::COLUMNS`](crate::db::FromRow::COLUMNS). A second text after `postgres` is for
/// the rare statement that the two databases cannot share.
macro_rules! statements {
    ($($(#[$meta:meta])* $name:ident $(: $row:ty)? = $text:literal $(postgres $other:literal)?;)+) => {
        $(
            $(#[$meta])*
            static $name: $crate::db::Statement = {
                use $crate::db::statement::{fill, filled_len, for_sqlite, text_of};
                const COLUMNS: &str = [$(<$row as $crate::db::FromRow>::COLUMNS,)? ""][0];
                const FILLED: [u8; filled_len($text, COLUMNS)] = fill($text, COLUMNS);
                const TEXT: &str = text_of(&FILLED);
                const LITE: [u8; TEXT.len()] = for_sqlite(TEXT);
                const OTHER: &[&str] = &[
                    $({
                        const FILLED: [u8; filled_len($other, COLUMNS)] = fill($other, COLUMNS);
                        text_of(&FILLED)
                    },)?
                    TEXT,
                ];
                $crate::db::Statement::new(concat!(module_path!(), "::", stringify!($name)), OTHER[0], text_of(&LITE))
            };
        )+
        /// Every SQL text of this file; the catalogue test prepares each of them on both databases.
        pub(crate) static STATEMENTS: &[&$crate::db::Statement] = &[$(&$name),+];
    };
}
pub(crate) use statements;

#[cfg(test)]
mod tests {
    use super::*;

    const fn filled(columns: &'static str) -> [u8; filled_len("SELECT {columns} FROM t", "a, b")] {
        fill("SELECT {columns} FROM t", columns)
    }

    #[test]
    fn columns_stand_where_the_statement_asks_for_them() {
        assert_eq!(text_of(&filled("a, b")), "SELECT a, b FROM t");
        let untouched: [u8; 8] = fill("SELECT 1", "");
        assert_eq!(text_of(&untouched), "SELECT 1");
    }

    #[test]
    #[should_panic(expected = "a row and its columns come together")]
    fn a_text_that_wants_columns_of_no_row_does_not_compile() {
        filled("");
    }

    #[test]
    #[should_panic(expected = "a row and its columns come together")]
    fn a_row_whose_columns_have_no_place_does_not_compile() {
        let _: [u8; 8] = fill("SELECT 1", "a, b");
    }
}
