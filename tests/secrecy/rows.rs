//! The stored rows as text, whatever the database.

use storage::Db;
use storage::db::Statement;
use storage::testing::statement;

/// Reads all rows of all tables in one statement.
pub struct Rows(&'static Statement);

impl Rows {
    pub async fn of(db: &Db) -> Rows {
        let sqlite = db.engine() == "sqlite";
        let tables = if sqlite {
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        } else {
            "SELECT CAST(table_name AS TEXT) FROM information_schema.tables WHERE table_schema = current_schema()"
        };
        let mut parts = Vec::new();
        for table in texts(db, tables).await {
            let row = if sqlite {
                let columns = format!("SELECT name FROM pragma_table_info('{table}')");
                let quoted: Vec<String> = texts(db, &columns)
                    .await
                    .iter()
                    .map(|column| format!("quote({column})"))
                    .collect();
                quoted.join(" || ',' || ")
            } else {
                "CAST(t AS TEXT)".to_owned()
            };
            parts.push(format!("SELECT '{table}|' || {row} FROM {table} t"));
        }
        let all = parts.join(" UNION ALL ").leak();
        Rows(statement(all, all))
    }

    /// One line per row, `table|values`, sorted.
    pub async fn all(&self, db: &Db) -> Vec<String> {
        let mut lines: Vec<String> = db.list_heavy(self.0, &[]).await.expect("rows");
        lines.sort();
        lines
    }

    /// The rows of some tables.
    pub async fn of_tables(&self, db: &Db, tables: &[&str]) -> Vec<String> {
        let mut lines = self.all(db).await;
        lines.retain(|line| tables.iter().any(|table| is_of(line, table)));
        lines
    }
}

/// Whether a line is a row of this table.
pub fn is_of(line: &str, table: &str) -> bool {
    line.split_once('|').is_some_and(|(of, _)| of == table)
}

/// The first column of a query.
pub async fn texts(db: &Db, sql: &str) -> Vec<String> {
    let sql: &'static str = sql.to_owned().leak();
    db.list_heavy(statement(sql, sql), &[])
        .await
        .expect("a readable column")
}

/// The first column of a query, as numbers.
pub async fn numbers(db: &Db, sql: &str) -> Vec<i64> {
    let sql: &'static str = sql.to_owned().leak();
    db.list_heavy(statement(sql, sql), &[])
        .await
        .expect("a readable column")
}
