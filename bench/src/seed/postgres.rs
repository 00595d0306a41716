//! A database of our own on the given server, filled through COPY and dropped at the end.

use std::fmt::Write;
use std::pin::pin;

use bytes::Bytes;
use futures_util::SinkExt;
use tokio::task::JoinSet;
use tokio_postgres::{Client, NoTls};

use super::tables::{Cell, Table, tables};
use crate::Fallible;
use crate::data::Dataset;

const CHUNK_BYTES: usize = 256 * 1024;

pub struct PostgresBench {
    admin_url: String,
    /// Of the database that is measured.
    pub url: String,
    name: String,
}

impl PostgresBench {
    /// Creates an empty database next to the one that `admin_url` names.
    pub async fn create(admin_url: &str) -> Fallible<Self> {
        let name = format!("symbolon_bench_{}", std::process::id());
        let bench = Self {
            admin_url: admin_url.to_owned(),
            url: with_database(admin_url, &name)?,
            name,
        };
        bench.as_admin(&format!("CREATE DATABASE {}", bench.name)).await?;
        Ok(bench)
    }

    /// The server's version.
    pub async fn version(&self) -> Fallible<String> {
        let mut tasks = JoinSet::new();
        let client = connect(&self.url, &mut tasks).await?;
        Ok(client.query_one("SHOW server_version", &[]).await?.get(0))
    }

    /// The processes that serve the connections of the product.
    pub async fn backends(&self) -> Fallible<Vec<u32>> {
        const QUERY: &str = "
            SELECT pid
            FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid()";
        let mut tasks = JoinSet::new();
        let rows = connect(&self.url, &mut tasks).await?.query(QUERY, &[]).await?;
        Ok(rows
            .iter()
            .map(|row| row.get::<_, i32>(0).cast_unsigned())
            .collect())
    }

    /// Fills the freshly migrated database and brings its statistics up to date.
    pub async fn seed(&self, data: &Dataset) -> Fallible<()> {
        let mut tasks = JoinSet::new();
        let client = connect(&self.url, &mut tasks).await?;
        for table in tables(data) {
            copy(&client, table).await?;
        }
        // Otherwise the first readers after the seed would set hint bits, and pay for it.
        client.batch_execute("VACUUM ANALYZE").await?;
        client.batch_execute("CHECKPOINT").await?;
        Ok(())
    }

    /// Changes what was seeded and brings its statistics up to date.
    pub async fn run_sql(&self, sql: &str) -> Fallible<()> {
        let mut tasks = JoinSet::new();
        let client = connect(&self.url, &mut tasks).await?;
        client.batch_execute(sql).await?;
        client.batch_execute("VACUUM ANALYZE").await?;
        Ok(client.batch_execute("CHECKPOINT").await?)
    }

    pub async fn drop(self) -> Fallible<()> {
        self.as_admin(&format!("DROP DATABASE {} WITH (FORCE)", self.name))
            .await
    }

    async fn as_admin(&self, statement: &str) -> Fallible<()> {
        let mut tasks = JoinSet::new();
        Ok(connect(&self.admin_url, &mut tasks)
            .await?
            .batch_execute(statement)
            .await?)
    }
}

async fn connect(url: &str, tasks: &mut JoinSet<()>) -> Fallible<Client> {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
    // A failure of the connection reaches whoever waits for an answer.
    tasks.spawn(async move { drop(connection.await) });
    Ok(client)
}

async fn copy(client: &Client, table: Table<'_>) -> Fallible<()> {
    let statement = format!("COPY {} ({}) FROM STDIN", table.name, table.columns.join(", "));
    let mut sink = pin!(client.copy_in::<_, Bytes>(&statement).await?);
    let mut chunk = String::with_capacity(CHUNK_BYTES + 1024);
    for row in table.rows {
        for (at, cell) in row.iter().enumerate() {
            let separator = if at == 0 { "" } else { "\t" };
            // Our texts hold nothing that COPY would want escaped.
            match cell {
                Cell::Int(value) => write!(chunk, "{separator}{value}")?,
                Cell::Text(value) => write!(chunk, "{separator}{value}")?,
            }
        }
        chunk.push('\n');
        if chunk.len() >= CHUNK_BYTES {
            sink.send(Bytes::copy_from_slice(chunk.as_bytes())).await?;
            chunk.clear();
        }
    }
    sink.send(Bytes::from(chunk)).await?;
    sink.finish().await?;
    Ok(())
}

/// The same address with another database.
fn with_database(url: &str, name: &str) -> Fallible<String> {
    let (address, options) = url
        .split_once('?')
        .map_or((url, String::new()), |(address, rest)| {
            (address, format!("?{rest}"))
        });
    let (server, _) = address
        .rsplit_once('/')
        .filter(|(server, _)| server.contains("://") && !server.ends_with('/'))
        .ok_or("the PostgreSQL address must name a database")?;
    Ok(format!("{server}/{name}{options}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_database_of_an_address_changes() {
        let changed = with_database("postgres://u@127.0.0.1:5432/old?sslmode=disable", "new").unwrap();
        assert_eq!(changed, "postgres://u@127.0.0.1:5432/new?sslmode=disable");
        assert!(with_database("postgres://127.0.0.1", "new").is_err());
    }
}
