//! Databases with the newest schema that others are copied from: a copy costs a tenth of all the migrations.

use std::path::{Path, PathBuf};

use super::{Engine, count, options, run};
use crate::db::Db;
use crate::migrate;

/// Whoever makes the template of a PostgreSQL holds this lock meanwhile.
const LOCK: i64 = 7_305_806_927;

/// Copies an empty SQLite database with the newest schema to a path.
pub async fn copy_file(to: &Path) {
    let directory = std::env::temp_dir().join(format!("symbolon-schema-{}", digest(Engine::Sqlite)));
    let ready = directory.join("symbolon.db");
    if !ready.exists() {
        make_file(&directory, &ready).await;
    }
    std::fs::copy(&ready, to).expect("the template is copied");
}

/// One process makes it; the others wait for its lock and find it.
async fn make_file(directory: &Path, ready: &PathBuf) {
    std::fs::create_dir_all(directory).expect("the temporary directory is writable");
    let lock = std::fs::File::create(directory.join("lock")).expect("the lock's file");
    lock.lock().expect("the lock");
    if ready.exists() {
        return;
    }
    let making = directory.join("making");
    drop(std::fs::remove_dir_all(&making));
    std::fs::create_dir_all(&making).expect("the temporary directory is writable");
    let made = making.join("symbolon.db");
    fill(&format!("sqlite:{}", made.display())).await;
    std::fs::rename(&made, ready).expect("the template is put in its place");
}

/// Makes a PostgreSQL database of this name that is a copy of one with the newest schema, and returns its address.
pub async fn copy_database(server: &str, name: &str) -> String {
    let template = format!("symbolon_schema_{}", digest(Engine::Postgres));
    if !is_ready(server, &template).await {
        make_database(server, &template).await;
    }
    run(server, &format!("CREATE DATABASE {name} TEMPLATE {template}"))
        .await
        .expect("the template is copied");
    with_database(server, name)
}

async fn is_ready(server: &str, template: &str) -> bool {
    let found = [
        "SELECT COUNT(*) FROM pg_database WHERE datistemplate AND datname = '",
        template,
        "'",
    ];
    count(server, &found.concat())
        .await
        .expect("databases are listed")
        > 0
}

#[expect(clippy::disallowed_methods, reason = "ends with its client")]
async fn make_database(server: &str, template: &str) {
    let connected = tokio_postgres::connect(server, tokio_postgres::NoTls).await;
    let (client, connection) = connected.expect("the server is there");
    let moving = tokio::spawn(connection);
    let lock = client.execute("SELECT pg_advisory_lock($1)", &[&LOCK]).await;
    lock.expect("the lock");
    if !is_ready(server, template).await {
        let anew = [
            format!("DROP DATABASE IF EXISTS {template}"),
            format!("CREATE DATABASE {template}"),
        ];
        for sql in anew {
            client.execute(&sql, &[]).await.expect("an empty database");
        }
        fill(&with_database(server, template)).await;
        let done = format!("ALTER DATABASE {template} IS_TEMPLATE true");
        client.execute(&done, &[]).await.expect("the template is one");
    }
    drop(client);
    drop(moving.await);
}

/// Brings an empty database to the newest schema and leaves it.
async fn fill(database: &str) {
    let db = Db::open(options(database)).await.expect("a fresh database opens");
    db.close().await;
}

/// The address of another database on the same server.
fn with_database(server: &str, name: &str) -> String {
    let (start, rest) = server.split_once("://").expect("an address");
    let (host, database) = rest.split_once('/').expect("a database");
    let settings = database.split_once('?').map_or("", |(_, settings)| settings);
    let mark = if settings.is_empty() { "" } else { "?" };
    format!("{start}://{host}/{name}{mark}{settings}")
}

/// Differs whenever a migration does.
fn digest(engine: Engine) -> String {
    migrate::digest_of_all(engine == Engine::Sqlite)[..16].to_owned()
}
