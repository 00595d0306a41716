//! Everything a database holds, read with the drivers alone.

use std::collections::BTreeMap;
use std::path::Path;

use rusqlite::types::Value;
use secrecy::ExposeSecret;
use storage::{OpenOptions, Target};
use tokio_postgres::types::Type;

/// Table by table, the rows in one order whatever database they come from.
pub type Rows = BTreeMap<String, Vec<Vec<Cell>>>;

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cell {
    Null,
    Int(i64),
    Text(String),
}

pub async fn of(options: &OpenOptions) -> Rows {
    match &options.target {
        Target::Sqlite { path } => of_file(path),
        Target::Postgres { url } => of_postgres(url.expose_secret()).await,
    }
}

pub fn of_file(path: &Path) -> Rows {
    let connection = rusqlite::Connection::open(path).unwrap();
    let mut prepared = connection
        .prepare(
            "SELECT name FROM sqlite_schema
             WHERE type = 'table' AND name <> 'schema_migrations' AND name NOT LIKE 'sqlite_%'",
        )
        .unwrap();
    let names = prepared.query_map([], |row| row.get::<_, String>(0)).unwrap();
    let mut all = Rows::new();
    for name in names {
        let name = name.unwrap();
        let columns = columns(&connection, &name);
        let mut select = connection
            .prepare(&format!("SELECT {} FROM {name}", columns.join(", ")))
            .unwrap();
        let rows = select.query_map([], |row| {
            (0..columns.len()).map(|index| row.get(index).map(cell)).collect()
        });
        let mut rows: Vec<Vec<Cell>> = rows.unwrap().collect::<Result<_, _>>().unwrap();
        rows.sort();
        all.insert(name, rows);
    }
    all
}

/// By name, so that both databases agree on the order.
fn columns(connection: &rusqlite::Connection, table: &str) -> Vec<String> {
    let mut prepared = connection
        .prepare("SELECT name FROM pragma_table_info(?1) ORDER BY name")
        .unwrap();
    let rows = prepared.query_map([table], |row| row.get(0)).unwrap();
    rows.collect::<Result<_, _>>().unwrap()
}

fn cell(value: Value) -> Cell {
    match value {
        Value::Null => Cell::Null,
        Value::Integer(number) => Cell::Int(number),
        Value::Text(text) => Cell::Text(text),
        Value::Real(_) | Value::Blob(_) => panic!("neither text nor an integer"),
    }
}

async fn of_postgres(url: &str) -> Rows {
    let client = connect(url).await;
    let columns = "
        SELECT table_name::TEXT, string_agg(column_name::TEXT, ', ' ORDER BY column_name::TEXT COLLATE \"C\")
        FROM information_schema.columns
        WHERE table_schema = current_schema() AND table_name <> 'schema_migrations'
        GROUP BY table_name";
    let mut all = Rows::new();
    for table in client.query(columns, &[]).await.unwrap() {
        let (name, columns): (String, String) = (table.get(0), table.get(1));
        let select = format!("SELECT {columns} FROM {name}");
        let found = client.query(&select, &[]).await.unwrap();
        let mut rows: Vec<Vec<Cell>> = found.iter().map(row).collect();
        rows.sort();
        all.insert(name, rows);
    }
    all
}

fn row(row: &tokio_postgres::Row) -> Vec<Cell> {
    let columns = row.columns().iter().enumerate();
    let cells = columns.map(|(index, column)| match *column.type_() {
        Type::INT8 => row.get::<_, Option<i64>>(index).map(Cell::Int),
        Type::TEXT => row.get::<_, Option<String>>(index).map(Cell::Text),
        ref other => panic!("{other} is neither text nor an integer"),
    });
    cells.map(|cell| cell.unwrap_or(Cell::Null)).collect()
}

#[expect(clippy::disallowed_methods, reason = "ends with its client")]
pub async fn connect(url: &str) -> tokio_postgres::Client {
    let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    client
}
