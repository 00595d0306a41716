//! From configuration to an open store and a running App.

use std::os::unix::fs::DirBuilderExt;
use std::sync::Arc;
use std::time::Duration;

use app::billing::plans;
use app::retention::Retention;
use app::{App, Parts, Platforms};
use config::{Config, DatabaseUrl, Overrides};
use domain::clock::{SharedClock, SystemClock};
use domain::plan::{Ceilings, Plans, Tier};
use domain::platform_id::DiscordId;
use domain::random::SystemRandom;
use domain::trust::Thresholds;
use storage::migrate::Migrate;
use storage::{Db, OpenOptions, Target, Unfinished};

use crate::cli::Common;
use crate::output::{Failure, refused};

/// Reads the configuration that the flags, the environment and the file give together.
pub fn load_config(common: &Common, listen: Option<std::net::SocketAddr>) -> Result<Config, Failure> {
    let overrides = Overrides {
        data_dir: common.data.clone(),
        listen,
        database_url: common.database.clone(),
    };
    Ok(Config::load(common.config.as_deref(), &overrides)?)
}

/// A database that hangs is noticed by these, and not by a limit that it would have to keep itself.
const CONNECT_DEADLINE: Duration = Duration::from_secs(3);
const READ_DEADLINE: Duration = Duration::from_secs(2);
const WORK_DEADLINE: Duration = Duration::from_secs(10);

pub fn open_options(config: &Config, migrate: Migrate) -> OpenOptions {
    let database = &config.database;
    let (target, pool_size) = match &database.url {
        // Readers: one per worker thread and two more for the moments when they meet.
        DatabaseUrl::Sqlite { path } => (Target::Sqlite { path: path.clone() }, worker_threads() + 2),
        DatabaseUrl::Postgres { url } => (Target::Postgres { url: url.clone() }, database.pool_size),
    };
    OpenOptions {
        target,
        migrate,
        write_queue: database.write_queue,
        pool_size,
        read_clients: database.read_clients,
        statement_timeout: Duration::from_millis(database.statement_timeout_ms),
        lock_timeout: Duration::from_millis(database.lock_timeout_ms),
        connect_deadline: CONNECT_DEADLINE,
        read_deadline: READ_DEADLINE,
        work_deadline: WORK_DEADLINE,
        tls_roots: database.tls_roots.clone(),
        start_wait: Duration::ZERO,
    }
}

/// The same for a start that waits until PostgreSQL is up.
pub fn patient_options(config: &Config, migrate: Migrate) -> OpenOptions {
    OpenOptions {
        start_wait: Duration::from_millis(config.database.start_wait_ms),
        ..open_options(config, migrate)
    }
}

fn worker_threads() -> usize {
    std::thread::available_parallelism().map_or(2, std::num::NonZeroUsize::get)
}

/// Opens a store that is in use already, and starts the App on it. A mistyped directory is no reason to make a database
/// or master keys there.
pub async fn open_existing(config: &Config) -> Result<App, Failure> {
    let db = Db::open(open_options(config, Migrate::Upgrade)).await?;
    let keys = &config.keys.master_key_file;
    if !keys.exists() {
        close(&db).await?;
        let text = format!(
            "no master keys at {}: check --data and keys.master_key_file; `symbolon serve` creates the first ones",
            keys.display()
        );
        return Err(text.into());
    }
    start(config, db, Arc::new(SystemClock)).await
}

/// Opens the store and starts the App on it, for serving; what is missing is made.
pub async fn open_or_make(config: &Config, clock: SharedClock) -> Result<App, Failure> {
    let private = std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(&config.data_dir);
    private.map_err(|error| format!("cannot create {}: {error}", config.data_dir.display()))?;
    let db = Db::open(patient_options(config, Migrate::Apply)).await?;
    let app = start(config, db, clock).await?;
    plans::note(&app).await.map_err(|error| refused(&error))?;
    Ok(app)
}

/// How long the end of a process waits for a database that hangs.
const LAST_COMMIT: Duration = Duration::from_secs(5);

pub async fn close(db: &Db) -> Result<(), Unfinished> {
    db.close_within(LAST_COMMIT).await
}

async fn start(config: &Config, db: Db, clock: SharedClock) -> Result<App, Failure> {
    let platforms = Platforms::from_config(config, &clock)?;
    let parts = Parts {
        db,
        clock,
        random: Arc::new(SystemRandom),
        master_key_file: config.keys.master_key_file.clone(),
        limits: (&config.limits).into(),
        platforms,
        operators: operators(config)?,
        public_url: config.server.public_url.clone(),
        retention: Retention {
            role_history_days: config.roles.history_days,
            trust_history_days: config.retention.trust_history_days,
            error_log_days: config.retention.error_log_days,
            link_steps_days: config.retention.link_steps_days,
            retired_key_days: config.retention.retired_key_days,
            tombstone_days: config.retention.tombstone_days,
            session_idle_days: config.retention.session_idle_days,
            session_days: config.retention.session_days,
        },
        thresholds: Thresholds {
            trusted: config.trust.trusted_from,
            normal: config.trust.normal_from,
            watch: config.trust.watch_from,
        },
        plans: allowed(&config.plans),
    };
    Ok(App::start(parts).await?)
}

/// Whether they are sold follows from who sells them.
fn allowed(plans: &config::Plans) -> Plans {
    let ceilings = |of: config::PlanCeilings| Ceilings {
        orgs: of.orgs,
        guilds: of.guilds,
        servers: of.servers,
        links: of.links,
        navigation_links: of.navigation_links,
    };
    Plans {
        free: ceilings(plans.free),
        standard: ceilings(plans.standard),
        pro: ceilings(plans.pro),
        default_tier: Tier::parse(&plans.default_tier).unwrap_or(Tier::Free),
        sold: false,
        custom_bots: plans.custom_bots,
    }
}

/// The first operators come from the configuration, because nobody else could name them.
fn operators(config: &Config) -> Result<Vec<DiscordId>, Failure> {
    let parsed = config.operators.iter().map(|text| DiscordId::parse(text));
    let parsed: Result<Vec<_>, _> = parsed.collect();
    parsed.map_err(|error| format!("operators: {error}").into())
}
