//! What the machine does to the embedded database on a bad day.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::path::{Path, PathBuf};
use std::process::Command;

use futures_util::future::join_all;
use storage::testing::{Engine, Place, TestDb};
use storage::{Db, DbError, OpenError, doctor};

use crate::child::{self, Task, name};
use crate::support::{Put, is_put};

fn file(place: &Place) -> PathBuf {
    PathBuf::from(place.url_or_path().strip_prefix("sqlite:").unwrap())
}

/// Opens the database again and looks for everything that was acknowledged.
async fn nothing_acknowledged_is_missing(place: &Place, acknowledged: &[u64]) {
    let db = Db::open(place.options()).await.unwrap();
    for number in acknowledged {
        assert!(
            is_put(&db, &name(*number)).await,
            "unit {number} was acknowledged and is gone"
        );
    }
    assert_eq!(doctor::examine(&db).await.unwrap(), Vec::<String>::new());
    db.close().await;
}

#[expect(
    clippy::disallowed_methods,
    reason = "the caller decides how long the test may run"
)]
fn rounds() -> u64 {
    if std::env::var("SYMBOLON_TEST_SCALE").is_ok_and(|scale| scale == "full") {
        100
    } else {
        10
    }
}

#[tokio::test]
async fn what_was_acknowledged_survives_kill_9() {
    let place = Place::make(Engine::Sqlite).await;
    let mut acknowledged = Vec::new();
    for round in 0..rounds() {
        let mut running = child::start(
            &[],
            Task::Endless {
                first: round * 1_000_000,
            },
            &file(&place),
        );
        let enough = 1 + RandomState::new().build_hasher().finish() % 300;
        let mut heard = 0;
        while let Some((word, number)) = running.next() {
            assert_eq!(word, "ack");
            acknowledged.push(number);
            heard += 1;
            if heard == enough {
                running.child.kill().unwrap();
            }
        }
        assert!(heard >= enough, "it ended by itself after {heard} units");
        running.child.wait().unwrap();
        nothing_acknowledged_is_missing(&place, &acknowledged).await;
    }
}

#[tokio::test]
async fn a_failed_flush_is_never_acknowledged_and_writing_goes_on() {
    let place = Place::make(Engine::Sqlite).await;
    Db::open(place.options()).await.unwrap().close().await;
    // Every seventh flush of the writer fails.
    let inject = "inject=fsync,fdatasync:error=EIO:when=5+7";
    let wrapper = [
        "strace",
        "-f",
        "-qq",
        "-o",
        "/dev/null",
        "-e",
        "trace=fsync,fdatasync",
        "-e",
        inject,
    ];
    let mut running = child::start(&wrapper, Task::Some { count: 60 }, &file(&place));
    let said: Vec<(String, u64)> = running.by_ref().collect();
    let status = running.child.wait().unwrap();
    assert!(status.success(), "the process must live through it: {status}");
    assert_eq!(said.last().map(|(word, _)| word.as_str()), Some("done"));
    let of = |wanted: &str| {
        said.iter()
            .filter(|(word, _)| word == wanted)
            .map(|(_, number)| *number)
            .collect()
    };
    // What was to be flushed is in the file: it may be found there after a crash.
    let (acknowledged, failed): (Vec<u64>, Vec<u64>) = (of("ack"), of("doubtful"));
    assert_eq!(
        acknowledged.len() + failed.len(),
        60,
        "each unit is answered once"
    );
    assert!(failed.len() >= 3 && acknowledged.len() >= 30, "{said:?}");
    assert!(
        acknowledged.last() > failed.first(),
        "it wrote again after the first failure"
    );
    nothing_acknowledged_is_missing(&place, &acknowledged).await;
}

#[tokio::test]
async fn a_second_open_of_the_same_directory_is_refused() {
    let test = TestDb::open(Engine::Sqlite).await;
    let error = Db::open(test.options()).await.err().unwrap();
    assert!(matches!(error, OpenError::Locked { .. }), "{error:?}");
    test.db.write(Put("still".to_owned())).await.unwrap();
    test.finish().await;
}

#[tokio::test]
async fn a_second_process_on_the_same_directory_is_refused() {
    let place = Place::make(Engine::Sqlite).await;
    let said = |place: &Place| {
        let mut running = child::start(&[], Task::Open, &file(place));
        let said: Vec<String> = running.by_ref().map(|(word, _)| word).collect();
        assert!(running.child.wait().unwrap().success());
        said
    };
    let db = Db::open(place.options()).await.unwrap();
    assert_eq!(said(&place), ["locked"]);
    db.write(Put("still".to_owned())).await.unwrap();
    db.close().await;
    drop(db);
    assert_eq!(said(&place), ["opened", "done"]);
}

// Values large enough that a disk of a megabyte fills within a few writes.
unit!(PutLarge { name: String } -> (), |it, tx| {
    storage::settings::put(tx, &it.name, &"x".repeat(40_000), 1).await
});

/// A single write may still fit where five did not, and one that was refused may leave room
/// for the next. Ends when nothing fits any more; returns the names of the writes that did.
async fn fill_up(db: &Db) -> Vec<String> {
    let mut kept = Vec::new();
    let mut refused_in_a_row = 0;
    for number in 0..200 {
        let name = format!("single-{number}");
        if db.write(PutLarge { name: name.clone() }).await.is_ok() {
            refused_in_a_row = 0;
            kept.push(name);
            continue;
        }
        assert!(!is_put(db, &name).await, "a refused write is not there");
        refused_in_a_row += 1;
        if refused_in_a_row == 3 {
            return kept;
        }
    }
    panic!("the disk is not full");
}

/// Fills the disk while writing, and writes again when there is room.
async fn live_through_a_full_disk(db: &Db, free: impl FnOnce()) {
    db.write(Put("before".to_owned())).await.unwrap();
    let mut kept = Vec::new();
    let mut batch = 0;
    let failures = loop {
        batch += 1;
        assert!(batch < 200, "the disk never got full");
        let names: Vec<String> = (0..5).map(|n| format!("large-{batch}-{n}")).collect();
        let answers = join_all(names.iter().map(|name| db.write(PutLarge { name: name.clone() }))).await;
        let (done, failed): (Vec<_>, Vec<_>) = names
            .into_iter()
            .zip(answers)
            .partition(|(_, answer)| answer.is_ok());
        kept.extend(done.into_iter().map(|(name, _)| name));
        if !failed.is_empty() {
            break failed;
        }
    };
    for (name, answer) in failures {
        let error = answer.unwrap_err();
        assert!(matches!(error, DbError::Unavailable(_)), "{error:?}");
        assert!(!is_put(db, &name).await, "a refused write is not there");
    }
    kept.extend(fill_up(db).await);
    for _ in 0..3 {
        let error = db
            .write(PutLarge {
                name: "no room".to_owned(),
            })
            .await
            .unwrap_err();
        assert!(matches!(error, DbError::Unavailable(_)), "{error:?}");
        assert!(db.last_write_failed());
        assert!(is_put(db, "before").await, "reads go on");
    }
    free();
    db.write(PutLarge {
        name: "after".to_owned(),
    })
    .await
    .unwrap();
    assert!(!db.last_write_failed());
    for name in kept.iter().map(String::as_str).chain(["before", "after"]) {
        assert!(is_put(db, name).await, "{name} was acknowledged and is gone");
    }
    assert!(!is_put(db, "no room").await);
    assert_eq!(doctor::examine(db).await.unwrap(), Vec::<String>::new());
}

/// A file system of four megabytes, gone when dropped.
struct SmallDisk(PathBuf);

impl SmallDisk {
    /// Nothing where mounting is not allowed.
    fn mount(at: &Path) -> Option<SmallDisk> {
        std::fs::create_dir_all(at).unwrap();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=4096k", "tmpfs"])
            .arg(at)
            .output();
        mounted
            .is_ok_and(|output| output.status.success())
            .then(|| SmallDisk(at.to_owned()))
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        drop(Command::new("umount").arg("--lazy").arg(&self.0).output());
    }
}

#[tokio::test]
async fn a_full_disk_fails_writes_only_until_there_is_room_again() {
    let test = TestDb::open(Engine::Sqlite).await;
    let at = test.directory().join("small");
    let Some(disk) = SmallDisk::mount(&at) else {
        // Not allowed here (it takes privileges): the limit below gives the same errors.
        let instead = tokio::task::spawn_blocking(a_child_lives_within_limits);
        return instead.await.unwrap();
    };
    let mut options = test.options();
    options.target = storage::Target::Sqlite {
        path: disk.0.join("symbolon.db"),
    };
    let ballast = disk.0.join("ballast");
    std::fs::write(&ballast, vec![0; 300_000]).unwrap();
    let db = Db::open(options.clone()).await.unwrap();
    live_through_a_full_disk(&db, || std::fs::remove_file(&ballast).unwrap()).await;
    db.close().await;
    drop(db);
    let db = Db::open(options).await.unwrap();
    assert!(is_put(&db, "after").await);
    db.close().await;
    drop(db);
    drop(disk);
    test.finish().await;
}

#[test]
fn files_at_their_largest_size_fail_writes_only_until_they_may_grow() {
    a_child_lives_within_limits();
}

fn a_child_lives_within_limits() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let place = runtime.block_on(Place::make(Engine::Sqlite));
    // The signal that comes with the limit would end the process; a full disk sends none.
    let wrapper = ["env", "--ignore-signal=XFSZ"];
    let mut running = child::start(&wrapper, Task::LivingWithinLimits, &file(&place));
    let said: Vec<String> = running.by_ref().map(|(word, _)| word).collect();
    assert!(
        running.child.wait().unwrap().success() && said == ["done"],
        "{said:?}"
    );
}

/// Every file of this process may grow to two megabytes, until the limit is lifted.
pub async fn live_within_limits(db: &Db) {
    let limit = |size: &str| {
        let process = std::process::id().to_string();
        let status = Command::new("prlimit")
            .args(["--pid", &process, &format!("--fsize={size}:")])
            .status();
        assert!(status.unwrap().success(), "prlimit belongs to util-linux");
    };
    limit("2400000");
    live_through_a_full_disk(db, || limit("unlimited")).await;
}
