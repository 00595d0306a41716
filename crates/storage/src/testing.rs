//! A fresh database per test, on either engine. Compiled only with the feature `testing`.
#![expect(
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot arrange its database must fail"
)]

mod place;
mod proxy;
mod template;

use std::path::Path;
use std::time::Duration;

use domain::id::{GuildId, ImportId};
use secrecy::SecretString;

pub use self::place::Place;
pub use self::proxy::Proxy;
use crate::db::{Db, OpenError, OpenOptions, Statement, Target};
use crate::migrate::Migrate;
use crate::records::error_log::{self, ErrorFilter, Group};

/// Counts anew what is counted of links by day, after links were written past the product.
pub const COUNT_LINKS_ANEW: &str = "
    DELETE FROM link_days;
    INSERT INTO link_days (guild_num, org_num, day, what, times)
    SELECT guild_num, org_num, linked_at / 86400000, 'linked', COUNT(*)
    FROM links GROUP BY guild_num, org_num, linked_at / 86400000;
    INSERT INTO link_days (guild_num, org_num, day, what, times)
    SELECT guild_num, org_num, ended_at / 86400000, end_cause, COUNT(*)
    FROM links WHERE ended_at IS NOT NULL GROUP BY guild_num, org_num, ended_at / 86400000, end_cause;
    DELETE FROM link_lives;
    INSERT INTO link_lives (guild_num, org_num, day, lived, times)
    SELECT e.guild_num, e.org_num, e.day, e.lived, COUNT(*)
    FROM (SELECT guild_num, org_num, linked_at / 86400000 AS day,
                 CASE WHEN ended_at - linked_at >= 31536000000 THEN 365 WHEN ended_at - linked_at >= 15552000000 THEN 180
                      WHEN ended_at - linked_at >= 7776000000 THEN 90 WHEN ended_at - linked_at >= 2592000000 THEN 30
                      WHEN ended_at - linked_at >= 604800000 THEN 7 WHEN ended_at - linked_at >= 86400000 THEN 1
                      ELSE 0 END AS lived
          FROM links WHERE ended_at IS NOT NULL) e
    GROUP BY e.guild_num, e.org_num, e.day, e.lived;";

/// An import into a Guild that is over and has no rows.
const ENDED_IMPORT: &str = "
    INSERT INTO imports (id, org_num, guild_num, kind, state, about, result, has_rows, created_at, touched_at, ended_at)
    SELECT ':id', org_num, num, 'users', 'done', '{}', '{}', 0, :now, :now, :now
    FROM guilds
    WHERE id = ':guild'";

/// The database that a test is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// A file in a directory of its own.
    Sqlite,
    /// A database or a schema of its own on the server of SYMBOLON_TEST_POSTGRES.
    Postgres,
}

/// An open, migrated store of its own. What it left behind is removed when it is dropped.
pub struct TestDb {
    /// Open until [`finish`](TestDb::finish).
    pub db: Db,
    place: Place,
}

impl TestDb {
    /// A fresh store with the newest schema.
    pub async fn open(engine: Engine) -> TestDb {
        let place = Place::filled(engine).await;
        let db = Db::open(place.options()).await.expect("a fresh database opens");
        TestDb { db, place }
    }

    /// How to open the same database again: a second node, or after a restart.
    pub fn options(&self) -> OpenOptions {
        self.place.options()
    }

    /// SQLite: where the files are. PostgreSQL: an empty directory of this test's own.
    pub fn directory(&self) -> &Path {
        &self.place.directory
    }

    /// What `--database` would be given.
    pub fn url_or_path(&self) -> String {
        self.place.url_or_path()
    }

    /// An import into a Guild that is over and has no rows.
    pub async fn add_ended_import(&self, id: &ImportId, guild: &GuildId, now_ms: i64) {
        let sql = ENDED_IMPORT
            .replace(":id", id.as_str())
            .replace(":guild", guild.as_str())
            .replace(":now", &now_ms.to_string());
        self.damage(&sql).await;
    }

    /// Runs SQL on a connection of its own, past every rule of ours: to break a store, and to repair it.
    pub async fn damage(&self, sql: &str) {
        match &self.place.home {
            None => rusqlite::Connection::open(self.place.file())
                .and_then(|connection| connection.execute_batch(sql))
                .expect("the damage is done"),
            Some(home) => run(&home.url, sql).await.expect("the damage is done"),
        }
        if let Db::Sqlite(db) = &self.db {
            db.move_on();
        }
    }

    /// Rows of a table, with a condition if one follows its name. Looked up past the store.
    pub async fn count(&self, from: &str) -> i64 {
        let sql = ["SELECT COUNT(*) FROM ", from].concat();
        match &self.place.home {
            None => rusqlite::Connection::open(self.place.file())
                .and_then(|connection| connection.query_row(&sql, [], |row| row.get(0)))
                .expect("rows are counted"),
            Some(home) => count(&home.url, &sql).await.expect("rows are counted"),
        }
    }

    /// Closes the store and opens the same database again. No other clone of `db` may be left.
    pub async fn restart(self) -> TestDb {
        self.restart_with(|_| {}).await.expect("the database opens again")
    }

    /// As [`TestDb::restart`], with other options.
    pub async fn restart_with(self, change: impl FnOnce(&mut OpenOptions)) -> Result<TestDb, OpenError> {
        let TestDb { db, place } = self;
        db.close().await;
        drop(db);
        let mut options = place.options();
        change(&mut options);
        Ok(TestDb {
            db: Db::open(options).await?,
            place,
        })
    }

    /// Closes the store and removes it.
    pub async fn finish(self) {
        let TestDb { db, place } = self;
        db.close().await;
        drop(db);
        drop(place);
    }
}

/// A transaction on a connection of its own beside the store, on PostgreSQL: what it wrote and locked stays so until it
/// ends. It opens the window of a race for as long as a test needs it.
pub struct Beside {
    client: tokio_postgres::Client,
}

impl TestDb {
    /// Begins a transaction beside the store and runs SQL in it.
    #[expect(clippy::disallowed_methods, reason = "ends with its client")]
    pub async fn begin_beside(&self, sql: &str) -> Beside {
        let url = self.place.url_or_path();
        let connected = tokio_postgres::connect(&url, tokio_postgres::NoTls).await;
        let (client, connection) = connected.expect("only PostgreSQL has such windows");
        tokio::spawn(connection);
        let beside = Beside { client };
        beside.run(&["BEGIN; ", sql].concat()).await;
        beside
    }
}

impl Beside {
    /// One statement or several, in the open transaction.
    pub async fn run(&self, sql: &str) {
        self.client.batch_execute(sql).await.expect("the SQL runs");
    }

    /// Whether anybody waits for what this transaction holds.
    pub async fn is_awaited(&self) -> bool {
        let waiting = "SELECT COUNT(*) FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid))";
        let found = self.client.query_one(waiting, &[]).await;
        found.expect("locks are counted").get::<_, i64>(0) > 0
    }

    /// Lets go of whatever it holds.
    pub async fn commit(self) {
        self.run("COMMIT").await;
    }
}

/// How to open what `--database` names. Small pools: many tests share one PostgreSQL.
pub fn options(database: &str) -> OpenOptions {
    let target = match database.strip_prefix("sqlite:") {
        Some(path) => Target::Sqlite { path: path.into() },
        None => Target::Postgres {
            url: SecretString::from(database),
        },
    };
    OpenOptions {
        target,
        migrate: Migrate::Apply,
        write_queue: 1024,
        pool_size: 4,
        read_clients: 1,
        statement_timeout: Duration::from_secs(30),
        lock_timeout: Duration::from_secs(20),
        // Many tests have more callers than connections, and a busy machine.
        connect_deadline: Duration::from_secs(30),
        read_deadline: Duration::from_secs(30),
        work_deadline: Duration::from_secs(60),
        tls_roots: None,
        start_wait: Duration::ZERO,
    }
}

/// Runs SQL on a connection of its own.
#[expect(clippy::disallowed_methods, reason = "ends with its client")]
async fn count(address: &str, sql: &str) -> Result<i64, tokio_postgres::Error> {
    let (client, connection) = tokio_postgres::connect(address, tokio_postgres::NoTls).await?;
    let moving = tokio::spawn(connection);
    let counted = client.query_one(sql, &[]).await;
    drop(client);
    drop(moving.await);
    counted.map(|row| row.get(0))
}

#[expect(clippy::disallowed_methods, reason = "ends with its client")]
async fn run(address: &str, sql: &str) -> Result<(), tokio_postgres::Error> {
    let (client, connection) = tokio_postgres::connect(address, tokio_postgres::NoTls).await?;
    let moving = tokio::spawn(connection);
    let result = client.batch_execute(sql).await;
    drop(client);
    drop(moving.await);
    result
}

impl Db {
    /// How often SQLite had to prepare a cached read anew, over the read connections.
    pub fn times_prepared_again(&self, statement: &'static Statement) -> i32 {
        match self {
            Db::Sqlite(db) => db
                .times_prepared_again(statement)
                .expect("the statement is prepared"),
            Db::Postgres(_) => 0,
        }
    }

    /// How often SQLite ran a read; PostgreSQL does not tell.
    pub fn times_run(&self, statement: &'static Statement) -> Option<i32> {
        match self {
            Db::Sqlite(db) => Some(db.times_run(statement).expect("the statement is prepared")),
            Db::Postgres(_) => None,
        }
    }
}

/// What an operator's session gives.
pub fn operator() -> crate::OperatorScope {
    crate::OperatorScope::new()
}

/// What the error log holds, newest first.
pub async fn newest_errors(db: &Db, limit: i64) -> Vec<Group> {
    let listed = error_log::list_all(db, operator(), &ErrorFilter::default(), limit).await;
    let listed = listed.expect("the error log");
    listed.into_iter().map(|listed| listed.group).collect()
}

/// A statement outside the catalogue, for tests of the layer itself. Its few bytes are never freed.
pub fn statement(postgres: &'static str, sqlite: &'static str) -> &'static Statement {
    Box::leak(Box::new(Statement::new("a test's statement", postgres, sqlite)))
}

/// Makes two tests of one promise, `NAME::sqlite` and `NAME::postgres`.
#[macro_export]
macro_rules! both_databases {
    () => {};
    ($(#[$meta:meta])* async fn $name:ident($engine:ident) $body:block $($rest:tt)*) => {
        #[cfg(test)]
        mod $name {
            use super::*;

            async fn promise($engine: $crate::testing::Engine) $body

            $(#[$meta])*
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn sqlite() {
                promise($crate::testing::Engine::Sqlite).await;
            }

            $(#[$meta])*
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn postgres() {
                promise($crate::testing::Engine::Postgres).await;
            }
        }
        $crate::both_databases! { $($rest)* }
    };
}
