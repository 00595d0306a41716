//! Guilds' own bots: this node takes as many as it has room for, and drives each by itself. What is to be done is read
//! once a second for all of them.

use std::collections::HashSet;
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
use super::reachable;
use super::round::{Driven, Round, is_held};
use super::slot::{Read, Slot};
use crate::output::{Failure, refused};

const LOOK_EVERY: Duration = Duration::from_secs(1);
/// A lease lasts three times as long.
const RENEW_EVERY: Duration = Duration::from_secs(5);
/// Without the database's word for so long another node may be about to take our bots.
const SURE_FOR: Duration = Duration::from_secs(9);
/// How often a node looks whether another one has gone.
const TAKE_EVERY: u64 = 3;
/// Two bots in a second.
const BETWEEN_STARTS: Duration = Duration::from_millis(500);
/// How often what is left of bots is looked for, and how long a host may take to remove it.
const SWEEP_EVERY: Duration = Duration::from_secs(300);
const SWEEP_WITHIN: Duration = Duration::from_secs(600);
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
    if leads(app) {
        let bots = fleet::list(app).await?;
        hand_over(app, known, &bots).await?;
    }
    Ok(())
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
        if let Err(error) = fleet::free_left(&self.app).await {
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
        for bot in &bots {
            if is_held(bot, &self.owner).is_some() {
                self.tell(round, bot.clone(), reading);
            }
        }
        self.take(round, &bots, reading).await?;
        hand_over(&self.app, &mut round.hand_overs, &bots).await?;
        self.sweep(round, &bots);
        Ok(())
    }

    /// Takes bots that nobody runs, as many as there is room for. One for which nothing is to be done takes no room: its
    /// driver gives it back, and whoever has room takes it when there is something to be done.
    async fn take(&self, round: &Round, bots: &[Seen], reading: u64) -> Result<(), AppError> {
        let now_ms = self.app.shared_now_ms().await;
        let room = self.config.bot.capacity - round.count_held(&self.owner, bots);
        let wanting: Vec<&Seen> = bots
            .iter()
            .filter(|bot| is_held(bot, &self.owner).is_none())
            .filter(|bot| !bot.runner.rests(fleet::is_paid(&self.app, bot), now_ms))
            .collect();
        let is_any_free = wanting.iter().any(|bot| bot.held_by.is_none());
        let is_due = is_any_free || reading.is_multiple_of(TAKE_EVERY);
        if room > 0 && is_due && !wanting.is_empty() && !self.is_stopping() {
            let wanting = wanting.iter().map(|bot| bot.bot_user_id.clone()).collect();
            fleet::take_free(&self.app, &self.owner, wanting, room).await?;
        }
        Ok(())
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
        }
        answer.unwrap_or(Ok(0)).map(drop)
    }

    /// Removes what is left of bots that are no more: at the start, when there are others than before, when one has gone,
    /// and every few minutes. Beside everything else, for a host can take its time.
    fn sweep(self: &Arc<Self>, round: &mut Round, bots: &[Seen]) {
        while round.sweeping.try_join_next().is_some() {}
        let known: HashSet<String> = bots.iter().map(|bot| bot.id.as_str().to_owned()).collect();
        let is_due = round.is_sweep_wanted || round.swept_at.elapsed() > SWEEP_EVERY;
        if !round.sweeping.is_empty() || (round.known == known && !is_due) {
            return;
        }
        round.known.clone_from(&known);
        (round.is_sweep_wanted, round.swept_at) = (false, Instant::now());
        let fleet = Arc::clone(self);
        round.sweeping.spawn(async move {
            let swept = tokio::time::timeout(SWEEP_WITHIN, fleet.host.sweep(known)).await;
            if let Ok(Err(failure)) = swept {
                tracing::warn!(
                    error = failure.text(),
                    "what is left of Custom Bots cannot be removed"
                );
            }
        });
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
