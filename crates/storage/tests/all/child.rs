//! A process of its own that writes numbered units, for faults that a test cannot survive itself.
//!
//! It is this test binary again, running the one test below. It says on its standard output what it was promised:
//! `ack N` after unit N was answered with success, `failed N` after an error.

use std::io::{BufRead, BufReader, Lines};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

use storage::db::DbError;
use storage::testing::{Engine, Place};
use storage::{Db, OpenError};

use crate::sqlite_faults;
use crate::support::Put;

const TASK: &str = "SYMBOLON_TEST_CHILD";

/// What the child is to do with the database at a path.
#[derive(Clone, Copy, PartialEq)]
pub enum Task {
    /// Write from several tasks until killed, starting at this number.
    Endless { first: u64 },
    /// Write this many, one after the other.
    Some { count: u64 },
    /// Limit the size of files, hit the limit, lift it, and check every answer on the way.
    LivingWithinLimits,
    /// Try to open the database, and say how that went.
    Open,
}

impl Task {
    fn parse(text: &str) -> (Task, PathBuf) {
        let (task, path) = text.split_once('@').unwrap();
        let (name, number) = task.split_once('=').unwrap();
        let number = number.parse().unwrap();
        let task = match name {
            "endless" => Task::Endless { first: number },
            "some" => Task::Some { count: number },
            "limits" => Task::LivingWithinLimits,
            "open" => Task::Open,
            other => panic!("no such task: {other}"),
        };
        (task, PathBuf::from(path))
    }

    fn text(self, path: &Path) -> String {
        let task = match self {
            Task::Endless { first } => format!("endless={first}"),
            Task::Some { count } => format!("some={count}"),
            Task::LivingWithinLimits => "limits=0".to_owned(),
            Task::Open => "open=0".to_owned(),
        };
        format!("{task}@{}", path.display())
    }
}

pub struct Running {
    pub child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

/// Starts the child, below the words of `wrapper` if there are any.
pub fn start(wrapper: &[&str], task: Task, path: &Path) -> Running {
    let this = std::env::current_exe().unwrap();
    let mut words = wrapper.iter().map(std::ffi::OsStr::new).chain([this.as_os_str()]);
    let mut command = Command::new(words.next().unwrap());
    command.args(words).args([
        "child::does_as_it_is_told",
        "--exact",
        "--nocapture",
        "--test-threads=1",
    ]);
    command.env(TASK, task.text(path)).stdout(Stdio::piped());
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => panic!("{wrapper:?} cannot be started: {error}; install it to run this test"),
    };
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    Running { child, lines }
}

impl Iterator for Running {
    type Item = (String, u64);

    /// The next thing the child said, such as ("ack", 7). Nothing when it is gone.
    fn next(&mut self) -> Option<(String, u64)> {
        loop {
            let line = self.lines.next()?.unwrap();
            // The test harness talks too, and not always on lines of its own.
            let said = line.rsplit_once("child: ").map(|(_, said)| said.to_owned());
            let Some((word, number)) = said.as_deref().and_then(|said| said.split_once(' ')) else {
                continue;
            };
            return Some((word.to_owned(), number.parse().unwrap()));
        }
    }
}

pub fn name(number: u64) -> String {
    format!("unit-{number}")
}

#[expect(clippy::print_stdout, reason = "how it talks to its parent")]
fn say(word: &str, number: u64) {
    println!("child: {word} {number}");
}

async fn write(db: &Db, number: u64) {
    match db.write(Put(name(number))).await {
        Ok(()) => say("ack", number),
        Err(DbError::Unavailable(_)) => say("failed", number),
        Err(DbError::InDoubt(_)) => say("doubtful", number),
        Err(other) => panic!("{other:?}"),
    }
}

/// Not a promise by itself: the body of the child, and nothing to do in a normal run.
#[test]
fn does_as_it_is_told() {
    #[expect(clippy::disallowed_methods, reason = "how the parent talks to it")]
    let Ok(task) = std::env::var(TASK) else { return };
    let (task, path) = Task::parse(&task);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let mut options = Place::make(Engine::Sqlite).await.options();
        options.target = storage::Target::Sqlite { path };
        let db = match Db::open(options).await {
            Ok(db) => db,
            Err(OpenError::Locked { .. }) => return say("locked", 0),
            Err(other) => panic!("{other}"),
        };
        match task {
            Task::Open => say("opened", 0),
            Task::LivingWithinLimits => sqlite_faults::live_within_limits(&db).await,
            Task::Some { count } => {
                for number in 0..count {
                    write(&db, number).await;
                }
            }
            Task::Endless { first } => {
                let lane = |lane: u64| {
                    let db = db.clone();
                    async move {
                        for step in 0.. {
                            write(&db, first + step * 8 + lane).await;
                        }
                    }
                };
                futures_util::future::join_all((0..8).map(lane)).await;
            }
        }
        db.close().await;
        say("done", 0);
    });
}
