//! Guilds' own bots: this node takes as many as it has room for, and drives each by itself. What is to be done is read
//! once a second for all of them.

use std::fs::File;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use app::bots::fleet::{self, HandOvers, Seen};
use app::bots::leases::Lease;
use app::{App, AppError};
use config::{BotHost, Config, DatabaseUrl};
use domain::bot::BotId;
use domain::random;
use tokio::sync::{Mutex, mpsc, watch};
use tokio::time::Instant;

use super::host::Host;
use super::host::containers::Containers;
use super::host::engine::Engine;
use super::host::local::Local;
use super::host::swarm::Services;
use super::predecessor::Mark;
use super::reachable;
use super::round::{Driven, Round, is_held};
use super::slot::{Read, Slot};
use crate::output::{Failure, refused};

const LOOK_EVERY: Duration = Duration::from_secs(1);
/// A lease lasts three times as long.
const RENEW_EVERY: Duration = Duration::from_secs(5);
/// Without the database's word for so long another node may be about to take our bots.
const SURE_FOR: Duration = Duration::from_secs(9);
/// Two bots in a second.
const BETWEEN_STARTS: Duration = Duration::from_millis(500);
/// All of them have so long to end.
const END_WITHIN: Duration = Duration::from_secs(8);

/// What all bots of this node share.
pub struct Fleet<H> {
    pub app: App,
    pub config: Config,
    /// Where its bots run.
    pub host: H,
    /// Where their log goes, if not where ours does.
    pub log: Option<File>,
    /// This process; what it starts reports under the same name.
    owner: String,
    /// One more with each reading.
    readings: AtomicU64,
    last_start: Mutex<Option<Instant>>,
    /// Whether the service stops: nothing is begun any more.
    stopped: watch::Receiver<bool>,
    /// Gone with the fleet, which is how its end is seen.
    _alive: mpsc::Sender<()>,
}

/// A fleet that works.
pub struct Sailing {
    stop: watch::Sender<bool>,
    alive: mpsc::Receiver<()>,
}

impl Sailing {
    /// Ends all bots of this node and gives them to others.
    pub async fn end(mut self) {
        let _ = self.stop.send(true);
        if tokio::time::timeout(END_WITHIN, self.alive.recv()).await.is_err() {
            tracing::warn!("Custom Bots take too long to end");
        }
    }
}

/// Runs Guilds' own bots, where there is a shared one that works while they do not.
pub async fn start(
    app: &App,
    config: &Config,
    (address, log): (SocketAddr, Option<File>),
) -> Result<Sailing, Failure> {
    let (stop, stopped) = watch::channel(false);
    let (alive, ended) = mpsc::channel(1);
    let sailing = Sailing { stop, alive: ended };
    if app.platforms.own_bots.is_none() {
        return Ok(sailing);
    }
    if config.bot.capacity == 0 {
        keep_lookout(app, (stopped, alive));
        return Ok(sailing);
    }
    match config.bot.host {
        BotHost::Process => {
            let local = Local::new(config, format!("http://{}", reachable(address)))?;
            set_sail(app, config, local, (log, stopped, alive));
        }
        BotHost::Docker => {
            let engine = Arc::new(Engine::new(config, installation(app).await?)?);
            set_sail(app, config, Containers { engine }, (log, stopped, alive));
        }
        BotHost::Swarm => {
            let services = Services::new(Engine::new(config, installation(app).await?)?);
            set_sail(app, config, services, (log, stopped, alive));
        }
    }
    Ok(sailing)
}

async fn installation(app: &App) -> Result<String, Failure> {
    let known = app::instance::installation(app).await;
    known.map_err(|error| refused(&error))
}

/// A node without bots of its own can be the one that hands Guilds over between those of others.
fn keep_lookout(app: &App, (stopped, alive): (watch::Receiver<bool>, mpsc::Sender<()>)) {
    let app = app.clone();
    let tasks = app.tasks.clone();
    tasks.supervise("custom bots", move || {
        let (app, mut stop, alive) = (app.clone(), stopped.clone(), alive.clone());
        async move {
            let (mut known, mut problem) = (HandOvers::default(), None);
            while !wait(&mut stop).await {
                match look_out(&app, &mut known).await {
                    Ok(()) => problem = None,
                    Err(error) => note(&mut problem, &error),
                }
            }
            drop(alive);
        }
    });
}

async fn look_out(app: &App, known: &mut HandOvers) -> Result<(), AppError> {
    let bots = fleet::list(app).await?;
    hand_over(app, known, &bots).await
}

/// Done by the node that leads, whatever runs there.
async fn hand_over(app: &App, known: &mut HandOvers, bots: &[Seen]) -> Result<(), AppError> {
    if leads(app) {
        fleet::hand_over(app, known, bots).await?;
    }
    if let Some(own) = &app.platforms.own_bots {
        own.keep_only(&bots.iter().map(|bot| &bot.bot_user_id).collect());
    }
    Ok(())
}

fn leads(app: &App) -> bool {
    app.platforms.discord_bot.as_ref().is_some_and(|bot| bot.leads())
}

/// True when the service stops.
async fn wait(stop: &mut watch::Receiver<bool>) -> bool {
    tokio::time::timeout(LOOK_EVERY, stop.wait_for(|stopped| *stopped))
        .await
        .is_ok()
}

type Ropes = (Option<File>, watch::Receiver<bool>, mpsc::Sender<()>);

fn set_sail<H: Host>(app: &App, config: &Config, host: H, (log, stopped, alive): Ropes) {
    let owner = random::bytes::<8>(&*app.random);
    let fleet = Arc::new(Fleet {
        app: app.clone(),
        config: config.clone(),
        host,
        log,
        owner: owner.iter().map(|byte| format!("{byte:02x}")).collect(),
        readings: AtomicU64::new(0),
        last_start: Mutex::default(),
        stopped: stopped.clone(),
        _alive: alive,
    });
    app.tasks
        .supervise("custom bots", move || Arc::clone(&fleet).keep(stopped.clone()));
}

impl<H: Host> Fleet<H> {
    /// The last reading that was begun.
    pub fn reading(&self) -> u64 {
        self.readings.load(Ordering::SeqCst)
    }

    /// Whether another node may run a bot. The one who has an embedded database has it alone.
    pub fn has_others(&self) -> bool {
        matches!(self.config.database.url, DatabaseUrl::Postgres { .. })
    }

    /// Whether the service stops. Nothing is begun any more then.
    pub fn is_stopping(&self) -> bool {
        *self.stopped.borrow()
    }

    /// Waits until the next bot may be started: Discord and the machine bear a few at a time. False when none may.
    pub async fn take_turn(&self) -> bool {
        let turn = async {
            let mut last = self.last_start.lock().await;
            if let Some(at) = *last {
                tokio::time::sleep_until(at + BETWEEN_STARTS).await;
            }
            *last = Some(Instant::now());
        };
        let mut stopped = self.stopped.clone();
        tokio::select! {
            biased;
            _ = stopped.wait_for(|stopped| *stopped) => false,
            () = turn => true,
        }
    }

    async fn keep(self: Arc<Self>, mut stop: watch::Receiver<bool>) {
        let mut problem = None;
        // It is held until this node ends its bots.
        let mut mark = self.mark();
        if let Err(error) = self.free_left(mark.as_mut()).await {
            note(&mut problem, &error);
        }
        let mut round = Round::default();
        while !self.is_stopping() {
            if let Err(error) = self.turn(&mut round).await {
                note(&mut problem, &error);
            } else {
                problem = None;
            }
            if wait(&mut stop).await {
                break;
            }
        }
        round.driven.clear();
        while round.tasks.join_next().await.is_some() {}
        drop(mark);
    }

    /// Who ran bots here before; none where another node does now, or where nobody else could have them.
    fn mark(&self) -> Option<Mark> {
        if !self.has_others() {
            return None;
        }
        let taken = Mark::take(&self.config.data_dir);
        taken.unwrap_or_else(|error| {
            tracing::warn!(%error, "the next node here waits for the leases of Custom Bots");
            None
        })
    }

    /// Frees what is certain to be left: by whoever had an embedded database, and by whoever had this data directory.
    async fn free_left(&self, mark: Option<&mut Mark>) -> Result<(), AppError> {
        fleet::free_left(&self.app).await?;
        let Some(mark) = mark else {
            return Ok(());
        };
        if let Some(before) = mark.before().ok().flatten().filter(|name| *name != self.owner) {
            fleet::free_left_by(&self.app, before).await?;
        }
        if let Err(error) = mark.leave(&self.owner) {
            tracing::warn!(%error, "the next node here waits for the leases of Custom Bots");
        }
        Ok(())
    }

    /// Reads what there is, and tells each bot's driver.
    async fn turn(self: &Arc<Self>, round: &mut Round) -> Result<(), AppError> {
        round.settle();
        self.renew(round).await?;
        if !round.is_sure {
            return Ok(());
        }
        let reading = self.readings.fetch_add(1, Ordering::SeqCst) + 1;
        let bots = fleet::list(&self.app).await?;
        round.drop_others(&self.owner, &bots);
        self.sweep(round, &bots).await;
        for bot in &bots {
            if is_held(bot, &self.owner).is_some() {
                self.tell(round, bot.clone(), reading);
            }
        }
        self.take(round, &bots).await?;
        hand_over(&self.app, &mut round.hand_overs, &bots).await
    }

    /// Takes bots that nobody runs, as many as there is room for. One for which nothing is to be done takes no room: its
    /// driver gives it back. To end what is left of one takes no room either: it would go on unpaid until there is some.
    async fn take(&self, round: &Round, bots: &[Seen]) -> Result<(), AppError> {
        let now_ms = self.app.shared_now_ms().await;
        let room = self.config.bot.capacity - round.count_held(&self.owner, bots);
        let (ending, starting): (Vec<&Seen>, Vec<&Seen>) = bots
            .iter()
            .filter(|bot| bot.is_free(now_ms) && is_held(bot, &self.owner).is_none())
            .filter(|bot| self.has_work(bot, now_ms))
            .partition(|bot| self.only_ends(bot, now_ms));
        for (wanting, most) in [(&ending, ending.len() as i64), (&starting, room)] {
            if most > 0 && !wanting.is_empty() && !self.is_stopping() {
                let wanting = wanting.iter().map(|bot| bot.bot_user_id.clone()).collect();
                fleet::take_free(&self.app, &self.owner, wanting, most).await?;
            }
        }
        Ok(())
    }

    /// Nothing will run for it, so that there is only something to be ended and written down.
    fn only_ends(&self, bot: &Seen, now_ms: i64) -> bool {
        let paid = fleet::is_paid(&self.app, bot);
        !paid || bot.runner.rests(paid, now_ms)
    }

    /// Whether something is to be done for a bot.
    pub fn has_work(&self, bot: &Seen, now_ms: i64) -> bool {
        bot.has_process() || !bot.runner.rests(fleet::is_paid(&self.app, bot), now_ms)
    }

    /// The driver of a bot hears of it, and begins to drive when it is new.
    fn tell(self: &Arc<Self>, round: &mut Round, bot: Seen, reading: u64) {
        let Some((_, fence)) = bot.held_by.clone() else {
            return;
        };
        let id = bot.bot_user_id.clone();
        let read = Read { bot, reading };
        if let Some(driven) = round.driven.get(&id) {
            driven.rows.send_replace(read);
            return;
        }
        // Who drove it before still ends it.
        if round.ids.values().any(|driven| *driven == id) {
            return;
        }
        let lease = Lease {
            bot: BotId::Dedicated(id.clone()),
            owner: self.owner.clone(),
            fence,
        };
        let (rows, row) = watch::channel(read);
        let slot = Slot::new(Arc::clone(self), lease);
        let task = round.tasks.spawn(slot.drive(row));
        round.ids.insert(task.id(), id.clone());
        round.driven.insert(id, Driven { fence, rows });
    }

    /// Keeps the leases. Who cannot be sure of them ends the bots, and drives none until the database has answered.
    async fn renew(&self, round: &mut Round) -> Result<(), AppError> {
        if round.driven.is_empty() && round.is_sure {
            round.sure_at = Instant::now();
            return Ok(());
        }
        if round.is_sure && round.renewed_at.elapsed() < RENEW_EVERY {
            return Ok(());
        }
        let asked_at = Instant::now();
        let answer = tokio::time::timeout(SURE_FOR / 2, fleet::renew(&self.app, &self.owner)).await;
        if let Ok(Ok(_)) = answer {
            (round.sure_at, round.renewed_at, round.is_sure) = (asked_at, asked_at, true);
        } else if self.has_others() && round.sure_at.elapsed() >= SURE_FOR {
            if round.is_sure {
                tracing::warn!("Custom Bots of this node end: another one may run them by now");
            }
            round.is_sure = false;
            round.driven.clear();
            // What it would remove may be another node's work by now.
            round.sweeping.abort_all();
        }
        answer.unwrap_or(Ok(0)).map(drop)
    }
}

/// One line for a problem that stays the same.
fn note(known: &mut Option<String>, error: &AppError) {
    let detail = error.internal_detail();
    if known.as_ref() != Some(&detail) {
        tracing::warn!(error = %detail, "Custom Bots cannot be looked after");
    }
    *known = Some(detail);
}
