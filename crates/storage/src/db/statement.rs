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

/// The length of a text in which something stands in its place.
pub(crate) const fn filled_len(text: &str, place: &str, filling: &str) -> usize {
    match find(text, place) {
        Some(_) => text.len() - place.len() + filling.len(),
        None => text.len(),
    }
}

/// Puts something in its place. A text has the place if and only if there is something to put there.
pub(crate) const fn fill<const N: usize>(text: &str, place: &str, filling: &str) -> [u8; N] {
    let (text_bytes, filling) = (text.as_bytes(), filling.as_bytes());
    let found = find(text, place);
    assert!(
        found.is_some() != filling.is_empty(),
        "a place and what stands there come together"
    );
    let mut filled = [0; N];
    let (mut from, mut at) = (0, 0);
    while at < N {
        if let Some(found) = found
            && from == found
        {
            let mut next = 0;
            while next < filling.len() {
                filled[at] = filling[next];
                (next, at) = (next + 1, at + 1);
            }
            from += place.len();
            continue;
        }
        filled[at] = text_bytes[from];
        (from, at) = (from + 1, at + 1);
    }
    filled
}

const fn find(text: &str, place: &str) -> Option<usize> {
    let (text, place) = (text.as_bytes(), place.as_bytes());
    let mut at = 0;
    while at + place.len() <= text.len() {
        let mut matched = 0;
        while matched < place.len() && text[at + matched] == place[matched] {
            matched += 1;
        }
        if matched == place.len() {
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
/// the rare statement that the two databases cannot share. `{condition}` stands for the text of a constant after `with`: what
/// several statements have to decide alike is written once.
macro_rules! statements {
    ($($(#[$meta:meta])* $name:ident $(: $row:ty)? = $text:literal $(postgres $other:literal)? $(with $condition:path)?;)+) => {
        $(
            $(#[$meta])*
            static $name: $crate::db::Statement = {
                use $crate::db::statement::{fill, filled_len, for_sqlite, text_of};
                const CONDITION: &str = [$($condition,)? ""][0];
                const COLUMNS: &str = [$(<$row as $crate::db::FromRow>::COLUMNS,)? ""][0];
                const SHOWN: [u8; filled_len($text, "{columns}", COLUMNS)] = fill($text, "{columns}", COLUMNS);
                const FILLED: [u8; filled_len(text_of(&SHOWN), "{condition}", CONDITION)] =
                    fill(text_of(&SHOWN), "{condition}", CONDITION);
                const TEXT: &str = text_of(&FILLED);
                const LITE: [u8; TEXT.len()] = for_sqlite(TEXT);
                const OTHER: &[&str] = &[
                    $({
                        const SHOWN: [u8; filled_len($other, "{columns}", COLUMNS)] = fill($other, "{columns}", COLUMNS);
                        const FILLED: [u8; filled_len(text_of(&SHOWN), "{condition}", CONDITION)] =
                            fill(text_of(&SHOWN), "{condition}", CONDITION);
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

    const fn filled(
        columns: &'static str,
    ) -> [u8; filled_len("SELECT {columns} FROM t", "{columns}", "a, b")] {
        fill("SELECT {columns} FROM t", "{columns}", columns)
    }

    #[test]
    fn columns_stand_where_the_statement_asks_for_them() {
        assert_eq!(text_of(&filled("a, b")), "SELECT a, b FROM t");
        let untouched: [u8; 8] = fill("SELECT 1", "{columns}", "");
        assert_eq!(text_of(&untouched), "SELECT 1");
    }

    #[test]
    #[should_panic(expected = "a place and what stands there come together")]
    fn a_text_that_wants_columns_of_no_row_does_not_compile() {
        filled("");
    }

    #[test]
    #[should_panic(expected = "a place and what stands there come together")]
    fn a_row_whose_columns_have_no_place_does_not_compile() {
        let _: [u8; 8] = fill("SELECT 1", "{columns}", "a, b");
    }
}
