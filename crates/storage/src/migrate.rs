//! The schema's number line. A start either reaches the newest number or changes nothing.

use thiserror::Error;

use crate::db::DbError;
use crate::dialect;

/// What opening the store may do to the schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Migrate {
    /// Bring the schema up to date; an empty database is filled.
    Apply,
    /// Bring the schema of a database up to date that is in use already.
    Upgrade,
    /// Refuse anything but the newest schema.
    Require,
}

/// Why the schema is not the newest; nothing was changed.
#[expect(missing_docs, reason = "each message says what happened")]
#[derive(Debug, Error)]
pub enum MigrateError {
    #[error(
        "the database has schema {found}, this binary knows up to {known}: it was used by a newer Symbolon, so run that one or restore a backup"
    )]
    TooNew { found: i64, known: i64 },
    #[error("the database is empty: check --data and database.url; `symbolon serve` fills a new one")]
    Empty,
    #[error("the database has schema {found}, {known} is needed: run `symbolon migrate` first")]
    TooOld { found: i64, known: i64 },
    #[error("migration {number} was changed after it had been applied to this database")]
    Changed { number: i64 },
    #[error("migration {number} ({name}) failed and nothing was changed: {source}")]
    Failed {
        number: i64,
        name: &'static str,
        source: DbError,
    },
    #[error(transparent)]
    Database(#[from] DbError),
}

pub(crate) struct Migration {
    number: i64,
    name: &'static str,
    text: Text,
}

enum Text {
    Portable(&'static str),
    Pair {
        sqlite: &'static str,
        postgres: &'static str,
    },
}

macro_rules! migrations {
    ($($number:literal $name:literal $kind:ident;)+) => {
        &[$(Migration { number: $number, name: $name, text: migrations!(@$kind $name) }),+]
    };
    (@portable $name:literal) => {
        Text::Portable(include_str!(concat!("../../../migrations/", $name, ".sql")))
    };
    (@pair $name:literal) => {
        Text::Pair {
            sqlite: include_str!(concat!("../../../migrations/", $name, ".sqlite.sql")),
            postgres: include_str!(concat!("../../../migrations/", $name, ".postgres.sql")),
        }
    };
}

const MIGRATIONS: &[Migration] = migrations! {
    1 "0001_tenants" portable;
    2 "0002_keys" portable;
    3 "0003_links" portable;
    4 "0004_records" portable;
    5 "0005_immutable_rows" pair;
    6 "0006_players" portable;
    7 "0007_names_in_history" pair;
    8 "0008_switches" portable;
    9 "0009_steam_groups" portable;
    10 "0010_daily_calls" portable;
    11 "0011_link_history" portable;
    12 "0012_linking" portable;
    13 "0013_players_in_audit" pair;
    14 "0014_dashboard" portable;
    15 "0015_block_ids" portable;
    16 "0016_changed_links" portable;
    17 "0017_idempotency_keys" portable;
    18 "0018_trips" portable;
    19 "0019_error_log_order" portable;
    20 "0020_job_lanes" pair;
    21 "0021_removed_servers" portable;
    22 "0022_audit_filters" portable;
    23 "0023_revisions" portable;
    24 "0024_accents" portable;
    25 "0025_bots" portable;
    26 "0026_log_batches" pair;
    27 "0027_link_steps" portable;
    28 "0028_unsure_messages" portable;
    29 "0029_bot_failures" portable;
    30 "0030_pictures" portable;
    31 "0031_roles" portable;
    32 "0032_plugin" portable;
    33 "0033_people" portable;
    34 "0034_cleanup" portable;
    35 "0035_analytics" portable;
    36 "0036_imports" portable;
    37 "0037_privacy" portable;
    38 "0038_billing" portable;
    39 "0039_dedicated_bots" portable;
    40 "0040_operators" portable;
    41 "0041_announcements" portable;
    42 "0042_operator_search" portable;
    43 "0043_operator_alerts" portable;
    44 "0044_outbound_webhooks" portable;
};

/// The newest schema this binary knows.
pub fn newest() -> i64 {
    MIGRATIONS.len() as i64
}

const LEDGER: &str = "CREATE TABLE IF NOT EXISTS schema_migrations (
  number BIGINT PRIMARY KEY,
  name TEXT NOT NULL,
  digest TEXT NOT NULL
);
";
const APPLIED: &str = "SELECT number, digest FROM schema_migrations ORDER BY number";

impl Migration {
    fn for_sqlite(&self) -> String {
        match self.text {
            Text::Portable(text) => dialect::migration_for_sqlite(text),
            Text::Pair { sqlite, .. } => sqlite.to_owned(),
        }
    }

    fn for_postgres(&self) -> String {
        match self.text {
            Text::Portable(text) => dialect::migration_for_postgres(text),
            Text::Pair { postgres, .. } => postgres.to_owned(),
        }
    }

    fn failed(&self, source: impl Into<DbError>) -> MigrateError {
        MigrateError::Failed {
            number: self.number,
            name: self.name,
            source: source.into(),
        }
    }
}

/// Compares what was applied with what this binary knows, and returns what is left to do.
fn pending(
    applied: &[(i64, String)],
    mode: Migrate,
    digest: impl Fn(&Migration) -> String,
) -> Result<&'static [Migration], MigrateError> {
    let found = applied.last().map_or(0, |(number, _)| *number);
    let known = newest();
    if found > known {
        return Err(MigrateError::TooNew { found, known });
    }
    match mode {
        Migrate::Require if found < known => return Err(MigrateError::TooOld { found, known }),
        Migrate::Upgrade if found == 0 => return Err(MigrateError::Empty),
        Migrate::Apply | Migrate::Upgrade | Migrate::Require => {}
    }
    for ((number, stored), migration) in applied.iter().zip(MIGRATIONS) {
        if *number != migration.number || *stored != digest(migration) {
            return Err(MigrateError::Changed { number: *number });
        }
    }
    Ok(&MIGRATIONS[found as usize..])
}

/// Differs whenever one of the migrations for this engine does.
#[cfg(feature = "testing")]
pub(crate) fn digest_of_all(for_sqlite: bool) -> String {
    let texts = MIGRATIONS.iter().map(|migration| {
        if for_sqlite {
            migration.for_sqlite()
        } else {
            migration.for_postgres()
        }
    });
    digest(&texts.collect::<String>())
}

fn digest(text: &str) -> String {
    use sha2::{Digest, Sha256};
    Sha256::digest(text)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// Refuses anything but the newest schema, without touching the file.
pub(crate) fn require_on_sqlite(connection: &rusqlite::Connection) -> Result<(), MigrateError> {
    let begun = connection
        .table_exists(None, "schema_migrations")
        .map_err(DbError::from)?;
    let applied = if begun {
        applied_on_sqlite(connection)?
    } else {
        Vec::new()
    };
    pending(&applied, Migrate::Require, |migration| {
        digest(&migration.for_sqlite())
    })
    .map(drop)
}

fn applied_on_sqlite(connection: &rusqlite::Connection) -> Result<Vec<(i64, String)>, DbError> {
    let mut statement = connection.prepare(APPLIED)?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<Result<Vec<_>, _>>()?)
}

pub(crate) fn on_sqlite(connection: &mut rusqlite::Connection, mode: Migrate) -> Result<(), MigrateError> {
    let transaction = connection
        .transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)
        .map_err(DbError::from)?;
    transaction
        .execute_batch(&dialect::migration_for_sqlite(LEDGER))
        .map_err(DbError::from)?;
    let applied = applied_on_sqlite(&transaction)?;
    for migration in pending(&applied, mode, |migration| digest(&migration.for_sqlite()))? {
        let text = migration.for_sqlite();
        transaction
            .execute_batch(&text)
            .map_err(|error| migration.failed(error))?;
        transaction
            .execute(
                "INSERT INTO schema_migrations (number, name, digest) VALUES (?1, ?2, ?3)",
                (migration.number, migration.name, digest(&text)),
            )
            .map_err(|error| migration.failed(error))?;
    }
    transaction.commit().map_err(DbError::from)?;
    Ok(())
}

pub(crate) async fn on_postgres(
    client: &mut tokio_postgres::Client,
    mode: Migrate,
) -> Result<(), MigrateError> {
    let transaction = client.transaction().await.map_err(DbError::from)?;
    // Nodes that start together take turns; the lock ends with the transaction.
    transaction.batch_execute("SET LOCAL lock_timeout = 0; SET LOCAL statement_timeout = 0; SELECT pg_advisory_xact_lock(7305806926)").await.map_err(DbError::from)?;
    transaction
        .batch_execute(&dialect::migration_for_postgres(LEDGER))
        .await
        .map_err(DbError::from)?;
    let rows = transaction.query(APPLIED, &[]).await.map_err(DbError::from)?;
    let applied: Vec<(i64, String)> = rows.iter().map(|row| (row.get(0), row.get(1))).collect();
    for migration in pending(&applied, mode, |migration| digest(&migration.for_postgres()))? {
        let text = migration.for_postgres();
        transaction
            .batch_execute(&text)
            .await
            .map_err(|error| migration.failed(error))?;
        transaction
            .execute(
                "INSERT INTO schema_migrations (number, name, digest) VALUES ($1, $2, $3)",
                &[&migration.number, &migration.name, &digest(&text)],
            )
            .await
            .map_err(|error| migration.failed(error))?;
    }
    transaction.commit().await.map_err(DbError::from)?;
    Ok(())
}
