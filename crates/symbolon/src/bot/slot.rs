//! One Guild's own bot on this node: what the rules say is done, one thing at a time, and written down.

use std::sync::Arc;
use std::time::Duration;

use app::bots::fleet::{self, Change, Seen};
use app::bots::leases::{self, Lease};
use config::abort_point;
use domain::runner::{Move, Reason, Restart, Runner, Running, Step, decide};
use tokio::sync::watch;
use tokio::time::Instant;

use super::fleet::Fleet;
use super::host::{End, Host, Running as _};
use super::launch::asked;
use super::silence::Silence;

/// One that was not heard of for so long did not crash, but lost the service.
const OUT_OF_SIGHT: Duration = Duration::from_secs(11);
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
    /// What was read before the last change is no longer true.
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
            tokio::select! {
                changed = rows.changed() => if changed.is_err() { break },
                why = ended => {
                    self.exited(&last, why).await;
                    self.ignore_until = self.fleet.reading();
                    last.runner = self.noted.take().unwrap_or(last.runner);
                }
            }
        }
        if !H::OUTLIVES
            && let Some(child) = &mut self.child
        {
            drop(child.running.end(End::Leave).await);
        }
        self.give_back().await;
    }

    /// What was read after the last change; none before that.
    fn fresh(&self, rows: &mut watch::Receiver<Read>) -> Option<Seen> {
        let row = rows.borrow_and_update();
        (row.reading > self.ignore_until).then(|| row.bot.clone())
    }

    /// Nothing is to be done for it before somebody does something, and it takes nobody's place meanwhile.
    async fn rests(&self, bot: &Seen) -> bool {
        let paid = fleet::is_paid(&self.fleet.app, bot);
        self.child.is_none() && bot.runner.rests(paid, self.now_ms().await)
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
        if let Some(why) = self.has_gone_wrong(bot) {
            if self.end(bot, End::Kill).await {
                self.exited(bot, why).await;
            }
            return true;
        }
        let paid = fleet::is_paid(&self.fleet.app, bot);
        let now_ms = self.now_ms().await;
        match decide(&bot.runner, paid, self.running(bot), now_ms) {
            Move::Wait => return false,
            Move::Work(step) => self.work(bot, step).await,
            Move::Launch => self.launch(bot).await,
            Move::Pause => self.arrive(bot, Step::Paused, None).await,
            Move::Again(restart) => {
                if self.end(bot, End::Leave).await {
                    self.restart = Some(restart);
                }
            }
            Move::Note(step, reason) => self.arrive(bot, step, reason).await,
        }
        true
    }

    /// It is somewhere else than it was.
    async fn arrive(&mut self, bot: &Seen, step: Step, reason: Option<Reason>) {
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
        let how = match step {
            Step::Paused => Some(End::Pause),
            Step::Failed => Some(End::Leave),
            Step::Allocate | Step::Install | Step::Deploy | Step::Start | Step::Online => None,
        };
        if let Some(how) = how
            && !self.end(bot, how).await
        {
            return;
        }
        abort_point("arrive.ended");
        if step == Step::Start && self.child.is_none() {
            self.restart = Some(Restart::Resumed);
        }
        self.note(moved(bot, bot.runner.at(step, reason, now_ms + wait_ms)))
            .await;
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

    /// A process that cannot be left as it is.
    fn has_gone_wrong(&mut self, bot: &Seen) -> Option<Restart> {
        let child = self.child.as_mut()?;
        let most = self.fleet.config.bot.memory_mib * 1024 * 1024;
        if child.running.memory_bytes() > most {
            tracing::error!(
                bot = bot.id.as_str(),
                "a Custom Bot takes too much memory, and is started anew"
            );
            return Some(Restart::Memory);
        }
        let is_silent = child.silence.is_too_long(bot.heard_at_ms, Instant::now());
        is_silent.then_some(Restart::Silent)
    }

    /// Ends what runs, whoever started it; false when the host cannot be asked, and it is tried again.
    async fn end(&mut self, bot: &Seen, how: End) -> bool {
        abort_point("end.before");
        let ended = match &mut self.child {
            Some(child) => asked(child.running.end(how)).await,
            None => asked(self.fleet.host.clear(bot.id.as_str())).await,
        };
        if let Err(failure) = &ended {
            tracing::warn!(
                bot = bot.id.as_str(),
                error = failure.text(),
                "a Custom Bot could not be ended"
            );
            return false;
        }
        self.child = None;
        abort_point("end.after");
        true
    }

    /// Its process is no more. One that was out of sight before did not crash: it could not reach this service, or its
    /// machine is gone.
    async fn exited(&mut self, bot: &Seen, why: Restart) {
        abort_point("exited.before");
        let child = self.child.take();
        let was_lost = child.is_some_and(|child| child.silence.lasts(Instant::now()) > OUT_OF_SIGHT);
        let now_ms = self.now_ms().await;
        let after = if was_lost || why == Restart::Silent {
            bot.runner.missed(now_ms)
        } else {
            bot.runner.exited(now_ms)
        };
        if after.step == Step::Failed && !self.end(bot, End::Kill).await {
            return;
        }
        self.restart = Some(why);
        let mut change = moved(bot, after);
        change.restart = Some(why);
        self.note(change).await;
        abort_point("exited.after");
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

    /// False when the bot is another node's, or was changed meanwhile.
    pub async fn note(&mut self, change: Change) -> bool {
        let moved = change.moved.as_ref().map(|(_, to)| to.clone());
        match fleet::note(&self.fleet.app, &self.lease, change).await {
            Ok(noted) => {
                self.noted = moved.filter(|_| noted).or(self.noted.take());
                noted
            }
            Err(error) => {
                tracing::warn!(error = %error.internal_detail(), "what happened to a Custom Bot was not noted");
                false
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
