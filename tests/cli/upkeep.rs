//! What an operator's machine does by itself: probes, backups, word to a service manager.

use std::os::unix::net::UnixDatagram;
use std::path::Path;
use std::time::Duration;

use storage::testing::Place;
use testkit::{Engine, Node, TestDb, both_databases, wait_until};

use super::newcomer::set_up;
use super::shell::{BINARY, Shell, empty, installed, run_bare};

fn text(path: &Path) -> &str {
    path.to_str().expect("a plain path")
}

fn backups(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).expect("a directory");
    let mut names: Vec<String> = entries
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .into_string()
                .expect("a name")
        })
        .collect();
    names.sort();
    names
}

both_databases! {
    async fn the_service_makes_a_backup_when_one_is_due_and_keeps_as_many_as_it_is_told_to(engine) {
        let (db, shell) = empty(engine).await;
        let directory = db.directory().join("backups");
        std::fs::create_dir(&directory).expect("a directory");
        // One was killed before it was finished, and takes nobody's place.
        for (old, is_finished) in [
            ("symbolon-2026-01-01T000000Z", true),
            ("symbolon-2026-01-02T000000Z", true),
            ("symbolon-2026-01-03T000000Z", false),
            ("by-hand", false),
        ] {
            std::fs::create_dir(directory.join(old)).expect("a directory");
            if is_finished {
                std::fs::write(directory.join(old).join("manifest.json"), "{}").expect("a file");
            }
        }
        let settings = [("SYMBOLON_BACKUP_DIRECTORY", text(&directory)), ("SYMBOLON_BACKUP_KEEP", "2")];
        let node = Node::start_with(BINARY, shell.data(), shell.database(), &settings).await;
        wait_until("the first backup, and the end of the oldest", || async {
            backups(&directory).len() == 3
        })
        .await;
        let kept = backups(&directory);
        assert_eq!((kept.len(), &kept[0][..], &kept[1][..]), (3, "by-hand", "symbolon-2026-01-02T000000Z"));
        let made = directory.join(&kept[2]);
        let checked = run_bare(&["backup", "verify", text(&made)], &[]);
        assert_eq!(checked.code, Some(0), "{}", checked.err);
        assert!(node.stop().await);
        // It was just made, and the next start knows.
        let node = Node::start_with(BINARY, shell.data(), shell.database(), &settings).await;
        set_up(&shell);
        assert!(node.stop().await);
        assert_eq!(backups(&directory), kept);
        std::fs::write(made.join("symbolon.db"), "something else").expect("a file");
        run_bare(&["backup", "verify", text(&made)], &[]).fails_with_one_line("is not what was backed up");
        db.finish().await;
    }

    async fn everything_is_copied_into_another_database_and_compared(engine) {
        let (db, shell) = installed(engine).await;
        set_up(&shell);
        let place = db.directory();
        let (other, by_way) = (place.join("other.db"), place.join("way"));
        let copy = ["db", "copy", "--to", &format!("sqlite:{}", text(&other)), "--by-way-of", text(&by_way)];
        let node = Node::start(BINARY, shell.data(), shell.database()).await;
        shell.run(&copy).fails_with_one_line("stop it first");
        assert!(node.stop().await);
        let ran = shell.run(&copy);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        assert!(ran.out.contains("are the same in both"), "{}", ran.out);
        assert!(!by_way.exists(), "nothing is left on the way");
        shell.run(&copy).fails_with_one_line("already exists");
        assert!(!by_way.exists());
        let there = Shell::at(shell.data(), &format!("sqlite:{}", text(&other)));
        assert_eq!(there.json(&["admin", "list-orgs"]), shell.json(&["admin", "list-orgs"]));
        db.finish().await;
    }
}

#[tokio::test]
async fn an_sqlite_database_moves_to_postgres_row_by_row() {
    let (db, shell) = installed(Engine::Sqlite).await;
    set_up(&shell);
    let target = Place::make(Engine::Postgres).await;
    let place = db.directory();
    let (url, by_way) = (place.join("url"), place.join("way"));
    std::fs::write(&url, target.url_or_path()).expect("a file");
    let ran = shell.run(&[
        "db",
        "copy",
        "--to-url-file",
        text(&url),
        "--by-way-of",
        text(&by_way),
    ]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(!ran.out.contains("postgres://"), "{}", ran.out);
    let there = Shell::at(shell.data(), &target.url_or_path());
    assert_eq!(
        there.json(&["admin", "list-orgs"]),
        shell.json(&["admin", "list-orgs"])
    );
    db.finish().await;
}

#[tokio::test]
async fn a_probe_succeeds_on_a_service_that_is_well_and_fails_on_none() {
    let (db, shell) = empty(Engine::Sqlite).await;
    let node = Node::start(BINARY, shell.data(), shell.database()).await;
    let address = node.address.to_string();
    for probe in [
        &["health", "--address", &address][..],
        &["health", "--ready", "--address", &address],
    ] {
        let ran = run_bare(probe, &[]);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
    }
    assert!(node.stop().await);
    run_bare(&["health", "--address", &address], &[]).fails_with_one_line("no answer");
    db.finish().await;
}

#[tokio::test]
async fn a_service_manager_is_told_of_the_start_of_life_and_of_the_end() {
    let (db, shell) = empty(Engine::Sqlite).await;
    let socket = db.directory().join("notify");
    let manager = UnixDatagram::bind(&socket).expect("a socket");
    manager
        .set_read_timeout(Some(Duration::from_secs(60)))
        .expect("a limit");
    let hears = |wanted: &str| {
        let mut heard = [0; 64];
        loop {
            let length = manager.recv(&mut heard).expect("news");
            let news = std::str::from_utf8(&heard[..length]).expect("a text");
            match news {
                news if news == wanted => return,
                "WATCHDOG=1" => {}
                other => panic!("{other} before {wanted}"),
            }
        }
    };
    let settings = [("NOTIFY_SOCKET", text(&socket)), ("WATCHDOG_USEC", "200000")];
    let node = Node::start_with(BINARY, shell.data(), shell.database(), &settings).await;
    hears("READY=1");
    hears("WATCHDOG=1");
    assert!(node.stop().await);
    hears("STOPPING=1");
    db.finish().await;
}

#[tokio::test]
async fn shells_and_man_are_told_of_every_command() {
    let db = TestDb::open(Engine::Sqlite).await;
    for shell in ["bash", "zsh", "fish"] {
        let ran = run_bare(&["completions", shell], &[]);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        assert!(ran.out.contains("set-tier"), "{shell}");
    }
    let pages = db.directory().join("man");
    assert_eq!(run_bare(&["man", "--to", text(&pages)], &[]).code, Some(0));
    let written = backups(&pages);
    for page in ["symbolon.1", "symbolon-serve.1", "symbolon-admin-set-tier.1"] {
        assert!(
            written.contains(&page.to_owned()),
            "{page} is missing in {written:?}"
        );
    }
    db.finish().await;
}
