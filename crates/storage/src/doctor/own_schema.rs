//! Whether the database still has every index and trigger that the migrations made. Without them nothing fails at
//! first: it becomes slow, or a rule is no longer kept.

use std::sync::OnceLock;

use rusqlite::Connection;

use crate::db::statement::statements;
use crate::db::{Db, DbError, FromRow, Row, Statement};
use crate::doctor::Finding;
use crate::migrate::{self, Migrate};
use crate::params;

statements! {
    /// Table, name, whether it is unique, columns in order, and whether it works.
    INDEXES = "
        SELECT t.name, i.name, i.\"unique\",
               (SELECT group_concat(COALESCE(c.name, '?'), ' ') FROM (SELECT name FROM pragma_index_info(i.name) ORDER BY seqno) c), 1
        FROM sqlite_schema t
        CROSS JOIN pragma_index_list(t.name) i
        WHERE t.type = 'table'
        ORDER BY t.name, i.name" postgres "
        SELECT CAST(t.relname AS TEXT), CAST(i.relname AS TEXT), CAST(CAST(x.indisunique AS INT) AS BIGINT),
               (SELECT string_agg(COALESCE(CAST(a.attname AS TEXT), '?'), ' ' ORDER BY k.place)
                FROM unnest(x.indkey) WITH ORDINALITY k (number, place)
                LEFT JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = k.number),
               CAST(CAST(x.indisvalid AS INT) AS BIGINT)
        FROM pg_index x
        JOIN pg_class i ON i.oid = x.indexrelid
        JOIN pg_class t ON t.oid = x.indrelid
        WHERE t.relnamespace = CAST(current_schema() AS REGNAMESPACE)
        ORDER BY 1, 2";
    /// Table, name, and whether it works.
    TRIGGERS = "
        SELECT tbl_name, name, 0, '', 1
        FROM sqlite_schema
        WHERE type = 'trigger'
        ORDER BY tbl_name, name" postgres "
        SELECT CAST(t.relname AS TEXT), CAST(g.tgname AS TEXT), CAST(0 AS BIGINT), '', CAST(CASE WHEN g.tgenabled = 'D' THEN 0 ELSE 1 END AS BIGINT)
        FROM pg_trigger g
        JOIN pg_class t ON t.oid = g.tgrelid
        WHERE NOT g.tgisinternal AND t.relnamespace = CAST(current_schema() AS REGNAMESPACE)
        ORDER BY 1, 2";
}

/// An index or a trigger.
struct Part {
    table: String,
    name: String,
    unique: bool,
    columns: String,
    works: bool,
}

impl FromRow for Part {
    fn from_row(row: &Row<'_>) -> Result<Self, DbError> {
        Ok(Self {
            table: row.text(0)?,
            name: row.text(1)?,
            unique: row.int(2)? == 1,
            columns: row.text(3)?,
            works: row.int(4)? == 1,
        })
    }
}

impl Part {
    /// An index that belongs to a PRIMARY KEY or UNIQUE goes by another name in each database.
    fn is_nameless(&self) -> bool {
        self.name.starts_with("sqlite_autoindex_")
    }

    fn does_for(&self, wanted: &Part) -> bool {
        let same =
            self.table == wanted.table && self.unique == wanted.unique && self.columns == wanted.columns;
        same && self.works && (wanted.is_nameless() || self.name == wanted.name)
    }
}

/// What the migrations make, as an empty database shows it.
struct ExpectedSchema {
    indexes: Vec<Part>,
    triggers: Vec<Part>,
}

/// Indexes and triggers that are missing, disabled or not what they should be.
pub(crate) async fn missing(db: &Db) -> Result<Vec<Finding>, DbError> {
    static WANTED: OnceLock<ExpectedSchema> = OnceLock::new();
    let wanted = match WANTED.get() {
        Some(wanted) => wanted,
        None => {
            let made = wanted()?;
            WANTED.get_or_init(|| made)
        }
    };
    let indexes: Vec<Part> = db.list_heavy(&INDEXES, params![]).await?;
    let triggers: Vec<Part> = db.list_heavy(&TRIGGERS, params![]).await?;
    let absent = |part: &&Part, found: &[Part]| !found.iter().any(|other| other.does_for(part));
    let indexes = wanted.indexes.iter().filter(|part| absent(part, &indexes));
    let triggers = wanted.triggers.iter().filter(|part| absent(part, &triggers));
    let indexes = indexes.map(|part| {
        let (kind, columns) = (if part.unique { "unique index" } else { "index" }, &part.columns);
        let name = if part.is_nameless() { "" } else { &part.name };
        format!(
            "the {kind} {name} of the table {} on {columns} is missing or does not work",
            part.table
        )
        .replace("  ", " ")
    });
    let triggers = triggers.map(|part| {
        format!(
            "the trigger {} of the table {} is missing or does not work",
            part.name, part.table
        )
    });
    Ok(indexes.chain(triggers).collect())
}

fn wanted() -> Result<ExpectedSchema, DbError> {
    let mut connection = Connection::open_in_memory()?;
    migrate::on_sqlite(&mut connection, Migrate::Apply).map_err(|error| DbError::Bug(error.to_string()))?;
    let read = |statement: &'static Statement| -> Result<Vec<Part>, DbError> {
        let mut prepared = connection.prepare(statement.sqlite())?;
        let mut rows = prepared.query([])?;
        let mut parts = Vec::new();
        while let Some(row) = rows.next()? {
            parts.push(Part::from_row(&Row::Sqlite(row))?);
        }
        Ok(parts)
    };
    Ok(ExpectedSchema {
        indexes: read(&INDEXES)?,
        triggers: read(&TRIGGERS)?,
    })
}
