//! A start reaches the newest schema or changes nothing, and both databases end up with the same one.

use std::collections::BTreeMap;

use storage::identity::blocklist;
use storage::migrate::{Migrate, MigrateError, newest};
use storage::testing::{Engine, Place, TestDb};
use storage::{Db, OpenError, both_databases};

use crate::support::{Put, Raw, Tenant, is_put};

/// Table and column to type, nullability and place in the primary key.
type Columns = BTreeMap<(String, String), (String, bool, i64)>;

async fn columns(raw: &Raw) -> Columns {
    match raw {
        Raw::Sqlite(connection) => {
            let sql = "SELECT t.name, c.name, c.type, c.\"notnull\" <> 0 OR c.pk > 0, c.pk
                       FROM pragma_table_list t, pragma_table_info(t.name) c
                       WHERE t.schema = 'main' AND t.name NOT LIKE 'sqlite_%'";
            let mut statement = connection.prepare(sql).unwrap();
            let rows = statement.query_map([], |row| {
                Ok((
                    (row.get(0)?, row.get(1)?),
                    (row.get(2)?, row.get(3)?, row.get(4)?),
                ))
            });
            rows.unwrap().map(Result::unwrap).collect()
        }
        Raw::Postgres(client) => {
            let sql = "SELECT c.table_name::text, c.column_name::text, c.data_type::text, c.is_nullable = 'NO',
                              COALESCE((SELECT k.ordinal_position::bigint
                                        FROM information_schema.table_constraints p
                                        JOIN information_schema.key_column_usage k USING (constraint_schema, constraint_name)
                                        WHERE p.constraint_type = 'PRIMARY KEY' AND p.table_schema = c.table_schema
                                          AND k.table_name = c.table_name AND k.column_name = c.column_name), 0)
                       FROM information_schema.columns c
                       WHERE c.table_schema = current_schema()";
            let rows = client.query(sql, &[]).await.unwrap();
            rows.iter()
                .map(|row| ((row.get(0), row.get(1)), (row.get(2), row.get(3), row.get(4))))
                .collect()
        }
    }
}

async fn indexes(raw: &Raw) -> Vec<String> {
    match raw {
        Raw::Sqlite(connection) => {
            let sql = "SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL ORDER BY name";
            let mut statement = connection.prepare(sql).unwrap();
            statement
                .query_map([], |row| row.get(0))
                .unwrap()
                .map(Result::unwrap)
                .collect()
        }
        Raw::Postgres(client) => {
            let sql = "SELECT i.relname::text FROM pg_index x
                       JOIN pg_class i ON i.oid = x.indexrelid
                       LEFT JOIN pg_constraint c ON c.conindid = i.oid
                       WHERE i.relnamespace = current_schema()::regnamespace AND c.oid IS NULL
                       ORDER BY i.relname::text COLLATE \"C\"";
            client
                .query(sql, &[])
                .await
                .unwrap()
                .iter()
                .map(|row| row.get(0))
                .collect()
        }
    }
}

#[tokio::test]
async fn both_databases_get_the_same_tables_columns_and_indexes() {
    let (lite, postgres) = (
        TestDb::open(Engine::Sqlite).await,
        TestDb::open(Engine::Postgres).await,
    );
    let (one, two) = (Raw::open(&lite).await, Raw::open(&postgres).await);
    let spelled = |mut columns: Columns| {
        for (kind, ..) in columns.values_mut() {
            *kind = match kind.as_str() {
                "INTEGER" | "bigint" => "integer".to_owned(),
                "TEXT" | "text" => "text".to_owned(),
                other => panic!("{other} is not a type of the schema"),
            };
        }
        columns
    };
    let (sqlite_columns, postgres_columns) = (spelled(columns(&one).await), spelled(columns(&two).await));
    assert!(sqlite_columns.len() > 80, "the listing works");
    assert_eq!(sqlite_columns, postgres_columns);
    assert_eq!(indexes(&one).await, indexes(&two).await);
    drop((one, two));
    lite.finish().await;
    postgres.finish().await;
}

both_databases! {
    async fn opening_again_changes_nothing(engine) {
        let test = TestDb::open(engine).await;
        test.db.write(Put("kept".to_owned())).await.unwrap();
        let before = columns(&Raw::open(&test).await).await;
        let test = test.restart().await.restart_with(|options| options.migrate = Migrate::Require).await.unwrap();
        assert_eq!(columns(&Raw::open(&test).await).await, before);
        let raw = Raw::open(&test).await;
        assert_eq!(raw.number("SELECT COUNT(*) FROM schema_migrations").await, newest());
        assert!(is_put(&test.db, "kept").await);
        drop(raw);
        test.finish().await;
    }

    async fn a_newer_schema_is_refused(engine) {
        let test = TestDb::open(engine).await;
        let raw = Raw::open(&test).await;
        let number = newest() + 1;
        raw.run(&format!("INSERT INTO schema_migrations (number, name, digest) VALUES ({number}, 'n', 'd')")).await.unwrap();
        drop(raw);
        let error = test.restart_with(|_| {}).await.err().unwrap();
        let known = newest();
        assert!(matches!(error, OpenError::Migrate(MigrateError::TooNew { found, known: k }) if found == number && k == known), "{error:?}");
    }

    async fn a_running_node_goes_on_under_a_newer_schema_and_a_restarted_one_does_not(engine) {
        let test = TestDb::open(engine).await;
        test.db.write(Put("before".to_owned())).await.unwrap();
        let raw = Raw::open(&test).await;
        let number = newest() + 1;
        raw.run("ALTER TABLE orgs ADD COLUMN of_tomorrow INTEGER").await.unwrap();
        raw.run("CREATE TABLE tomorrow (num INTEGER PRIMARY KEY)").await.unwrap();
        raw.run(&format!("INSERT INTO schema_migrations (number, name, digest) VALUES ({number}, 'n', 'd')")).await.unwrap();
        drop(raw);
        // People, links, keys and their events.
        Tenant::make(&test.db, 1).await;
        test.db.write(Put("after".to_owned())).await.unwrap();
        assert!(is_put(&test.db, "before").await && is_put(&test.db, "after").await);
        let error = test.restart_with(|_| {}).await.err().unwrap();
        assert!(matches!(error, OpenError::Migrate(MigrateError::TooNew { .. })), "{error:?}");
    }

    async fn an_old_schema_is_refused_unless_migration_was_asked_for(engine) {
        let place = Place::make(engine).await;
        let mut options = place.options();
        if let Some(file) = place.url_or_path().strip_prefix("sqlite:") {
            for migrate in [Migrate::Require, Migrate::Upgrade] {
                options.migrate = migrate;
                let error = Db::open(options.clone()).await.err().unwrap();
                assert!(matches!(&error, OpenError::NoDatabase { path } if !path.exists()), "{error:?}");
            }
            std::fs::write(file, "").unwrap();
        }
        options.migrate = Migrate::Require;
        let error = Db::open(options.clone()).await.err().unwrap();
        assert!(matches!(error, OpenError::Migrate(MigrateError::TooOld { found: 0, .. })), "{error:?}");
        options.migrate = Migrate::Upgrade;
        let error = Db::open(options).await.err().unwrap();
        assert!(matches!(error, OpenError::Migrate(MigrateError::Empty)), "{error:?}");
        assert!(columns(&Raw::at(place.url_or_path()).await).await.is_empty(), "a refusal leaves nothing");
        let db = Db::open(place.options()).await.unwrap();
        db.close().await;
    }

    async fn a_migration_changed_after_the_fact_is_refused(engine) {
        let test = TestDb::open(engine).await;
        Raw::open(&test).await.run("UPDATE schema_migrations SET digest = 'other' WHERE number = 2").await.unwrap();
        let error = test.restart_with(|_| {}).await.err().unwrap();
        assert!(matches!(error, OpenError::Migrate(MigrateError::Changed { number: 2 })), "{error:?}");
    }

    async fn a_gap_in_the_ledger_is_refused(engine) {
        let test = TestDb::open(engine).await;
        Raw::open(&test).await.run("DELETE FROM schema_migrations WHERE number = 1").await.unwrap();
        let error = test.restart_with(|_| {}).await.err().unwrap();
        assert!(matches!(error, OpenError::Migrate(MigrateError::Changed { number: 2 })), "{error:?}");
    }

    async fn blocks_from_before_get_an_id_that_tells_nothing(engine) {
        let test = TestDb::open(engine).await;
        let raw = Raw::open(&test).await;
        for undo in [
            "DROP INDEX blocklist_id",
            "DROP INDEX blocklist_age",
            "DROP INDEX retired_keys_in_use",
            "ALTER TABLE blocklist DROP COLUMN id",
            "INSERT INTO blocklist (entry, reason, created_at) VALUES ('steam:2', 'b', 1), ('discord:1', 'a', 2)",
            include_str!("../../../../migrations/0015_block_ids.sql"),
        ] {
            raw.run(undo).await.unwrap();
        }
        drop(raw);
        // Nobody has read anything yet, so there is no older state to see.
        let blocks = blocklist::list(&test.db, "").await.unwrap();
        let ids: Vec<&str> = blocks.iter().map(|block| block.id.as_str()).collect();
        assert_eq!(ids, ["blk_00000000000000000000000001", "blk_00000000000000000000000002"]);
        test.finish().await;
    }

    async fn jobs_from_before_get_their_lanes(engine) {
        let test = TestDb::open(engine).await;
        let raw = Raw::open(&test).await;
        raw.run("DROP TABLE jobs; DROP TABLE job_lanes").await.unwrap();
        let number = match engine {
            Engine::Sqlite => "INTEGER PRIMARY KEY",
            Engine::Postgres => "BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY",
        };
        let before = include_str!("../../../../migrations/0004_records.sql").replace("SERIAL_KEY", number);
        let table = &before[before.find("CREATE TABLE jobs").unwrap()..before.find("-- One chain per Org").unwrap()];
        raw.run(table).await.unwrap();
        raw.run(
            "INSERT INTO jobs (num, lane, kind, dedupe, org_num, payload, state, attempts, run_at, give_up_at, created_at)
             VALUES (3, 'log:a', 'log.linked', 'one', 1, '{}', 'ready', 0, 5, 9, 4),
                    (4, 'log:b', 'log.linked', 'two', 1, '{}', 'dropped', 0, 5, 9, 4),
                    (7, 'log:a', 'log.unlinked', 'three', 1, '{}', 'ready', 2, 6, 9, 4)",
        )
        .await
        .unwrap();
        raw.run_either(
            include_str!("../../../../migrations/0020_job_lanes.sqlite.sql"),
            include_str!("../../../../migrations/0020_job_lanes.postgres.sql"),
        )
        .await;
        raw.run("CREATE INDEX jobs_kind ON jobs (kind, created_at)").await.unwrap();
        let lanes = "SELECT lane || ' ' || kind || ' ' || jobs || ' ' || run_at || ' ' || fence FROM job_lanes";
        assert_eq!(raw.texts(lanes).await, ["log:a log 2 5 0"]);
        let jobs = "SELECT num || ' ' || dedupe || ' ' || attempts || ' ' || give_up_at FROM jobs ORDER BY num";
        assert_eq!(raw.texts(jobs).await, ["3 one 0 9", "7 three 2 9"]);
        let findings = storage::doctor::examine(&test.db).await.unwrap();
        assert!(findings.is_empty(), "{findings:?}");
        drop(raw);
        test.finish().await;
    }

    async fn a_failing_migration_leaves_nothing(engine) {
        let place = Place::make(engine).await;
        let raw = Raw::at(place.url_or_path()).await;
        // In the way of the third migration; the first two succeed before it.
        raw.run("CREATE TABLE links (other TEXT)").await.unwrap();
        let before = columns(&raw).await;
        let error = Db::open(place.options()).await.err().unwrap();
        assert!(matches!(error, OpenError::Migrate(MigrateError::Failed { number: 3, .. })), "{error:?}");
        assert_eq!(columns(&raw).await, before);
        raw.run("DROP TABLE links").await.unwrap();
        let db = Db::open(place.options()).await.unwrap();
        db.close().await;
        drop(raw);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nodes_that_start_together_take_turns() {
    let place = Place::make(Engine::Postgres).await;
    let opened = futures_util::future::join_all((0..4).map(|_| Db::open(place.options()))).await;
    let nodes: Vec<Db> = opened.into_iter().map(Result::unwrap).collect();
    for (number, node) in nodes.iter().enumerate() {
        node.write(Put(format!("node-{number}"))).await.unwrap();
    }
    assert!(is_put(&nodes[0], "node-3").await);
    for node in nodes {
        node.close().await;
    }
}
