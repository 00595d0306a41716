//! Looking for secrets where none may be.

use std::collections::HashMap;
use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use testkit::{Engine, TestApp};
use tracing_subscriber::fmt::format::FmtSpan;

use super::rows::{Rows, texts};

/// A dozen characters of a secret in a row are a leak: nobody writes them by chance.
const WINDOW: usize = 12;

/// Secrets by all their windows, so that one pass over a text finds any part of any of them.
#[derive(Default)]
pub struct Secrets(HashMap<Vec<u8>, &'static str>);

impl Secrets {
    /// An API key. Its first twelve characters may be shown, one more may not.
    pub fn key(&mut self, key: &str) {
        self.add("an API key", &key.as_bytes()[1..]);
    }

    pub fn token(&mut self, token: &str) {
        self.add("a session token", token.as_bytes());
    }

    /// Every key of a master key file.
    pub fn master_keys(&mut self, file: &str) {
        for line in file.lines().filter(|line| !line.starts_with("active")) {
            let (_, secret) = line.split_once(' ').expect("a kid and a key");
            self.add("a master key", secret.as_bytes());
        }
    }

    /// Anything else that must not be seen.
    pub fn word(&mut self, what: &'static str, word: &str) {
        assert!(word.len() >= WINDOW, "{what} is too short to be looked for");
        self.add(what, word.as_bytes());
    }

    fn add(&mut self, what: &'static str, secret: &[u8]) {
        for window in secret.windows(WINDOW) {
            self.0.insert(window.to_vec(), what);
        }
    }

    pub fn assert_absent(&self, place: &str, text: &[u8]) {
        for (position, window) in text.windows(WINDOW).enumerate() {
            if let Some(what) = self.0.get(window) {
                let around = &text[position.saturating_sub(120)..(position + 60).min(text.len())];
                panic!("{what} in {place}: {}", String::from_utf8_lossy(around));
            }
        }
    }
}

/// The bytes of every file in a directory and in those inside of it.
pub fn bytes_under(directory: &Path) -> Vec<u8> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory).expect("a directory") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(bytes_under(&path));
        } else if path.is_file() && !path.ends_with("master.keys") {
            found.extend(std::fs::read(path).expect("a readable file"));
        }
    }
    found
}

/// All that is stored: the rows, and on SQLite the bytes of every file, write-ahead log and free pages included.
pub async fn everything_stored(test: &TestApp, engine: Engine) -> Vec<u8> {
    let rows = Rows::of(&test.db.db).await;
    let mut stored = rows.all(&test.db.db).await.join("\n").into_bytes();
    if engine == Engine::Sqlite {
        stored.extend(bytes_under(test.db.directory()));
    }
    stored
}

/// The data directory with a new backup in it, and on PostgreSQL a dump, after what is dead was swept up.
pub async fn everything_copied(test: &TestApp, engine: Engine) -> Vec<u8> {
    let place = test.db.directory().join("backup-to-search");
    let made = storage::backup::create(&test.db.options(), &place, test.app.now_ms()).await;
    made.expect("a backup");
    let mut copied = bytes_under(test.db.directory());
    if engine == Engine::Postgres {
        test.db.damage("VACUUM").await;
        let schema = texts(&test.db.db, "SELECT CAST(current_schema() AS TEXT)").await;
        let dump = Command::new("pg_dump")
            .args(["--schema", &schema[0], "--dbname", &test.db.url_or_path()])
            .output();
        let dump = dump.expect("pg_dump runs");
        assert!(dump.status.success(), "{}", String::from_utf8_lossy(&dump.stderr));
        copied.extend(dump.stdout);
    }
    copied
}

#[derive(Clone, Default)]
pub struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    /// Everything that this process logs from now on, of all crates and at every level.
    pub fn capture() -> Log {
        static LOG: OnceLock<Log> = OnceLock::new();
        let start = || {
            let log = Log::default();
            let writer = log.clone();
            tracing_subscriber::fmt()
                .with_max_level(tracing::Level::TRACE)
                .with_span_events(FmtSpan::FULL)
                .with_ansi(false)
                .with_writer(move || writer.clone())
                .init();
            log
        };
        LOG.get_or_init(start).clone()
    }

    pub fn text(&self) -> String {
        let bytes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
