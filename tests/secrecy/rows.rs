//! The stored rows as text, whatever the database.

use storage::Db;
use storage::db::Statement;
use storage::testing::statement;

/// All tables with their columns.
async fn schema(db: &Db) -> Vec<(String, Vec<String>)> {
    let sqlite = db.engine() == "sqlite";
    let tables = if sqlite {
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
    } else {
        "SELECT CAST(table_name AS TEXT) FROM information_schema.tables WHERE table_schema = current_schema()"
    };
    let mut schema = Vec::new();
    for table in texts(db, tables).await {
        let columns = if sqlite {
            format!("SELECT name FROM pragma_table_info('{table}')")
        } else {
            format!(
                "SELECT CAST(column_name AS TEXT) FROM information_schema.columns \
                 WHERE table_schema = current_schema() AND table_name = '{table}'"
            )
        };
        let columns = texts(db, &columns).await;
        schema.push((table, columns));
    }
    schema
}

/// Every column, as `table.column`.
pub async fn columns(db: &Db) -> Vec<String> {
    let of = |(table, columns): (String, Vec<String>)| {
        columns.into_iter().map(move |column| format!("{table}.{column}"))
    };
    schema(db).await.into_iter().flat_map(of).collect()
}

/// Reads all rows of all tables in one statement.
pub struct Rows(&'static Statement);

impl Rows {
    pub async fn of(db: &Db) -> Rows {
        Rows::chosen(db, |_| Some(String::new())).await
    }

    /// The rows that belong to one Org.
    pub async fn of_org(db: &Db, num: i64) -> Rows {
        let of_org = |columns: &[String]| {
            let names_it = |name: &str| columns.iter().any(|column| column == name);
            // An audit chain has the number of its Org, and only Orgs and accounts have owners and tiers.
            let column = ["org_num", "chain"].into_iter().find(|name| names_it(name));
            let column = column.or_else(|| names_it("owner_account_num").then_some("num"));
            column.map(|column| format!(" WHERE {column} = {num}"))
        };
        Rows::chosen(db, of_org).await
    }

    /// What the columns of a table tell about which of its rows are wanted; nothing when none is.
    async fn chosen(db: &Db, wanted: impl Fn(&[String]) -> Option<String>) -> Rows {
        let sqlite = db.engine() == "sqlite";
        let mut parts = Vec::new();
        for (table, columns) in schema(db).await {
            let Some(condition) = wanted(&columns) else {
                continue;
            };
            let row = if sqlite {
                let quoted: Vec<String> = columns.iter().map(|column| format!("quote({column})")).collect();
                quoted.join(" || ',' || ")
            } else {
                "CAST(t AS TEXT)".to_owned()
            };
            parts.push(format!("SELECT '{table}|' || {row} FROM {table} t{condition}"));
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
