//! Running the real binary.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use storage::Db;
use testkit::{Engine, Node, TestDb};

pub const BINARY: &str = env!("CARGO_BIN_EXE_symbolon");

/// The binary for a command that is to end by itself: one that stays is stopped, and its exit code is 124.
fn that_ends() -> Command {
    let mut command = Command::new("timeout");
    command.args(["300", BINARY]);
    command
}

/// A place from which commands are typed: a data directory and a database.
pub struct Shell {
    data: PathBuf,
    database: String,
}

/// A command that ended.
#[derive(Debug)]
pub struct Ran {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Shell {
    pub fn at(data: &Path, database: &str) -> Shell {
        Shell {
            data: data.to_owned(),
            database: database.to_owned(),
        }
    }

    /// Runs a command on this data directory and database. A backtrace is asked for, so that one would show.
    pub fn run(&self, arguments: &[&str]) -> Ran {
        let output = that_ends()
            .args(arguments)
            .args(["--database", &self.database, "--data"])
            .arg(&self.data)
            .env("RUST_BACKTRACE", "1")
            .env("SYMBOLON_SERVER_METRICS_LISTEN", "")
            .env("SYMBOLON_LOG_LEVEL", "error")
            .output()
            .expect("the binary starts");
        Ran::of(&output)
    }

    /// Runs an admin command that must succeed, and reads what it prints as JSON.
    pub fn json(&self, arguments: &[&str]) -> Value {
        let ran = self.run(&[arguments, &["--json"]].concat());
        assert_eq!(ran.code, Some(0), "{arguments:?}: {}", ran.err);
        serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{arguments:?}: {error}: {}", ran.out))
    }
}

/// Runs the binary as it is, without a data directory.
pub fn run_bare(arguments: &[&str], environment: &[(&str, &str)]) -> Ran {
    let output = that_ends()
        .args(arguments)
        .env("RUST_BACKTRACE", "1")
        .envs(environment.iter().copied())
        .output()
        .expect("the binary starts");
    Ran::of(&output)
}

impl Ran {
    fn of(output: &std::process::Output) -> Ran {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ran {
            code: output.status.code(),
            out: text(&output.stdout),
            err: text(&output.stderr),
        }
    }

    /// Exit code 1 and one line on standard error that holds `what`.
    pub fn fails_with_one_line(&self, what: &str) {
        assert_eq!(self.code, Some(1), "{self:?}");
        assert!(
            self.err.starts_with("symbolon: ") && self.err.contains(what),
            "{self:?}"
        );
        assert_eq!(self.err.trim_end().lines().count(), 1, "{self:?}");
        for word in ["panicked", "backtrace", "Error {"] {
            assert!(!self.err.contains(word), "{self:?}");
        }
    }
}

/// An empty data directory, beside it a database, and the shell that uses them. SQLite starts from nothing at all.
pub async fn empty(engine: Engine) -> (TestDb, Shell) {
    let mut db = TestDb::open(engine).await;
    db.db.close().await;
    db.db = Db::open_beside(db.options()).await.expect("a store for looking");
    let data = db.directory().join("fresh");
    let database = match engine {
        Engine::Sqlite => "sqlite".to_owned(),
        Engine::Postgres => db.url_or_path(),
    };
    let shell = Shell::at(&data, &database);
    (db, shell)
}

/// The same after a first start, which makes the database and the master keys.
pub async fn installed(engine: Engine) -> (TestDb, Shell) {
    let (db, shell) = empty(engine).await;
    let node = Node::start(BINARY, shell.data(), shell.database()).await;
    assert!(node.stop().await);
    (db, shell)
}

impl Shell {
    pub fn data(&self) -> &Path {
        &self.data
    }

    pub fn database(&self) -> &str {
        &self.database
    }
}
