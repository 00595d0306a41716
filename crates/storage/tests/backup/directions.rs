//! What was backed up is what comes back, in all four directions.

use std::os::unix::fs::PermissionsExt;

use storage::testing::{Engine, Place, TestDb};
use storage::{Db, backup, both_databases};

use crate::fixture::{self, NOW, TempDir, add_tenant, assert_sound};
use crate::rows;

async fn there_and_back(source: Engine, target: Engine) {
    let backups = TempDir::make();
    let to = backups.join("one");
    let origin = TestDb::open(source).await;
    for _ in 0..3 {
        add_tenant(&origin.db).await;
    }
    // The origin stays open: its owner keeps the lock and could go on writing.
    let made = backup::create(&origin.options(), &to, NOW).await.unwrap();
    assert_eq!((made.links, made.orgs, made.created_at_ms), (6, 3, NOW));
    assert_eq!(made.source, origin.db.engine());
    assert_eq!(made.schema, storage::migrate::newest());

    let place = Place::make(target).await;
    assert_eq!(backup::restore(&to, &place.options()).await.unwrap(), made);

    let wanted = rows::of(&origin.options()).await;
    assert!(
        wanted.len() >= 19 && wanted.values().all(|rows| !rows.is_empty()),
        "every table is tried"
    );
    assert_eq!(rows::of(&place.options()).await, wanted);
    let restored = Db::open(place.options()).await.unwrap();
    assert_sound(&restored).await;
    // New rows get numbers of their own.
    add_tenant(&restored).await;
    assert_sound(&restored).await;
    restored.close().await;
    origin.finish().await;
}

macro_rules! directions {
    ($($name:ident: $source:ident to $target:ident;)+) => {$(
        #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        async fn $name() {
            there_and_back(Engine::$source, Engine::$target).await;
        }
    )+};
}

directions! {
    rows_survive_from_sqlite_to_sqlite: Sqlite to Sqlite;
    rows_survive_from_sqlite_to_postgres: Sqlite to Postgres;
    rows_survive_from_postgres_to_sqlite: Postgres to Sqlite;
    rows_survive_from_postgres_to_postgres: Postgres to Postgres;
}

/// What the last migration has made is not there before it.
const LAST_ROWS: [&str; 3] = [
    "DELETE FROM webhook_deliveries",
    "DELETE FROM webhook_secrets",
    "DELETE FROM webhook_endpoints",
];

both_databases! {
    async fn a_backup_is_two_private_files_and_checking_it_changes_nothing(engine) {
        let backups = TempDir::make();
        let to = backups.join("one");
        let origin = TestDb::open(engine).await;
        add_tenant(&origin.db).await;
        let made = backup::create(&origin.options(), &to, NOW).await.unwrap();
        let mode = |path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let before = std::fs::read(to.join("symbolon.db")).unwrap();
        for _ in 0..2 {
            assert_eq!(fixture::names_in(&to), ["manifest.json", "symbolon.db"]);
            assert_eq!(mode(to.clone()), 0o700);
            assert_eq!(mode(to.join("symbolon.db")), 0o600);
            assert_eq!(mode(to.join("manifest.json")), 0o600);
            assert_eq!(backup::verify(&to).await.unwrap(), made);
        }
        assert_eq!(std::fs::read(to.join("symbolon.db")).unwrap(), before);
        assert_eq!(made.size_bytes, before.len() as u64);
        origin.finish().await;
    }

    async fn an_empty_database_can_be_moved(engine) {
        let backups = TempDir::make();
        let to = backups.join("one");
        let origin = TestDb::open(engine).await;
        let made = backup::create(&origin.options(), &to, NOW).await.unwrap();
        assert_eq!((made.links, made.orgs), (0, 0));
        for target in [Engine::Sqlite, Engine::Postgres] {
            let place = Place::make(target).await;
            backup::restore(&to, &place.options()).await.unwrap();
            assert_eq!(rows::of(&place.options()).await, rows::of(&origin.options()).await);
            let restored = Db::open(place.options()).await.unwrap();
            add_tenant(&restored).await;
            assert_sound(&restored).await;
            restored.close().await;
        }
        origin.finish().await;
    }

    async fn a_backup_of_an_older_schema_is_brought_up_to_date(engine) {
        let backups = TempDir::make();
        let to = backups.join("one");
        let origin = TestDb::open(Engine::Sqlite).await;
        add_tenant(&origin.db).await;
        for table in LAST_ROWS {
            origin.db.write(fixture::Run(table)).await.unwrap();
        }
        let wanted = rows::of(&origin.options()).await;
        let directory = origin.directory().join("symbolon.db");
        origin.db.close().await;
        // The last migration, undone.
        rusqlite::Connection::open(directory).unwrap().execute_batch("
            DROP TABLE webhook_deliveries; DROP TABLE webhook_secrets; DROP TABLE webhook_endpoints;
            DELETE FROM schema_migrations WHERE name = '0044_outbound_webhooks'").unwrap();
        let made = backup::create(&origin.options(), &to, NOW).await.unwrap();
        assert_eq!(made.schema, storage::migrate::newest() - 1);
        assert_eq!(backup::verify(&to).await.unwrap(), made);
        let place = Place::make(engine).await;
        backup::restore(&to, &place.options()).await.unwrap();
        assert_eq!(rows::of(&place.options()).await, wanted);
        let mut options = place.options();
        options.migrate = storage::migrate::Migrate::Require;
        let restored = Db::open(options).await.unwrap();
        assert!(restored.write(fixture::Run("UPDATE links SET steam_name = 'x'")).await.is_err(), "history is protected");
        restored.close().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_first_start_left_in_postgres_is_replaced() {
    let backups = TempDir::make();
    let to = backups.join("one");
    let origin = TestDb::open(Engine::Sqlite).await;
    add_tenant(&origin.db).await;
    backup::create(&origin.options(), &to, NOW).await.unwrap();

    let target = TestDb::open(Engine::Postgres).await;
    for sql in [
        "INSERT INTO settings (name, value, updated_at) VALUES ('started', '1', 1)",
        "INSERT INTO audit (chain, seq, at, actor_kind, action, detail, hash) VALUES (0, 1, 1, 'system', 'a', '', 'h')",
        "UPDATE audit_heads SET seq = 1, hash = 'h' WHERE chain = 0",
    ] {
        target.db.write(fixture::Run(sql)).await.unwrap();
    }
    backup::restore(&to, &target.options()).await.unwrap();
    assert_eq!(
        rows::of(&target.options()).await,
        rows::of(&origin.options()).await
    );
    assert_sound(&target.db).await;
    target.finish().await;
    origin.finish().await;
}

/// As after `kill -9`: what was acknowledged is in the log and not yet in the file.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_that_was_not_closed_is_backed_up_with_its_log() {
    let backups = TempDir::make();
    let (crashed, to) = (backups.join("symbolon.db"), backups.join("one"));
    let origin = TestDb::open(Engine::Sqlite).await;
    add_tenant(&origin.db).await;
    for ending in ["", "-wal"] {
        let name = format!("symbolon.db{ending}");
        std::fs::copy(origin.directory().join(&name), backups.join(&name)).unwrap();
    }
    let mut options = origin.options();
    options.target = storage::Target::Sqlite { path: crashed };
    let made = backup::create(&options, &to, NOW).await.unwrap();
    assert_eq!((made.links, made.orgs), (2, 1));
    assert_eq!(
        rows::of_file(&to.join("symbolon.db")),
        rows::of(&origin.options()).await
    );
    origin.finish().await;
}
