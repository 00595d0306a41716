//! Rows of a MySQL dump, one at a time: CREATE TABLE gives column names, INSERT gives rows, the rest is passed over.

mod lexer;
#[cfg(test)]
mod tests;
mod values;

use std::collections::{BTreeSet, HashMap};
use std::io::Read;
use std::rc::Rc;

use lexer::Lexer;

use super::source::ReadError;
use super::table::{MOST_COLUMNS, RawRow};

const CONSTRAINTS: [&str; 9] = [
    "PRIMARY",
    "KEY",
    "UNIQUE",
    "INDEX",
    "CONSTRAINT",
    "FOREIGN",
    "FULLTEXT",
    "SPATIAL",
    "CHECK",
];
/// Tables of a dump that are remembered by name, for the message that the wanted one is missing.
const MOST_TABLES: usize = 200;

pub struct Dump<R> {
    lexer: Lexer<R>,
    wanted: Vec<String>,
    /// Columns of the wanted tables, as CREATE TABLE named them.
    created: HashMap<usize, Rc<[String]>>,
    seen: BTreeSet<String>,
    delimiter: Vec<u8>,
    inserting: Option<Inserting>,
}

struct Inserting {
    table: usize,
    columns: Rc<[String]>,
}

impl<R: Read> Dump<R> {
    /// Reads the rows of these tables; upper and lower case are the same.
    pub fn open(reader: R, wanted: &[&str]) -> Self {
        Self {
            lexer: Lexer::new(reader),
            wanted: wanted.iter().map(|name| name.to_lowercase()).collect(),
            created: HashMap::new(),
            seen: BTreeSet::new(),
            delimiter: b";".to_vec(),
            inserting: None,
        }
    }

    /// Every table that the dump has mentioned so far.
    pub fn seen(&self) -> &BTreeSet<String> {
        &self.seen
    }

    /// The next row, with the place of its table in the list of wanted ones.
    pub fn next_row(&mut self) -> Result<Option<(usize, RawRow)>, ReadError> {
        loop {
            if let Some(inserting) = self.inserting.take() {
                self.lexer.blank()?;
                let line = self.lexer.line();
                let values = self.lexer.tuple()?;
                let row = RawRow {
                    columns: Rc::clone(&inserting.columns),
                    line,
                    values,
                };
                let table = inserting.table;
                self.after_tuple(inserting)?;
                return Ok(Some((table, row)));
            }
            if !self.statement()? {
                return Ok(None);
            }
        }
    }

    fn after_tuple(&mut self, inserting: Inserting) -> Result<(), ReadError> {
        self.lexer.blank()?;
        if self.lexer.accept(b",")? {
            self.inserting = Some(inserting);
            return Ok(());
        }
        // What may follow, such as ON DUPLICATE KEY UPDATE, does not change what was inserted.
        self.skip_statement()
    }

    /// Reads one statement, up to its rows if it has wanted ones; false at the end of the file.
    fn statement(&mut self) -> Result<bool, ReadError> {
        self.lexer.blank()?;
        if self.lexer.peek()?.is_none() {
            return Ok(false);
        }
        let word = self.lexer.word()?;
        // Bodies of triggers and procedures stand between other delimiters and may hold any statement.
        let plain = self.delimiter == b";";
        match word.as_str() {
            "DELIMITER" => self.set_delimiter()?,
            "INSERT" | "REPLACE" if plain => self.insert()?,
            "CREATE" if plain => self.create()?,
            _ => self.skip_statement()?,
        }
        Ok(true)
    }

    fn set_delimiter(&mut self) -> Result<(), ReadError> {
        let mut delimiter = Vec::new();
        while let Some(byte) = self.lexer.peek()?.filter(|byte| *byte != b'\n') {
            self.lexer.bump()?;
            if !byte.is_ascii_whitespace() {
                delimiter.push(byte);
            }
        }
        if delimiter.is_empty() || delimiter.len() > 16 {
            return Err(self.lexer.error("DELIMITER needs a short text"));
        }
        self.delimiter = delimiter;
        Ok(())
    }

    fn skip_statement(&mut self) -> Result<(), ReadError> {
        loop {
            if self.lexer.accept(&self.delimiter)? {
                return Ok(());
            }
            if self.lexer.skip_quoted()? || self.lexer.comment()? {
                continue;
            }
            if self.lexer.bump()?.is_none() {
                return Ok(());
            }
        }
    }

    fn create(&mut self) -> Result<(), ReadError> {
        self.lexer.blank()?;
        let mut word = self.lexer.word()?;
        if word == "TEMPORARY" {
            self.lexer.blank()?;
            word = self.lexer.word()?;
        }
        if word != "TABLE" {
            return self.skip_statement();
        }
        self.pass_over(&[b"if", b"not", b"exists"])?;
        let Some(table) = self.table()? else {
            return self.skip_statement();
        };
        self.lexer.blank()?;
        if self.lexer.accept(b"(")? {
            let columns = self.column_definitions()?;
            self.created.insert(table, columns);
        }
        self.skip_statement()
    }

    /// Passes over these words, in any order.
    fn pass_over(&mut self, words: &[&[u8]]) -> Result<(), ReadError> {
        loop {
            self.lexer.blank()?;
            let mut found = false;
            for word in words {
                found = found || self.is_word(word)?;
            }
            if !found {
                return Ok(());
            }
            self.lexer.word()?;
        }
    }

    fn is_word(&mut self, word: &[u8]) -> Result<bool, ReadError> {
        for (ahead, expected) in word.iter().enumerate() {
            let found = self.lexer.peek_at(ahead)?;
            if found.map(|byte| byte.to_ascii_lowercase()) != Some(*expected) {
                return Ok(false);
            }
        }
        Ok(!self.lexer.peek_at(word.len())?.is_some_and(lexer::is_name))
    }

    /// The place of the table among the wanted ones, if it is one.
    fn table(&mut self) -> Result<Option<usize>, ReadError> {
        let name = self.lexer.qualified_name()?;
        let wanted = name.to_lowercase();
        if self.seen.len() < MOST_TABLES {
            self.seen.insert(name);
        }
        Ok(self.wanted.iter().position(|known| *known == wanted))
    }

    fn column_definitions(&mut self) -> Result<Rc<[String]>, ReadError> {
        let mut columns = Vec::new();
        loop {
            self.lexer.blank()?;
            let bare = !matches!(self.lexer.peek()?, Some(b'`' | b'"'));
            let name = self.lexer.name()?;
            if !(bare && CONSTRAINTS.contains(&name.to_uppercase().as_str())) {
                columns.push(name);
            }
            self.lexer.skip_expression()?;
            if columns.len() > MOST_COLUMNS {
                return Err(self.lexer.error("the table has too many columns"));
            }
            if self.lexer.bump()? == Some(b')') {
                return Ok(columns.into());
            }
        }
    }

    fn insert(&mut self) -> Result<(), ReadError> {
        self.pass_over(&[b"low_priority", b"delayed", b"high_priority", b"ignore", b"into"])?;
        let Some(table) = self.table()? else {
            return self.skip_statement();
        };
        let named = self.named_columns()?;
        self.lexer.blank()?;
        if !matches!(self.lexer.word()?.as_str(), "VALUES" | "VALUE") {
            return Err(self
                .lexer
                .error("only INSERT with VALUES can be read; export the table as data"));
        }
        let columns = named
            .or_else(|| self.created.get(&table).cloned())
            .ok_or_else(|| {
                self.lexer.error(
                "the columns are not named: export with the CREATE TABLE or with column names in each INSERT",
            )
            })?;
        self.inserting = Some(Inserting { table, columns });
        Ok(())
    }

    fn named_columns(&mut self) -> Result<Option<Rc<[String]>>, ReadError> {
        self.lexer.blank()?;
        if !self.lexer.accept(b"(")? {
            return Ok(None);
        }
        let mut columns = Vec::new();
        loop {
            self.lexer.blank()?;
            if self.lexer.accept(b")")? {
                break;
            }
            columns.push(self.lexer.qualified_name()?);
            self.lexer.blank()?;
            if !self.lexer.accept(b",")? && !self.lexer.is_at(b")")? {
                return Err(self.lexer.error("the list of columns is broken"));
            }
            if columns.len() > MOST_COLUMNS {
                return Err(self.lexer.error("the list of columns is too long"));
            }
        }
        Ok((!columns.is_empty()).then(|| columns.into()))
    }
}
