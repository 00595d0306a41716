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

    pub fn postgres(&self) -> &'static str {
        self.postgres
    }

    pub fn sqlite(&self) -> &'static str {
        self.sqlite
    }
}

/// Rewrites a text for SQLite without changing its length: see [`dialect`].
pub(crate) const fn for_sqlite<const N: usize>(text: &str) -> [u8; N] {
    dialect::for_sqlite(text)
}

/// Declares the SQL of one file and its part of the catalogue. A second text after `postgres` is for the rare statement
/// that the two databases cannot share.
macro_rules! statements {
    ($($(#[$meta:meta])* $name:ident = $text:literal $(postgres $other:literal)?;)+) => {
        $(
            $(#[$meta])*
            static $name: $crate::db::Statement = {
                const TEXT: &str = $text;
                const BYTES: [u8; TEXT.len()] = $crate::db::statement::for_sqlite(TEXT);
                const LITE: &str = match core::str::from_utf8(&BYTES) {
                    Ok(text) => text,
                    Err(_) => TEXT,
                };
                const TEXTS: &[&str] = &[$($other,)? TEXT];
                $crate::db::Statement::new(concat!(module_path!(), "::", stringify!($name)), TEXTS[0], LITE)
            };
        )+
        /// Every SQL text of this file; the catalogue test prepares each of them on both databases.
        pub(crate) static STATEMENTS: &[&$crate::db::Statement] = &[$(&$name),+];
    };
}
pub(crate) use statements;
