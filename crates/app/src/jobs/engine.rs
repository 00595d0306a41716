//! Takes lanes of one kind and does their jobs. A worker that panics, fails, hangs or loses its lane harms nobody else's.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use domain::job::{Job, JobKind, LaneKind, backoff_ms};
use domain::random::bytes;
use futures_util::FutureExt;
use futures_util::future::join_all;
use storage::jobs::{self, Claim, Grip, Head, Held};
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::metered::{self, JobEnd};
use super::units::{Fate, FreeAbandoned, Release, Settle, Take};
use super::{Claimed, Outcome, Worker};
use crate::error::AppError;
use crate::records::alerts::{self, Place};
use crate::state::App;

/// Lanes of one kind that a node works on at the same time.
const AT_ONCE: usize = 4;
/// The code of a job that somebody does not want any more.
const CANCELLED: &str = "CANCELLED";
/// Steps in a lane before it goes behind the others that wait.
const STEPS_IN_A_TURN: usize = 5;
/// Somebody else takes a lane 15 seconds after the last sign of life. Whoever could not give one for this long ends what
/// it is at, because the lane may be another's soon.
const SURE_FOR: Duration = Duration::from_secs(12);
/// After a sign of life that could not be given.
const RENEW_AGAIN: Duration = Duration::from_secs(1);
/// Between two looks, a tenth more or less. The bell usually comes first.
const LOOK_EVERY_MS: u64 = 1_000;
/// Between two looks at what others are still at.
const WAIT_FOR_OTHERS: Duration = Duration::from_millis(20);

/// For the lanes of one kind on one node. Clones share the node's name and the count of its claims.
#[derive(Clone)]
pub struct Engine {
    app: App,
    lanes: LaneKind,
    worker: Worker,
    stop: watch::Receiver<bool>,
    node: Arc<str>,
    claims: Arc<AtomicU64>,
    pace: Pace,
}

/// How long things take at most. Tests that would have to wait for them are quicker.
#[derive(Debug, Clone, Copy)]
pub struct Pace {
    /// Between two signs of life: a third of the time after which a lane is taken from who is not heard of.
    pub renew_every: Duration,
    /// After which a step is ended and tried again later, so that those that hang do not keep all workers.
    pub longest_step: Duration,
    /// How long a step may go on after the engine was told to stop.
    pub last_step: Duration,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            renew_every: Duration::from_secs(5),
            longest_step: Duration::from_secs(60),
            last_step: Duration::from_secs(3),
        }
    }
}

/// What follows a step.
#[derive(PartialEq, Eq)]
enum Next {
    GoOn,
    /// The lane is not ours any more.
    Leave,
}

impl Engine {
    /// For lanes of one kind; it begins nothing new once `stop` becomes true.
    pub fn new(app: &App, lanes: LaneKind, worker: Worker, stop: watch::Receiver<bool>) -> Self {
        let node = format!("{:016x}", u64::from_le_bytes(bytes(&*app.random)));
        Self {
            app: app.clone(),
            lanes,
            worker,
            stop,
            node: node.into(),
            claims: Arc::default(),
            pace: Pace::default(),
        }
    }

    /// Which lanes it takes.
    pub fn lanes(&self) -> LaneKind {
        self.lanes
    }

    /// The same engine at another pace.
    #[must_use]
    pub fn at(mut self, pace: Pace) -> Self {
        self.pace = pace;
        self
    }

    /// Works until it is stopped. What it is at then ends its step and gives its lane back.
    pub async fn run(self) {
        let (mut stop, mut bell) = (self.stop.clone(), self.app.bell.listen());
        let mut turns = JoinSet::new();
        self.free_left().await;
        loop {
            for claim in self.take_some(AT_ONCE - turns.len()).await {
                let engine = self.clone();
                turns.spawn(async move { engine.turn(claim).await });
            }
            tokio::select! {
                _ = stop.wait_for(|stopped| *stopped) => break,
                Some(ended) = turns.join_next() => self.report(ended),
                _ = bell.changed() => {}
                () = tokio::time::sleep(self.until_next_look()) => {}
            }
        }
        while let Some(ended) = turns.join_next().await {
            self.report(ended);
        }
    }

    /// Does everything that is due, and waits for what others are at. Returns how many lanes it took.
    pub async fn drain(&self) -> Result<usize, AppError> {
        let mut taken = 0;
        loop {
            let claims = self.take(AT_ONCE).await?;
            taken += claims.len();
            if claims.is_empty() {
                let is_ours = self.app.platforms.work_off(self.lanes);
                let busy = jobs::count_busy(&self.app.db, self.lanes, self.app.now_ms()).await?;
                if !is_ours || busy == 0 {
                    return Ok(taken);
                }
                tokio::time::sleep(WAIT_FOR_OTHERS).await;
            }
            join_all(claims.into_iter().map(|claim| self.turn(claim))).await;
        }
    }

    /// Takes up to `limit` lanes and does a turn in each. Returns the lanes, those first that had waited longest.
    pub async fn turn_once(&self, limit: usize) -> Result<Vec<String>, AppError> {
        let claims = self.take(limit).await?;
        let lanes = claims.iter().map(|claim| claim.lane.clone()).collect();
        join_all(claims.into_iter().map(|claim| self.turn(claim))).await;
        Ok(lanes)
    }

    /// One process owns an embedded database, so what a crash left taken need not be waited for.
    async fn free_left(&self) {
        if self.app.db_engine() != "sqlite" {
            return;
        }
        let (kind, moment) = (self.lanes, self.app.moment());
        if let Err(error) = self.app.db.write(FreeAbandoned { kind, moment }).await {
            tracing::warn!(error = %error.internal_detail(), "what a crash left behind is free again soon");
        }
    }

    fn until_next_look(&self) -> Duration {
        let [dice] = bytes::<1>(&*self.app.random);
        Duration::from_millis(
            LOOK_EVERY_MS - LOOK_EVERY_MS / 10 + u64::from(dice) * (LOOK_EVERY_MS / 5) / 255,
        )
    }

    fn report(&self, ended: Result<(), tokio::task::JoinError>) {
        if ended.is_err() {
            tracing::error!(lanes = %self.lanes, "a turn of the job engine panicked; its lane is free again soon");
        }
    }

    async fn take_some(&self, room: usize) -> Vec<Claim> {
        match self.take(room).await {
            Ok(claims) => claims,
            Err(error) => {
                tracing::warn!(error = %error.internal_detail(), "cannot look for jobs, so they wait");
                Vec::new()
            }
        }
    }

    /// Looks before it takes: a look costs no write.
    async fn take(&self, room: usize) -> Result<Vec<Claim>, AppError> {
        let moment = self.app.moment();
        let is_ours = self.app.platforms.work_off(self.lanes);
        if room == 0 || !is_ours || !jobs::is_any_due(&self.app.db, self.lanes, moment).await? {
            return Ok(Vec::new());
        }
        let number = self.claims.fetch_add(1, Ordering::Relaxed);
        let take = Take {
            kind: self.lanes,
            owner: format!("{}.{number}", self.node).into(),
            limit: room as i64,
            moment,
        };
        let claims = self.app.db.write(take).await?;
        metered::claimed(&self.app, self.lanes, claims.len());
        Ok(claims)
    }

    /// A few steps in one lane, which then goes behind the others.
    async fn turn(&self, claim: Claim) {
        if let Err(error) = self.steps(&claim).await {
            let detail = error.internal_detail();
            tracing::warn!(lane = %claim.lane, error = %detail, "a job was interrupted; its lane is free again soon");
        }
    }

    async fn steps(&self, claim: &Claim) -> Result<(), AppError> {
        let mut heard = Instant::now();
        for _ in 0..STEPS_IN_A_TURN {
            if *self.stop.borrow() {
                break;
            }
            let Some(head) = jobs::find_head(&self.app.db, &claim.lane).await? else {
                return Ok(());
            };
            if self.step(claim, head, &mut heard).await? == Next::Leave {
                return Ok(());
            }
        }
        let moment = self.app.moment();
        let claim = claim.clone();
        // Lost is as good as given back.
        let _ = self.app.db.write(Release { claim, moment }).await?;
        // Whoever else looks for lanes finds one.
        self.app.bell.ring();
        Ok(())
    }

    async fn step(&self, claim: &Claim, head: Head, heard: &mut Instant) -> Result<Next, AppError> {
        let held = Held {
            claim: claim.clone(),
            num: head.num,
        };
        let kind = JobKind::parse(&head.kind);
        if head.cancelled {
            return self.give_up(held, kind, CANCELLED).await;
        }
        if head.give_up_at_ms.is_some_and(|at_ms| at_ms <= self.app.now_ms()) {
            alerts::note(&self.app, "GIVEN_UP", Place::of_job(kind), None);
            return self.give_up(held, kind, "TOO_LATE").await;
        }
        let Ok(job) = Job::parse(&head.kind, &head.payload) else {
            // Perhaps of a newer version, which other nodes know already.
            return self.retry(held, kind, head.attempts, None, "UNKNOWN_JOB").await;
        };
        let claimed = Claimed {
            held: held.clone(),
            job,
            org: head.org,
            cursor: head.cursor,
            done: head.done,
            total: head.total,
        };
        match self.outcome(claimed, heard).await {
            // It got on, so what failed before counts no more.
            Outcome::Again if head.attempts > 0 => Ok(after(self.settle(held, Fate::GoOn).await?)),
            Outcome::Again => Ok(Next::GoOn),
            Outcome::Done => {
                let grip = self.settle(held, Fate::Finish(head.total)).await?;
                let became = if grip == Grip::Lost {
                    JobEnd::Lost
                } else {
                    JobEnd::Done
                };
                metered::count(&self.app, kind, became);
                Ok(after(grip))
            }
            Outcome::Retry { after, code } => self.retry(held, kind, head.attempts, after, code).await,
            Outcome::Later { after } => {
                let pause_ms = i64::try_from(after.as_millis()).unwrap_or(i64::MAX);
                let _ = self.settle(held, Fate::PutOff { pause_ms }).await?;
                Ok(Next::Leave)
            }
            Outcome::Away => Ok(Next::Leave),
            Outcome::Drop { code } => self.give_up(held, kind, code).await,
            Outcome::Lost => {
                metered::count(&self.app, kind, JobEnd::Lost);
                Ok(Next::Leave)
            }
        }
    }

    /// Lets the worker do a step, and keeps its lane meanwhile. If that cannot be, or takes too long, the step is ended
    /// where it is.
    async fn outcome(&self, claimed: Claimed, heard: &mut Instant) -> Outcome {
        let (held, kind) = (claimed.held.clone(), Some(claimed.job.kind()));
        let begun = AssertUnwindSafe(async { (self.worker)(self.app.clone(), claimed).await });
        // Side by side: a step that has a connection must go on while the lane is kept, or both would wait.
        let ended = tokio::select! {
            ended = begun.catch_unwind() => ended,
            () = self.keep(&held, heard) => return Outcome::Lost,
            // Begun again by whoever takes the lane, which is given back at once.
            () = self.is_over() => return Outcome::Again,
            () = tokio::time::sleep(self.pace.longest_step) => {
                tracing::warn!(job = held.num, "a job took too long and will be retried");
                return Outcome::Retry { after: None, code: "TOO_SLOW" };
            }
        };
        match ended {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(error)) => {
                alerts::note_error(&self.app, &error, Place::of_job(kind), None);
                tracing::warn!(job = held.num, error = %error.internal_detail(), "a job failed and will be retried");
                Outcome::Retry {
                    after: None,
                    code: error.code(),
                }
            }
            Err(_) => {
                metered::count(&self.app, kind, JobEnd::Panicked);
                tracing::error!(job = held.num, "a job panicked and will be retried");
                Outcome::Retry {
                    after: None,
                    code: "PANICKED",
                }
            }
        }
    }

    /// Keeps a lane. Ends when it is lost, or when for too long nobody could say that it is not.
    async fn keep(&self, held: &Held, heard: &mut Instant) {
        let mut pause = self.pace.renew_every.saturating_sub(heard.elapsed());
        loop {
            tokio::time::sleep(pause).await;
            let asked = Instant::now();
            match self.settle(held.clone(), Fate::Renew).await {
                Ok(Grip::Ours) => (*heard, pause) = (asked, self.pace.renew_every),
                Ok(Grip::Over | Grip::Lost) => return,
                Err(error) => {
                    tracing::warn!(job = held.num, error = %error.internal_detail(), "a lane's lease could not be renewed");
                    if heard.elapsed() >= SURE_FOR {
                        return;
                    }
                    pause = RENEW_AGAIN;
                }
            }
        }
    }

    /// Ends a while after the engine was told to stop.
    async fn is_over(&self) {
        let mut stop = self.stop.clone();
        if stop.wait_for(|stopped| *stopped).await.is_err() {
            // Nobody is left who could stop it.
            std::future::pending::<()>().await;
        }
        tokio::time::sleep(self.pace.last_step).await;
    }

    async fn retry(
        &self,
        held: Held,
        kind: Option<JobKind>,
        attempts: i64,
        after: Option<Duration>,
        code: &'static str,
    ) -> Result<Next, AppError> {
        let [dice] = bytes::<1>(&*self.app.random);
        let after_ms = after.map(|after| i64::try_from(after.as_millis()).unwrap_or(i64::MAX));
        let pause_ms = backoff_ms(attempts, dice, after_ms);
        let _ = self.settle(held, Fate::Retry { pause_ms, code }).await?;
        metered::count(&self.app, kind, JobEnd::Retried);
        Ok(Next::Leave)
    }

    async fn give_up(&self, held: Held, kind: Option<JobKind>, code: &str) -> Result<Next, AppError> {
        let num = held.num;
        let grip = self.settle(held, Fate::Drop).await?;
        if grip != Grip::Lost {
            if code == CANCELLED {
                tracing::info!(job = num, "a job was cancelled");
            } else {
                tracing::warn!(job = num, code, "a job was given up");
            }
            metered::count(&self.app, kind, JobEnd::Dropped);
        }
        Ok(after(grip))
    }

    async fn settle(&self, held: Held, fate: Fate) -> Result<Grip, AppError> {
        let moment = self.app.moment();
        self.app.db.write(Settle { held, fate, moment }).await
    }
}

fn after(grip: Grip) -> Next {
    match grip {
        Grip::Ours => Next::GoOn,
        Grip::Over | Grip::Lost => Next::Leave,
    }
}
