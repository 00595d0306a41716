//! The work for the shared bot, on the one node that has its lease: what is done on Discord in the background, and the
//! bot's own process unless it runs elsewhere.

use std::fs::File;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use app::bots::leases::{self, Lease};
use app::bots::register;
use app::{App, AppError};
use bot::{Parent, Settings};
use config::{Config, DatabaseUrl, LogFormat};
use domain::bot::BotId;
use domain::random;
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;

use super::process::{Process, Starter};
use super::watching::{self, watch};
use super::{Handed, reachable};
use crate::output::Failure;

/// A lease lasts three times as long.
const RENEW_EVERY: Duration = Duration::from_secs(5);
/// Without the database's word for so long another node may be about to take the bot.
const SURE_FOR: Duration = Duration::from_secs(9);
/// A child that its node does not answer leaves after this.
const GIVE_UP_AFTER_MS: u64 = 12_000;
/// A bot has four seconds to end, and then it is killed.
const END_WITHIN: Duration = Duration::from_secs(8);
const FIRST_WAIT: Duration = Duration::from_secs(1);
const LONGEST_WAIT: Duration = Duration::from_secs(60);

struct Keeper {
    app: App,
    /// None when the bot runs elsewhere.
    starter: Option<Starter>,
    config: Config,
    /// Where the bot reaches this service.
    address: SocketAddr,
    /// Where its log goes, if not where ours does.
    log: Option<File>,
    /// Gone with the keeper, which is how its end is seen.
    _alive: mpsc::Sender<()>,
}

/// A keeper that works.
pub struct Keeping {
    stop: watch::Sender<bool>,
    alive: mpsc::Receiver<()>,
}

impl Keeping {
    /// Ends the bot and gives it to another node. Its last words still have to be heard.
    pub async fn end(mut self) {
        let _ = self.stop.send(true);
        let ended = tokio::time::timeout(END_WITHIN, self.alive.recv());
        if ended.await.is_err() {
            tracing::warn!("the shared bot takes too long to end");
        }
    }
}

/// A lease, and until when it is certain.
struct Held<'a> {
    lease: &'a Lease,
    /// When the database was asked that last confirmed it.
    sure_at: Instant,
    renew_at: Instant,
}

/// This node does what is done on Discord in the background, until this is dropped.
struct Leading<'a>(&'a App);

impl<'a> Leading<'a> {
    fn begin(app: &'a App) -> Self {
        lead(app, true);
        // What waited goes on.
        app.bell.ring();
        Self(app)
    }
}

impl Drop for Leading<'_> {
    fn drop(&mut self) {
        lead(self.0, false);
    }
}

/// How the time with a lease ended.
enum Outcome {
    Stopped,
    Lost,
}

/// Leaves the work in the background to others until this node has the lease. Before anything is begun.
pub fn follow(app: &App) {
    lead(app, false);
}

/// Works for the shared bot, if there is one.
pub fn start(
    app: &App,
    config: &Config,
    (address, log): (SocketAddr, Option<File>),
) -> Result<Keeping, Failure> {
    let (stop, stopped) = watch::channel(false);
    let (alive, ended) = mpsc::channel(1);
    let keeping = Keeping { stop, alive: ended };
    if config.discord.bot_token.is_none() {
        return Ok(keeping);
    }
    let keeper = Keeper {
        app: app.clone(),
        starter: config.bot.shared.then(Starter::new).transpose()?,
        config: config.clone(),
        address: reachable(address),
        log,
        _alive: alive,
    };
    let keeper = Arc::new(keeper);
    app.tasks
        .supervise("bot", move || Arc::clone(&keeper).keep(stopped.clone()));
    Ok(keeping)
}

impl Keeper {
    async fn keep(self: Arc<Self>, mut stop: watch::Receiver<bool>) {
        // Each process is an owner of its own.
        let owner: String = random::bytes::<8>(&*self.app.random)
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        let mut problem = None;
        if let Err(error) = leases::free_left(&self.app, BotId::Platform).await {
            note(&mut problem, &error);
        }
        loop {
            match leases::take(&self.app, BotId::Platform, owner.clone()).await {
                Ok(Some(lease)) => {
                    tracing::info!("this node works for the shared bot");
                    problem = None;
                    match self.hold(&lease, &mut stop).await {
                        Outcome::Stopped => return,
                        Outcome::Lost => tracing::warn!("another node works for the shared bot"),
                    }
                }
                Ok(None) => {}
                Err(error) => note(&mut problem, &error),
            }
            if wait(&mut stop, RENEW_EVERY).await {
                return;
            }
        }
    }

    /// Works while this node has the bot, and gives it back.
    async fn hold(&self, lease: &Lease, stop: &mut watch::Receiver<bool>) -> Outcome {
        let leading = Leading::begin(&self.app);
        let mut held = Held {
            lease,
            sure_at: Instant::now(),
            renew_at: Instant::now() + RENEW_EVERY,
        };
        let (outcome, process) = match &self.starter {
            Some(starter) => self.run(starter, &mut held, stop).await,
            None => (self.guard(&mut held, stop).await, None),
        };
        // Another node may lead from now on.
        drop(leading);
        if let Some(mut process) = process {
            process.leave().await;
        }
        self.give_back(lease).await;
        outcome
    }

    /// Runs the bot's process again and again. The last one still runs.
    async fn run(
        &self,
        starter: &Starter,
        held: &mut Held<'_>,
        stop: &mut watch::Receiver<bool>,
    ) -> (Outcome, Option<Process>) {
        let mut pause = FIRST_WAIT;
        loop {
            let started_at = Instant::now();
            match self.launch(starter, held.lease).await {
                Ok(mut process) => {
                    let outcome = tokio::select! {
                        _ = watch(&self.app, &mut process) => None,
                        outcome = self.guard(held, stop) => Some(outcome),
                    };
                    if let Some(outcome) = outcome {
                        return (outcome, Some(process));
                    }
                    process.kill().await;
                }
                Err(error) => tracing::warn!(error = error.text(), "the shared bot could not be started"),
            }
            self.note_end(held.lease).await;
            if started_at.elapsed() >= LONGEST_WAIT {
                pause = FIRST_WAIT;
            }
            if let Ok(outcome) = tokio::time::timeout(pause, self.guard(held, stop)).await {
                return (outcome, None);
            }
            pause = (pause * 2).min(LONGEST_WAIT);
        }
    }

    /// Until the service stops or another node has the bot.
    async fn guard(&self, held: &mut Held<'_>, stop: &mut watch::Receiver<bool>) -> Outcome {
        loop {
            if wait(stop, held.renew_at.saturating_duration_since(Instant::now())).await {
                return Outcome::Stopped;
            }
            if !self.renew(held).await {
                return Outcome::Lost;
            }
        }
    }

    /// False when the bot is another node's, or may be.
    async fn renew(&self, held: &mut Held<'_>) -> bool {
        let asked_at = Instant::now();
        let give_up_at = (held.sure_at + SURE_FOR).max(asked_at + FIRST_WAIT);
        let answer = tokio::time::timeout_at(give_up_at, leases::renew(&self.app, held.lease)).await;
        match answer {
            Ok(Ok(true)) => {
                held.sure_at = asked_at;
                held.renew_at = asked_at + RENEW_EVERY;
                true
            }
            Ok(Ok(false)) => false,
            Ok(Err(_)) | Err(_) => {
                held.renew_at = Instant::now() + FIRST_WAIT;
                !self.has_others() || held.sure_at.elapsed() < SURE_FOR
            }
        }
    }

    async fn note_end(&self, lease: &Lease) {
        if let Err(error) = leases::note_end(&self.app, lease).await {
            tracing::debug!(error = %error.internal_detail(), "the end of a bot was not noted");
        }
    }

    async fn give_back(&self, lease: &Lease) {
        // What runs elsewhere goes on.
        if self.starter.is_some() {
            self.note_end(lease).await;
        }
        if let Err(error) = leases::release(&self.app, lease).await {
            tracing::debug!(error = %error.internal_detail(), "the lease of the bot runs out by itself");
        }
    }

    async fn launch(&self, starter: &Starter, lease: &Lease) -> Result<Process, Failure> {
        let secret = register::secret(&self.app, &BotId::Platform).await;
        let secret = secret.map_err(|error| error.internal_detail())?;
        let (config, discord) = (&self.config, &self.config.discord);
        let handed = Handed {
            log_level: config.log.level.clone(),
            log_as_text: config.log.format == LogFormat::Text,
            run_as: None,
            most_data_bytes: Some(watching::MOST_DATA),
            settings: Settings {
                service_url: format!("http://{}", self.address),
                bot_id: BotId::Platform.as_str().to_owned(),
                secret: secret.expose().to_owned().into(),
                token: discord.bot_token.clone().ok_or("discord.bot_token is not set")?,
                api_url: discord.api_url.clone(),
                state_dir: config.bot.state_dir.clone(),
                members_intent: discord.members_intent,
                home: None,
                parent: Some(Parent {
                    instance: lease.owner.clone(),
                    leave_after_ms: self.has_others().then_some(GIVE_UP_AFTER_MS),
                }),
            },
        };
        let log = self.log.as_ref().map(File::try_clone).transpose()?;
        let child = &self.app.memories.child;
        child.expect(&lease.owner, self.app.clock.steady_ms());
        Ok(starter.start(serde_json::to_string(&handed)?, log).await?)
    }

    /// Whether another node may run the bot. The one who has an embedded database has it alone.
    fn has_others(&self) -> bool {
        matches!(self.config.database.url, DatabaseUrl::Postgres { .. })
    }
}

fn lead(app: &App, leads: bool) {
    app.platforms.lead_bots(leads);
}

/// True when the service stops.
async fn wait(stop: &mut watch::Receiver<bool>, time: Duration) -> bool {
    tokio::time::timeout(time, stop.wait_for(|stopped| *stopped))
        .await
        .is_ok()
}

/// One line for a problem that stays the same.
fn note(known: &mut Option<String>, error: &AppError) {
    let detail = error.internal_detail();
    if known.as_ref() != Some(&detail) {
        tracing::warn!(error = %detail, "nobody can be asked which node runs the shared bot");
    }
    *known = Some(detail);
}
