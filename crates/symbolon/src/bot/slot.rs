//! One Guild's own bot on this node: what the rules say is done, one thing at a time, and written down.

use std::sync::Arc;
use std::time::Duration;

use app::bots::fleet::{self, Change, Seen};
use app::bots::leases::{self, Lease};
use config::abort_point;
use domain::runner::{Move, Reason, Restart, Runner, Running, Step, decide};
use tokio::sync::watch;
use tokio::time::{Instant, MissedTickBehavior};

use super::ending::Ended;
use super::fleet::Fleet;
use super::host::{End, Host, Running as _};
use super::launch::asked;
use super::silence::Silence;

/// How often a process is looked at, whether or not the database answers.
const WATCH_EVERY: Duration = Duration::from_secs(1);
/// A bot that began too many sessions today is tried again then.
const BUDGET_REST_MS: i64 = 60 * 60_000;

/// A bot as it was read, and when.
pub struct Read {
    pub bot: Seen,
    pub reading: u64,
}

pub struct Child<R> {
    pub running: R,
    pub token_version: i64,
    /// Under which name it reports.
    pub instance: String,
    pub silence: Silence,
}

pub struct Slot<H: Host> {
    pub fleet: Arc<Fleet<H>>,
    pub lease: Lease,
    pub child: Option<Child<H::Running>>,
    /// How the last one ended, until that is written down.
    pub ended: Option<Ended>,
    /// Since when another bot is to take its work.
    pub yields_since: Option<Instant>,
    /// What was read before the last change is no longer true, and what was acted upon is done.
    ignore_until: u64,
    /// Why the next process is started, if not for the first time.
    pub restart: Option<Restart>,
    /// Nothing was started yet: what another node left may run.
    pub is_new: bool,
    /// Where the bot is since the last reading.
    noted: Option<Runner>,
}

impl<H: Host> Slot<H> {
    pub fn new(fleet: Arc<Fleet<H>>, lease: Lease) -> Self {
        Self {
            fleet,
            lease,
            child: None,
            ended: None,
            yields_since: None,
            ignore_until: 0,
            restart: None,
            is_new: true,
            noted: None,
        }
    }

    /// Until the bot is another node's, or gone.
    pub async fn drive(mut self, mut rows: watch::Receiver<Read>) {
        let mut last = rows.borrow().bot.clone();
        self.restart = why_now(&last);
        let mut ticks = tokio::time::interval(WATCH_EVERY);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let fresh = self.fresh(&mut rows);
            let is_fresh = fresh.is_some();
            last = fresh.unwrap_or(last);
            if is_fresh && self.turn(&last).await {
                self.ignore_until = self.fleet.reading();
            }
            last.runner = self.noted.take().unwrap_or(last.runner);
            if is_fresh && self.rests(&last).await {
                break;
            }
            let ended = async {
                match &mut self.child {
                    Some(child) => child.running.ended().await,
                    None => std::future::pending().await,
                }
            };
            let why = tokio::select! {
                changed = rows.changed() => {
                    if changed.is_err() {
                        break;
                    }
                    None
                }
                why = ended => Some(why),
                _ = ticks.tick() => self.end_if_too_large(&last).await,
            };
            if let Some(why) = why {
                self.exited(&last, why).await;
                self.ignore_until = self.fleet.reading();
                last.runner = self.noted.take().unwrap_or(last.runner);
            }
        }
        if !H::OUTLIVES
            && let Some(child) = &mut self.child
        {
            drop(child.running.end(End::Leave).await);
        }
        self.give_back().await;
    }

    /// What was read after the last change; none before that, and each reading once.
    fn fresh(&mut self, rows: &mut watch::Receiver<Read>) -> Option<Seen> {
        let row = rows.borrow_and_update();
        let is_fresh = row.reading > self.ignore_until;
        self.ignore_until = self.ignore_until.max(row.reading);
        is_fresh.then(|| row.bot.clone())
    }

    /// Nothing is to be done for it before somebody does something, and it takes nobody's place meanwhile.
    async fn rests(&self, bot: &Seen) -> bool {
        let paid = fleet::is_paid(&self.fleet.app, bot);
        let is_over = self.child.is_none() && self.ended.is_none() && !bot.has_process();
        is_over && bot.runner.rests(paid, self.now_ms().await)
    }

    /// By the clock that nodes share.
    pub async fn now_ms(&self) -> i64 {
        self.fleet.app.shared_now_ms().await
    }

    /// Does the next thing; true when something changed.
    async fn turn(&mut self, bot: &Seen) -> bool {
        // What has not begun by now is the next node's to begin.
        if self.fleet.is_stopping() {
            return false;
        }
        if self.ended.is_some() {
            self.settle(bot).await;
            return true;
        }
        if self.is_silent(bot) {
            if self.end(bot, End::Kill).await {
                self.exited(bot, Restart::Silent).await;
            }
            return true;
        }
        let paid = fleet::is_paid(&self.fleet.app, bot);
        let now_ms = self.now_ms().await;
        match decide(&bot.runner, paid, self.running(bot), now_ms) {
            // Whoever had it before left something behind.
            Move::Wait if self.child.is_none() && bot.has_process() && bot.runner.rests(paid, now_ms) => {
                self.leave(bot, End::Kill).await;
            }
            Move::Wait => return false,
            Move::Work(step) => self.work(bot, step).await,
            Move::Launch => self.launch(bot).await,
            Move::Pause if bot.runner.step == Step::Paused => return self.make_way(bot).await,
            Move::Pause => self.arrive(bot, Step::Paused, None).await,
            Move::End => self.leave(bot, End::Leave).await,
            Move::Again(restart) => {
                if self.end(bot, End::Leave).await {
                    self.restart = Some(restart);
                }
            }
            Move::Note(step, reason) => self.arrive(bot, step, reason).await,
        }
        true
    }

    /// It is somewhere else than it was. That is written down first: whatever ends now, nothing is begun any more for a bot
    /// that is to rest.
    pub async fn arrive(&mut self, bot: &Seen, step: Step, reason: Option<Reason>) {
        let now_ms = self.now_ms().await;
        let wait_ms = match reason {
            Some(reason) if reason.passes() => BUDGET_REST_MS,
            Some(_) | None => 0,
        };
        if step == Step::Failed {
            tracing::warn!(
                bot = bot.id.as_str(),
                reason = reason.map(Reason::as_str),
                "a Custom Bot has failed"
            );
        }
        if step == Step::Start && self.child.is_none() {
            self.restart = Some(Restart::Resumed);
        }
        let change = moved(bot, bot.runner.at(step, reason, now_ms + wait_ms));
        let is_noted = self.note(change).await == Some(true);
        self.yields_since = (is_noted && step == Step::Paused).then(Instant::now);
        abort_point(&format!("{}.noted", step.as_str()));
    }

    /// What the process says, if it is this one.
    fn running(&self, bot: &Seen) -> Option<Running> {
        let child = self.child.as_ref()?;
        let said = bot.said.as_ref().filter(|said| said.0 == child.instance);
        Some(Running {
            token_version: child.token_version,
            state: said.map_or(domain::bot::BotState::Connecting, |said| said.1),
            failure: said.and_then(|said| said.2),
        })
    }

    async fn work(&mut self, bot: &Seen, step: Step) {
        abort_point(&format!("{}.before", step.as_str()));
        let host = &self.fleet.host;
        let worked = match step {
            Step::Allocate => asked(host.clear(bot.id.as_str())).await,
            Step::Install => asked(host.prepare(bot.id.as_str(), bot.bot_user_id.as_str())).await,
            Step::Deploy | Step::Start | Step::Online | Step::Paused | Step::Failed => Ok(()),
        };
        abort_point(&format!("{}.worked", step.as_str()));
        let now_ms = self.now_ms().await;
        let after = match worked {
            Ok(()) => bot.runner.worked(now_ms),
            Err(failure) => {
                tracing::warn!(
                    bot = bot.id.as_str(),
                    error = failure.text(),
                    "a Custom Bot could not be installed"
                );
                bot.runner.missed(now_ms)
            }
        };
        self.note(moved(bot, after)).await;
        abort_point(&format!("{}.noted", step.as_str()));
    }

    /// False when the bot is another node's, or was changed meanwhile; none when nobody could say.
    pub async fn note(&mut self, change: Change) -> Option<bool> {
        let moved = change.moved.as_ref().map(|(_, to)| to.clone());
        match fleet::note(&self.fleet.app, &self.lease, change).await {
            Ok(noted) => {
                self.noted = moved.filter(|_| noted).or(self.noted.take());
                Some(noted)
            }
            Err(error) => {
                tracing::warn!(error = %error.internal_detail(), "what happened to a Custom Bot was not noted");
                None
            }
        }
    }

    async fn give_back(&self) {
        let app = &self.fleet.app;
        let ended = async {
            if !H::OUTLIVES {
                leases::note_end(app, &self.lease).await?;
            }
            leases::release(app, &self.lease).await
        };
        if let Err(error) = ended.await {
            tracing::debug!(error = %error.internal_detail(), "the lease of a Custom Bot runs out by itself");
        }
    }
}

/// Why a process is to be started for a bot that another driver had before; none for one that never ran. A bot that rests
/// has a process without a name.
fn why_now(bot: &Seen) -> Option<Restart> {
    let (instance, ..) = bot.said.as_ref()?;
    match bot.runner.step {
        Step::Online | Step::Start if instance.is_empty() => Some(Restart::Resumed),
        Step::Online | Step::Start => Some(Restart::Moved),
        Step::Allocate | Step::Install | Step::Deploy | Step::Paused | Step::Failed => None,
    }
}

pub fn moved(bot: &Seen, after: Runner) -> Change {
    Change {
        moved: Some((bot.runner.clone(), after)),
        ..Change::default()
    }
}
