//! Which tables a backup moves, and the statements that move them. The only place where they are put together:
//! every name comes from the list here or from this binary's own migrations, never from a backup.

use rusqlite::Connection;

use super::BackupError;
use crate::migrate::{self, Migrate};

/// All tables, each after those it refers to. The ledger of migrations is not among them: the target has its own.
pub(super) const TABLES: [&str; 78] = [
    "accounts",
    "sessions",
    "orgs",
    "org_usage",
    "members",
    "guilds",
    "servers",
    "api_keys",
    "retired_keys",
    "links",
    "boosters",
    "server_players",
    "group_changes",
    "role_mappings",
    "role_marks",
    "role_grants",
    "role_members",
    "role_ledger",
    "job_lanes",
    "jobs",
    "audit_heads",
    "audit",
    "error_log",
    "operator_alerts",
    "alert_budget",
    "settings",
    "daily_calls",
    "link_steps",
    "link_days",
    "link_lives",
    "stat_days",
    "key_refusals",
    "people",
    "person_words",
    "person_places",
    "person_servers",
    "person_marks",
    "trust_points",
    "trust_settings",
    "chosen_links",
    "player_seen",
    "guild_days",
    "cleanup_settings",
    "dormant_links",
    "imports",
    "import_rows",
    "tombstones",
    "erased_members",
    "payers",
    "checkouts",
    "subscriptions",
    "stripe_events",
    "tier_grants",
    "pictures",
    "flows",
    "flow_trips",
    "openid_nonces",
    "blocklist",
    "navigation_links",
    "sign_ins",
    "managed_guilds",
    "invites",
    "registration_codes",
    "visits",
    "announcements",
    "announcement_dismissals",
    "flags",
    "idempotency_keys",
    "bots",
    "dedicated_bots",
    "guild_bots",
    "discord_roles",
    "discord_channels",
    "interactions",
    "log_batches",
    "webhook_endpoints",
    "webhook_secrets",
    "webhook_deliveries",
];

const COLUMNS: &str = "
    SELECT name, type = 'TEXT'
    FROM pragma_table_info(?1)
    ORDER BY cid";

pub(super) struct Table {
    pub name: &'static str,
    pub columns: Vec<Column>,
}

/// A column holds text or 64-bit integers; there is nothing else.
pub(super) struct Column {
    pub name: String,
    pub text: bool,
}

/// The tables as this binary's migrations make them.
pub(super) fn newest() -> Result<Vec<Table>, BackupError> {
    let mut connection = Connection::open_in_memory()?;
    migrate::on_sqlite(&mut connection, Migrate::Apply)?;
    let mut prepared = connection.prepare(COLUMNS)?;
    let mut tables = Vec::with_capacity(TABLES.len());
    for name in TABLES {
        let columns = prepared.query_map([name], |row| {
            Ok(Column {
                name: row.get(0)?,
                text: row.get(1)?,
            })
        })?;
        tables.push(Table {
            name,
            columns: columns.collect::<Result<_, _>>()?,
        });
    }
    Ok(tables)
}

impl Table {
    /// Every row, on either database.
    pub(super) fn select(&self) -> String {
        ["SELECT ", &self.column_names(), " FROM ", &quoted(self.name)].concat()
    }

    /// The same in an order that depends on nothing but the rows.
    pub(super) fn select_in_order(&self) -> String {
        [&self.select(), " ORDER BY ", &self.column_names()].concat()
    }

    /// One row, on SQLite.
    pub(super) fn insert(&self) -> String {
        let values = vec!["?"; self.columns.len()].join(", ");
        let columns = self.column_names();
        [
            "INSERT INTO ",
            &quoted(self.name),
            " (",
            &columns,
            ") VALUES (",
            &values,
            ")",
        ]
        .concat()
    }

    /// Removes the rows that migrations made.
    pub(super) fn clear(&self) -> String {
        ["DELETE FROM ", &quoted(self.name)].concat()
    }

    /// Many rows, on PostgreSQL.
    pub(super) fn copy_in(&self) -> String {
        [
            "COPY ",
            &quoted(self.name),
            " (",
            &self.column_names(),
            ") FROM STDIN",
        ]
        .concat()
    }

    /// Makes PostgreSQL count on from the highest number in use.
    pub(super) fn count_on(&self, column: &str) -> String {
        let highest = ["MAX(", &quoted(column), ")"].concat();
        let sequence = ["pg_get_serial_sequence('", self.name, "', '", column, "')"].concat();
        [
            "SELECT setval(",
            &sequence,
            ", COALESCE(",
            &highest,
            ", 1), ",
            &highest,
            " IS NOT NULL) FROM ",
            &quoted(self.name),
        ]
        .concat()
    }

    fn column_names(&self) -> String {
        let names: Vec<String> = self.columns.iter().map(|column| quoted(&column.name)).collect();
        names.join(", ")
    }
}

/// Keeps everybody else away from all tables, on PostgreSQL.
pub(super) fn lock_all() -> String {
    ["LOCK TABLE ", &all_names(), " IN ACCESS EXCLUSIVE MODE"].concat()
}

/// Empties all tables, on PostgreSQL; unlike a deletion it passes the triggers that protect history.
pub(super) fn clear_all() -> String {
    ["TRUNCATE TABLE ", &all_names()].concat()
}

/// Tells PostgreSQL's planner about the new rows.
pub(super) fn analyze_all() -> String {
    ["ANALYZE ", &all_names()].concat()
}

fn all_names() -> String {
    TABLES.map(quoted).join(", ")
}

fn quoted(name: &str) -> String {
    ["\"", name, "\""].concat()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn migrated() -> Connection {
        let mut connection = Connection::open_in_memory().unwrap();
        migrate::on_sqlite(&mut connection, Migrate::Apply).unwrap();
        connection
    }

    fn names(connection: &Connection, sql: &str, parameter: &[&str]) -> Vec<String> {
        let mut prepared = connection.prepare(sql).unwrap();
        let rows = prepared
            .query_map(rusqlite::params_from_iter(parameter), |row| row.get(0))
            .unwrap();
        rows.collect::<Result<_, _>>().unwrap()
    }

    #[test]
    fn every_table_of_the_schema_is_backed_up() {
        let all = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'schema_migrations' AND name NOT LIKE 'sqlite_%'";
        let live: BTreeSet<String> = names(&migrated(), all, &[]).into_iter().collect();
        let listed: BTreeSet<String> = TABLES.map(str::to_owned).into();
        assert_eq!(
            listed, live,
            "add the new table to TABLES, after those it refers to"
        );
    }

    #[test]
    fn every_table_comes_after_those_it_refers_to() {
        let connection = migrated();
        for (at, table) in TABLES.iter().enumerate() {
            let parents = "SELECT \"table\" FROM pragma_foreign_key_list(?1)";
            for parent in names(&connection, parents, &[table]) {
                assert!(
                    TABLES[..at].contains(&parent.as_str()),
                    "{table} refers to {parent}, which comes later"
                );
            }
        }
    }

    #[test]
    fn every_column_is_text_or_an_integer() {
        let connection = migrated();
        for table in TABLES {
            let kinds = names(&connection, "SELECT type FROM pragma_table_info(?1)", &[table]);
            assert!(!kinds.is_empty());
            assert!(
                kinds.iter().all(|kind| kind == "TEXT" || kind == "INTEGER"),
                "{table} has {kinds:?}"
            );
        }
    }
}
