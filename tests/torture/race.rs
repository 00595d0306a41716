//! Many callers at the same moment, spread over as many nodes as the database allows.

use std::sync::Arc;

use app::error::TenancyError;
use app::memories::gate::Limits;
use app::{App, AppError, Parts, Platforms};
use domain::plan::{RateLimit, Tier};
use domain::random::SeededRandom;
use storage::Db;
use testkit::{Engine, Tenant, TestApp};
use tokio::sync::Barrier;
use tokio::task::JoinSet;

pub const RACERS: u64 = 32;

/// An application, and on PostgreSQL a second one on the same database: what keeps writes of one process in turn
/// does not help between two.
pub struct Nodes {
    pub test: TestApp,
    other: App,
}

impl Nodes {
    pub async fn start(engine: Engine) -> Nodes {
        let test = TestApp::start_with(engine, |limits| *limits = generous(), |_| {}).await;
        let other = match engine {
            Engine::Sqlite => test.app.clone(),
            Engine::Postgres => second(&test).await,
        };
        Nodes { test, other }
    }

    /// The node that racer `number` talks to.
    pub fn app(&self, number: u64) -> App {
        if number.is_multiple_of(2) {
            self.test.app.clone()
        } else {
            self.other.clone()
        }
    }

    /// All invariants must hold at the end.
    pub async fn finish(self, engine: Engine) {
        if engine == Engine::Postgres {
            self.other.db.close().await;
        }
        drop(self.other);
        self.test.finish().await;
    }
}

async fn second(test: &TestApp) -> App {
    let db = Db::open(test.db.options()).await.expect("a second node");
    let parts = Parts {
        db,
        clock: Arc::clone(&test.clock) as _,
        random: Arc::new(SeededRandom::new(8)),
        master_key_file: test.db.directory().join("master.keys"),
        limits: generous(),
        platforms: Platforms::default(),
        operators: Vec::new(),
        public_url: test.app.public_url.clone(),
        retention: app::retention::Retention::default(),
        thresholds: domain::trust::Thresholds::default(),
        plans: domain::plan::Plans::default(),
    };
    App::start(parts).await.expect("a second application")
}

/// Limits that no race reaches, because the clock of these tests stands still.
pub fn generous() -> Limits {
    let most = RateLimit {
        per_minute: 1_000_000,
        burst: 1_000_000_000,
        bulk_ids: Tier::Pro.default_rate_limit().bulk_ids,
    };
    Limits {
        free: most,
        standard: most,
        pro: most,
        unknown_keys: most,
        dashboard: most,
        link_starts: most,
        link_steps: most,
    }
}

/// Starts `racers` tasks, lets them go together and returns what each came back with.
pub async fn race<T, F>(racers: u64, task: impl Fn(u64) -> F) -> Vec<T>
where
    T: Send + 'static,
    F: Future<Output = T> + Send + 'static,
{
    let line = Arc::new(Barrier::new(usize::try_from(racers).expect("a small number")));
    let mut running = JoinSet::new();
    for number in 0..racers {
        let (line, task) = (Arc::clone(&line), task(number));
        running.spawn(async move {
            line.wait().await;
            task.await
        });
    }
    running.join_all().await
}

/// Links the first `players` players of a tenant, as many at a time as one Org may have waiting.
pub async fn link_all(app: &App, tenant: &Tenant, players: u64) {
    for first in (0..players).step_by(200) {
        race((players - first).min(200), |player| {
            let (app, tenant) = (app.clone(), tenant.clone());
            async move { tenant.link(&app, first + player).await }
        })
        .await;
    }
}

/// Racers who got in, racers who were told about the ceiling, and everything else.
#[derive(Debug)]
pub struct Outcome<T> {
    pub won: Vec<T>,
    pub limited: usize,
    pub other: Vec<String>,
}

impl<T> Outcome<T> {
    pub fn of(results: Vec<Result<T, AppError>>) -> Self {
        let mut outcome = Outcome {
            won: Vec::new(),
            limited: 0,
            other: Vec::new(),
        };
        for result in results {
            match result {
                Ok(value) => outcome.won.push(value),
                Err(AppError::Tenancy(TenancyError::LimitReached { .. })) => outcome.limited += 1,
                Err(error) => outcome.other.push(error.internal_detail()),
            }
        }
        outcome
    }

    /// Exactly one place was left, and everybody else was told so.
    pub fn one_winner(&self, what: &str) {
        assert!(self.other.is_empty(), "{what}: {:?}", self.other);
        assert_eq!((self.won.len(), self.limited), (1, RACERS as usize - 1), "{what}");
    }
}

/// The line that a test leaves in the log.
pub fn report(engine: Engine, what: &str) {
    println!("torture [{engine:?}] {what}");
}

/// The same choices for the same seed.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Dice(seed)
    }

    /// A number below `sides`.
    pub fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % sides
    }
}
