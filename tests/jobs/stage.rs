//! Log messages that wait, and engines that pretend to send them.

use std::sync::{Arc, Mutex, PoisonError};

use app::jobs::{Claimed, Engine, Outcome, Worker};
use app::{App, AppError};
use domain::id::LinkId;
use domain::job::{Job, LaneKind};
use domain::random::SeededRandom;
use futures_util::future::BoxFuture;
use storage::{DbError, OrgScope, Tx, Work, jobs};
use testkit::Tenant;
use tokio::sync::watch;

/// What workers did, in the order in which they did it: lane and number.
#[derive(Clone, Default)]
pub struct Ledger {
    lines: Arc<Mutex<Vec<(String, i64)>>>,
}

impl Ledger {
    pub fn note(&self, claimed: &Claimed) {
        let line = (claimed.held.claim.lane.clone(), claimed.held.num);
        self.lines
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(line);
    }

    pub fn lines(&self) -> Vec<(String, i64)> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub fn numbers(&self) -> Vec<i64> {
        self.lines().into_iter().map(|(_, num)| num).collect()
    }

    /// A worker that notes each job and says what becomes of it.
    pub fn worker(&self, outcome: impl Fn(&Claimed) -> Outcome + Send + Sync + 'static) -> Worker {
        let ledger = self.clone();
        Arc::new(move |_, claimed| {
            ledger.note(&claimed);
            let outcome = outcome(&claimed);
            Box::pin(async move { Ok(outcome) })
        })
    }
}

/// A worker that does more than to answer.
pub fn worker(
    step: impl Fn(App, Claimed) -> BoxFuture<'static, Result<Outcome, AppError>> + Send + Sync + 'static,
) -> Worker {
    Arc::new(step)
}

/// Leaves a message for the log channel to be sent, as a link does, and nothing else.
pub async fn tell(app: &App, tenant: &Tenant, number: u64) {
    let seed = number + 1_000 * tenant.scope.num().unsigned_abs();
    let job = Job::LogLinked {
        guild: tenant.guild.clone(),
        link: LinkId::generate(app.now_ms(), &SeededRandom::new(seed)),
    };
    let leave = Leave {
        job,
        now_ms: app.now_ms(),
    };
    app.db
        .write_for(tenant.scope, leave)
        .await
        .expect("a job is left");
    app.bell.ring();
}

struct Leave {
    job: Job,
    now_ms: i64,
}

impl Work for Leave {
    type For = OrgScope;
    type Output = ();
    type Error = DbError;
    const NAME: &'static str = "leave_job";

    async fn run(&self, tx: &mut Tx<'_>, &scope: &OrgScope) -> Result<(), DbError> {
        jobs::enqueue(tx, scope, &self.job, self.now_ms).await
    }
}

/// An engine for log messages that nobody stops.
pub fn engine(app: &App, worker: Worker) -> Engine {
    let (_, stop) = watch::channel(false);
    Engine::new(app, LaneKind::Log, worker, stop)
}
