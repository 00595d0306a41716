//! The two ways to run the product, and the library on top of the same data.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use app::memories::gate::Limits;
use app::{App, Parts, Platforms};
use domain::clock::SystemClock;
use domain::plan::Tier;
use domain::random::SystemRandom;
use storage::migrate::Migrate;
use storage::{Db, OpenOptions, Target};

use crate::data::Dataset;
use crate::process::Server;
use crate::seed::{PostgresBench, run_on_sqlite, seed_sqlite};
use crate::{Fallible, report};

/// The product as installed, but for the rate limit: a thousand keys make more calls here than they may.
const SETTINGS: [(&str, &str); 3] = [
    ("SYMBOLON_SERVER_METRICS_LISTEN", ""),
    ("SYMBOLON_LIMITS_PRO_PER_MINUTE", "1000000"),
    ("SYMBOLON_LIMITS_PRO_BURST", "1000000"),
];

/// The executables, found next to this one.
pub struct Binaries {
    pub symbolon: PathBuf,
    pub bench: PathBuf,
}

impl Binaries {
    pub fn find() -> Fallible<Self> {
        let bench = std::env::current_exe()?;
        let symbolon = bench.with_file_name("symbolon");
        if !symbolon.is_file() {
            return Err("there is no symbolon next to bench: build it with the same profile first".into());
        }
        Ok(Self { symbolon, bench })
    }
}

/// A seeded database and how the product is told to use it.
pub struct Store {
    pub name: &'static str,
    /// Holds the master keys, and the file of the embedded database.
    directory: PathBuf,
    postgres: Option<PostgresBench>,
}

impl Store {
    pub fn sqlite(directory: &Path) -> Self {
        Self {
            name: "sqlite",
            directory: directory.join("sqlite"),
            postgres: None,
        }
    }

    pub fn postgres(directory: &Path, bench: PostgresBench) -> Self {
        Self {
            name: "postgres",
            directory: directory.join("postgres"),
            postgres: Some(bench),
        }
    }

    fn database_file(&self) -> PathBuf {
        self.directory.join("symbolon.db")
    }

    /// Creates the schema as the product does and fills it around it.
    pub async fn prepare(&self, data: &Dataset) -> Fallible<()> {
        fs::create_dir_all(&self.directory)?;
        let begun = Instant::now();
        Db::open(self.options(Migrate::Apply)).await?.close().await;
        match &self.postgres {
            Some(bench) => bench.seed(data).await?,
            None => seed_sqlite(&self.database_file(), data)?,
        }
        let took = begun.elapsed().as_secs_f64();
        report::line(&format!(
            "{:<10} {} links seeded in {took:.1} s",
            self.name,
            data.links()
        ));
        Ok(())
    }

    /// Changes the seeded data; no server may be running.
    pub async fn run_sql(&self, sql: &str) -> Fallible<()> {
        match &self.postgres {
            Some(bench) => bench.run_sql(sql).await,
            None => run_on_sqlite(&self.database_file(), sql),
        }
    }

    /// Starts the product, waits until it answers, and finds the processes that work for it.
    pub async fn serve_ready(&self, binaries: &Binaries) -> Fallible<Server> {
        self.serve_ready_with(binaries, &[]).await
    }

    /// The same with more settings.
    pub async fn serve_ready_with(&self, binaries: &Binaries, more: &[(&str, &str)]) -> Fallible<Server> {
        let mut server = self.serve_with(binaries, more)?;
        server.wait_until_up()?;
        if let Some(bench) = &self.postgres {
            server.helpers = bench.backends().await?;
        }
        Ok(server)
    }

    /// Starts the product without waiting for it.
    pub fn serve(&self, binaries: &Binaries) -> Fallible<Server> {
        self.serve_with(binaries, &[])
    }

    fn serve_with(&self, binaries: &Binaries, more: &[(&str, &str)]) -> Fallible<Server> {
        let settings: Vec<_> = SETTINGS.iter().chain(more).copied().collect();
        let log = self.directory.join("server.log");
        Server::spawn(&mut self.command(binaries, "serve"), &settings, &log)
    }

    /// What an unlink may take in the slowest of a hundred cases while Discord hangs.
    pub fn allowed_remove_ms(&self) -> f64 {
        if self.postgres.is_some() { 80.0 } else { 50.0 }
    }

    fn command(&self, binaries: &Binaries, word: &str) -> Command {
        let mut command = Command::new(&binaries.symbolon);
        let database = self.postgres.as_ref().map_or("sqlite", |bench| &bench.url);
        command
            .arg(word)
            .arg("--data")
            .arg(&self.directory)
            .args(["--database", database]);
        command
    }

    pub fn options(&self, migrate: Migrate) -> OpenOptions {
        let target = match &self.postgres {
            Some(bench) => Target::Postgres {
                url: bench.url.clone().into(),
            },
            None => Target::Sqlite {
                path: self.database_file(),
            },
        };
        OpenOptions {
            target,
            migrate,
            write_queue: 1024,
            pool_size: 8,
            read_clients: 2,
            // For the closing check, which reads everything.
            statement_timeout: Duration::from_secs(300),
            lock_timeout: Duration::from_secs(2),
            connect_deadline: Duration::from_secs(3),
            read_deadline: Duration::from_secs(2),
            work_deadline: Duration::from_secs(10),
            tls_roots: None,
            start_wait: Duration::ZERO,
        }
    }

    /// The library on the same data; no server may be running.
    pub async fn open(&self) -> Fallible<App> {
        let db = Db::open(self.options(Migrate::Require)).await?;
        let any = Tier::Pro.default_rate_limit();
        let parts = Parts {
            db,
            clock: Arc::new(SystemClock),
            random: Arc::new(SystemRandom),
            master_key_file: self.directory.join("master.keys"),
            limits: Limits {
                free: any,
                standard: any,
                pro: any,
                unknown_keys: any,
                dashboard: any,
                link_starts: any,
                link_steps: any,
            },
            platforms: Platforms::default(),
            operators: Vec::new(),
            public_url: "http://127.0.0.1:8080".to_owned(),
            retention: app::retention::Retention::default(),
            thresholds: domain::trust::Thresholds::default(),
            plans: domain::plan::Plans::default(),
        };
        Ok(App::start(parts).await?)
    }

    pub async fn remove(self) -> Fallible<()> {
        match self.postgres {
            Some(bench) => bench.drop().await,
            None => Ok(()),
        }
    }
}
