//! What is refused, and that a refusal changes nothing.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use secrecy::ExposeSecret;
use storage::backup::{self, BackupError, Manifest};
use storage::testing::{Engine, Place, TestDb};
use storage::{OpenOptions, Target, both_databases};

use crate::fixture::{self, NOW, Run, TempDir, add_tenant};
use crate::rows;

fn file_of(options: &OpenOptions) -> PathBuf {
    match &options.target {
        Target::Sqlite { path } => path.clone(),
        Target::Postgres { .. } => panic!("no file"),
    }
}

/// A sound backup of a small SQLite database.
async fn sound_backup(backups: &TempDir) -> PathBuf {
    let to = backups.join("sound");
    let origin = TestDb::open(Engine::Sqlite).await;
    add_tenant(&origin.db).await;
    backup::create(&origin.options(), &to, NOW).await.unwrap();
    origin.finish().await;
    to
}

/// Neither checked nor restored, and the target stays as empty as it was.
async fn refused(engine: Engine, from: &Path) -> BackupError {
    let place = Place::make(engine).await;
    let error = backup::restore(from, &place.options()).await.unwrap_err();
    match &place.options().target {
        Target::Sqlite { path } => {
            assert!(
                fixture::names_in(path.parent().unwrap())
                    .iter()
                    .all(|name| name == "symbolon.lock")
            );
        }
        Target::Postgres { .. } => assert!(rows::of(&place.options()).await.is_empty()),
    }
    assert_eq!(
        backup::verify(from).await.unwrap_err().to_string(),
        error.to_string()
    );
    error
}

fn manifest(from: &Path) -> Manifest {
    serde_json::from_slice(&fs::read(from.join("manifest.json")).unwrap()).unwrap()
}

fn change_manifest(from: &Path, change: impl FnOnce(&mut Manifest)) {
    let mut manifest = manifest(from);
    change(&mut manifest);
    fs::write(from.join("manifest.json"), serde_json::to_vec(&manifest).unwrap()).unwrap();
}

both_databases! {
    async fn a_damaged_backup_is_refused(engine) {
        let backups = TempDir::make();
        let from = sound_backup(&backups).await;
        let file = from.join("symbolon.db");
        let sound = fs::read(&file).unwrap();

        fs::write(&file, &sound[..sound.len() - 4096]).unwrap();
        let error = refused(engine, &from).await;
        assert!(matches!(&error, BackupError::Altered { reason, .. } if reason.contains("size")), "{error}");

        let mut altered = sound.clone();
        altered[sound.len() / 2] ^= 1;
        fs::write(&file, &altered).unwrap();
        let error = refused(engine, &from).await;
        assert!(matches!(&error, BackupError::Altered { reason, .. } if reason.contains("SHA-256")), "{error}");

        fs::remove_file(&file).unwrap();
        assert!(matches!(refused(engine, &from).await, BackupError::File { .. }));

        fs::write(&file, &sound).unwrap();
        change_manifest(&from, |manifest| manifest.links += 1);
        assert!(matches!(refused(engine, &from).await, BackupError::Altered { .. }));

        fs::write(from.join("manifest.json"), "{").unwrap();
        assert!(matches!(refused(engine, &from).await, BackupError::BadManifest { .. }));

        fs::remove_file(from.join("manifest.json")).unwrap();
        assert!(matches!(refused(engine, &from).await, BackupError::NotFinished { .. }));
        assert_eq!(fixture::names_in(&from), ["symbolon.db"]);
    }

    async fn a_backup_with_a_newer_schema_is_refused(engine) {
        let backups = TempDir::make();
        let from = sound_backup(&backups).await;
        change_manifest(&from, |manifest| manifest.schema += 1);
        let error = refused(engine, &from).await;
        assert!(matches!(error, BackupError::TooNew { .. }));
        assert!(error.to_string().contains("use a newer Symbolon"), "{error}");
    }

    async fn a_newer_or_foreign_database_is_not_backed_up(engine) {
        let backups = TempDir::make();
        let to = backups.join("one");
        let origin = TestDb::open(engine).await;
        origin.db.write(Run("INSERT INTO schema_migrations (number, name, digest) VALUES (999, 'x', 'x')")).await.unwrap();
        let error = backup::create(&origin.options(), &to, NOW).await.unwrap_err();
        assert!(matches!(error, BackupError::TooNew { found: 999, .. }), "{error}");
        origin.db.write(Run("DELETE FROM schema_migrations")).await.unwrap();
        let error = backup::create(&origin.options(), &to, NOW).await.unwrap_err();
        assert!(matches!(error, BackupError::NotSymbolon), "{error}");
        let nowhere = Place::make(engine).await;
        let error = backup::create(&nowhere.options(), &to, NOW).await.unwrap_err();
        assert!(matches!(error, BackupError::NoDatabase { .. } | BackupError::NotSymbolon), "{error}");
        assert!(!to.exists());
        origin.finish().await;
    }

    async fn a_database_that_breaks_its_rules_makes_no_backup(engine) {
        let backups = TempDir::make();
        let (fresh, empty) = (backups.join("fresh"), backups.join("empty"));
        fs::create_dir(&empty).unwrap();
        let origin = TestDb::open(engine).await;
        add_tenant(&origin.db).await;
        origin.db.write(Run("UPDATE org_usage SET links = links + 1")).await.unwrap();
        for to in [&fresh, &empty] {
            let error = backup::create(&origin.options(), to, NOW).await.unwrap_err();
            assert!(matches!(&error, BackupError::Unsound(findings) if findings.len() == 1), "{error}");
        }
        assert!(!fresh.exists());
        assert!(fixture::names_in(&empty).is_empty());
        origin.finish().await;
    }

    async fn an_interrupted_backup_looks_unfinished(engine) {
        let backups = TempDir::make();
        let origin = TestDb::open(engine).await;
        for _ in 0..20 {
            add_tenant(&origin.db).await;
        }
        let options = origin.options();
        for (round, wait_ms) in [0, 1, 2, 4, 8, 16, 32].into_iter().enumerate() {
            let to = backups.join(&format!("round-{round}"));
            let wait = Duration::from_millis(wait_ms);
            let made = tokio::time::timeout(wait, backup::create(&options, &to, NOW)).await;
            match (made, backup::verify(&to).await) {
                (Ok(made), checked) => assert_eq!(made.unwrap(), checked.unwrap()),
                // The last step runs to its end by itself, and then it is a finished backup after all.
                (Err(_), Ok(_) | Err(BackupError::NotFinished { .. })) => {}
                (Err(_), Err(error)) => panic!("{error}"),
            }
        }
        origin.finish().await;
    }

    async fn a_directory_in_use_is_not_written_to(engine) {
        let backups = TempDir::make();
        let origin = TestDb::open(engine).await;
        let to = backups.join("one");
        backup::create(&origin.options(), &to, NOW).await.unwrap();
        let first = manifest(&to);
        let error = backup::create(&origin.options(), &to, NOW + 1).await.unwrap_err();
        assert!(matches!(error, BackupError::NotEmpty { .. }));
        assert_eq!(backup::verify(&to).await.unwrap(), first);
        // A disk that is not mounted is not replaced by a directory.
        let error = backup::create(&origin.options(), &backups.join("disk").join("two"), NOW).await.unwrap_err();
        assert!(matches!(error, BackupError::File { .. }));
        assert_eq!(fixture::names_in(&backups.join("")), ["one"]);
        origin.finish().await;
    }

    async fn a_target_with_data_is_left_alone(engine) {
        let backups = TempDir::make();
        let from = sound_backup(&backups).await;
        let target = TestDb::open(engine).await;
        add_tenant(&target.db).await;
        let before = rows::of(&target.options()).await;
        let error = backup::restore(&from, &target.options()).await.unwrap_err();
        assert!(matches!(error, BackupError::FileExists { .. } | BackupError::HoldsData), "{error}");
        assert_eq!(rows::of(&target.options()).await, before);
        assert_eq!(fixture::names_in(&from), ["manifest.json", "symbolon.db"]);
        target.finish().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_with_a_newer_schema_than_its_manifest_is_refused() {
    use sha2::{Digest, Sha256};
    let backups = TempDir::make();
    let from = sound_backup(&backups).await;
    let file = from.join("symbolon.db");
    let newer = "INSERT INTO schema_migrations (number, name, digest) VALUES (999, 'x', 'x')";
    rusqlite::Connection::open(&file)
        .unwrap()
        .execute(newer, [])
        .unwrap();
    let bytes = fs::read(&file).unwrap();
    change_manifest(&from, |manifest| {
        manifest.size_bytes = bytes.len() as u64;
        manifest.sha256 = Sha256::digest(&bytes)
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
    });
    assert!(matches!(
        refused(Engine::Sqlite, &from).await,
        BackupError::TooNew { found: 999, .. }
    ));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_old_log_beside_the_target_is_not_folded_into_it() {
    let backups = TempDir::make();
    let from = sound_backup(&backups).await;
    for ending in ["-wal", "-shm", "-journal"] {
        let place = Place::make(Engine::Sqlite).await;
        let file = file_of(&place.options());
        let log = PathBuf::from(format!("{}{ending}", file.display()));
        fs::write(&log, "left behind").unwrap();
        let error = backup::restore(&from, &place.options()).await.unwrap_err();
        assert!(
            matches!(&error, BackupError::FileExists { path } if *path == log),
            "{error}"
        );
        assert!(!file.exists());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_restore_that_was_killed_does_not_stand_in_the_way() {
    let backups = TempDir::make();
    let from = sound_backup(&backups).await;
    let place = Place::make(Engine::Sqlite).await;
    let file = file_of(&place.options());
    let left = PathBuf::from(format!("{}.restoring", file.display()));
    fs::create_dir(&left).unwrap();
    fs::write(left.join("symbolon.db"), "half").unwrap();
    backup::restore(&from, &place.options()).await.unwrap();
    assert_eq!(
        rows::of(&place.options()).await,
        rows::of_file(&from.join("symbolon.db"))
    );
    assert!(!left.exists());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_older_postgres_in_use_is_not_migrated_by_a_refused_restore() {
    let backups = TempDir::make();
    let from = sound_backup(&backups).await;
    let target = TestDb::open(Engine::Postgres).await;
    add_tenant(&target.db).await;
    target
        .db
        .write(Run(
            "DELETE FROM schema_migrations WHERE number = (SELECT MAX(number) FROM schema_migrations)",
        ))
        .await
        .unwrap();
    let error = backup::restore(&from, &target.options()).await.unwrap_err();
    assert!(matches!(error, BackupError::HoldsData), "{error}");
    let error = backup::create(&target.options(), &backups.join("old"), NOW)
        .await
        .unwrap_err();
    assert!(matches!(error, BackupError::TooOld { .. }), "{error}");
    target.finish().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_text_that_postgres_cannot_store_leaves_it_empty() {
    let backups = TempDir::make();
    let to = backups.join("one");
    let origin = TestDb::open(Engine::Sqlite).await;
    add_tenant(&origin.db).await;
    let sql = "UPDATE settings SET value = 'a' || char(0) || 'b'";
    origin.db.write(Run(sql)).await.unwrap();
    backup::create(&origin.options(), &to, NOW).await.unwrap();
    let target = TestDb::open(Engine::Postgres).await;
    let before = rows::of(&target.options()).await;
    let error = backup::restore(&to, &target.options()).await.unwrap_err();
    assert!(
        matches!(error, BackupError::Unstorable { table: "settings" }),
        "{error}"
    );
    assert_eq!(rows::of(&target.options()).await, before);
    let place = Place::make(Engine::Sqlite).await;
    backup::restore(&to, &place.options()).await.unwrap();
    target.finish().await;
    origin.finish().await;
}

/// The server says no in the middle of a table: its reason is told, and nothing is kept.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_restore_that_postgres_refuses_leaves_it_empty() {
    let backups = TempDir::make();
    let from = sound_backup(&backups).await;
    let target = TestDb::open(Engine::Postgres).await;
    let options = target.options();
    let Target::Postgres { url } = &options.target else {
        panic!("no address")
    };
    let rule = "ALTER TABLE settings ADD CONSTRAINT short CHECK (length(value) < 3)";
    rows::connect(url.expose_secret())
        .await
        .batch_execute(rule)
        .await
        .unwrap();
    let before = rows::of(&options).await;
    let error = backup::restore(&from, &options).await.unwrap_err();
    assert!(error.to_string().contains("short"), "{error}");
    assert_eq!(rows::of(&options).await, before);
    target.finish().await;
}
