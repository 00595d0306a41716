//! What goes into a statement and what comes out, the same for both drivers.

use rusqlite::types::{ToSqlOutput, ValueRef};
use serde_json::{Map, Value as Json};
use tokio_postgres::types::{IsNull, ToSql, Type, private::BytesMut, to_sql_checked};

use super::DbError;

/// PostgreSQL cannot hold this character. SQLite can, and the same text must fare the same on both.
#[derive(Debug, thiserror::Error)]
#[error("a text holds a NUL character")]
pub(super) struct NulInText;

fn without_nul(text: &str) -> Result<&str, NulInText> {
    if text.contains('\0') {
        Err(NulInText)
    } else {
        Ok(text)
    }
}

/// A bound parameter. The schema knows text and 64-bit integers, so this does too.
#[derive(Debug, Clone, Copy)]
pub enum Value<'a> {
    /// Of either type, by where it stands.
    Null,
    /// `BIGINT`; flags and times too.
    Int(i64),
    /// `TEXT`. A NUL character in it is refused before it is sent.
    Text(&'a str),
}

impl From<i64> for Value<'_> {
    fn from(value: i64) -> Self {
        Value::Int(value)
    }
}

impl From<bool> for Value<'_> {
    fn from(value: bool) -> Self {
        Value::Int(i64::from(value))
    }
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(value: &'a str) -> Self {
        Value::Text(value)
    }
}

impl<'a> From<&'a String> for Value<'a> {
    fn from(value: &'a String) -> Self {
        Value::Text(value)
    }
}

impl<'a, T: Into<Value<'a>>> From<Option<T>> for Value<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Value::Null, Into::into)
    }
}

/// `params![a, b]` is the slice of bound values.
#[macro_export]
macro_rules! params {
    ($($value:expr),* $(,)?) => { &[$($crate::db::Value::from($value)),*] };
}

impl rusqlite::ToSql for Value<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match *self {
            Value::Null => ValueRef::Null,
            Value::Int(value) => ValueRef::Integer(value),
            Value::Text(value) => {
                let value = without_nul(value)
                    .map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))?;
                ValueRef::Text(value.as_bytes())
            }
        }))
    }
}

impl ToSql for Value<'_> {
    fn to_sql(
        &self,
        kind: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        match self {
            Value::Null => Ok(IsNull::Yes),
            Value::Int(value) => value.to_sql(kind, out),
            Value::Text(value) => without_nul(value)?.to_sql(kind, out),
        }
    }

    fn accepts(kind: &Type) -> bool {
        *kind == Type::INT8 || *kind == Type::TEXT
    }

    to_sql_checked!();
}

/// One result row; columns are read by position, in the order of the statement.
pub enum Row<'r> {
    /// Borrowed from the statement while it is stepped through.
    Sqlite(&'r rusqlite::Row<'r>),
    /// One of the rows that arrived.
    Postgres(&'r tokio_postgres::Row),
}

impl Row<'_> {
    /// NULL is a failure, as is text.
    pub fn int(&self, column: usize) -> Result<i64, DbError> {
        match self {
            Row::Sqlite(row) => row.get(column).map_err(DbError::from),
            Row::Postgres(row) => row.try_get(column).map_err(DbError::from),
        }
    }

    /// NULL is none.
    pub fn opt_int(&self, column: usize) -> Result<Option<i64>, DbError> {
        match self {
            Row::Sqlite(row) => row.get(column).map_err(DbError::from),
            Row::Postgres(row) => row.try_get(column).map_err(DbError::from),
        }
    }

    /// NULL is a failure, as is a number.
    pub fn text(&self, column: usize) -> Result<String, DbError> {
        self.str(column).map(str::to_owned)
    }

    /// Borrowed text, for values that are parsed on the spot.
    pub fn str(&self, column: usize) -> Result<&str, DbError> {
        match self {
            Row::Sqlite(row) => row
                .get_ref(column)?
                .as_str()
                .map_err(|error| DbError::Bug(format!("column {column}: {error}"))),
            Row::Postgres(row) => row.try_get(column).map_err(DbError::from),
        }
    }

    /// NULL is none.
    pub fn opt_text(&self, column: usize) -> Result<Option<String>, DbError> {
        match self {
            Row::Sqlite(row) => row.get(column).map_err(DbError::from),
            Row::Postgres(row) => row.try_get(column).map_err(DbError::from),
        }
    }

    /// 0 is false.
    pub fn flag(&self, column: usize) -> Result<bool, DbError> {
        self.int(column).map(|value| value != 0)
    }

    /// All columns by their names, as JSON.
    fn record(&self) -> Result<Map<String, Json>, DbError> {
        let count = match self {
            Row::Sqlite(row) => row.as_ref().column_count(),
            Row::Postgres(row) => row.len(),
        };
        (0..count)
            .map(|column| {
                let (name, is_number) = match self {
                    Row::Sqlite(row) => (
                        row.as_ref().column_name(column)?,
                        row.get_ref(column)?.data_type() == rusqlite::types::Type::Integer,
                    ),
                    Row::Postgres(row) => {
                        let column = &row.columns()[column];
                        (column.name(), *column.type_() == Type::INT8)
                    }
                };
                let value = if is_number {
                    Json::from(self.opt_int(column)?)
                } else {
                    Json::from(self.opt_text(column)?)
                };
                Ok((name.to_owned(), value))
            })
            .collect()
    }

    /// Text that our own constructors wrote; anything else in the column is a damaged database.
    pub fn parse<T, E: std::fmt::Display>(
        &self,
        column: usize,
        parse: impl Fn(&str) -> Result<T, E>,
    ) -> Result<T, DbError> {
        parse(self.str(column)?)
            .map_err(|error| DbError::Bug(format!("column {column} does not parse: {error}")))
    }
}

/// A type that can be read from one row.
pub trait FromRow: Sized + Send + 'static {
    /// What it is read from, in order. A statement that names the type has this in the place of `{columns}`.
    const COLUMNS: &'static str = "";

    /// Reads the columns by their place in [`COLUMNS`](FromRow::COLUMNS).
    fn from_row(row: &Row<'_>) -> Result<Self, DbError>;
}

/// A row as a person is shown what is stored of them, by the names of its columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record(pub Map<String, Json>);

impl FromRow for Record {
    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        row.record().map(Self)
    }
}

impl FromRow for i64 {
    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        row.int(0)
    }
}

impl FromRow for String {
    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        row.text(0)
    }
}
